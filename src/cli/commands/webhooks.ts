import { EXIT, SignalboxError } from '../../errors/index.js'
import { newEvent } from '../../events/index.js'
import type { Home } from '../../host/home/index.js'
import { type WebhookRecord, webhookStream, webhooksProjection } from '../../notifications/index.js'
import type { EventStore } from '../../store/index.js'
import { plural } from '../../text/index.js'
import { localPerson } from '../approvals/local-person.js'
import type { CommandContext } from '../context.js'
import { withStore } from '../runs/with-store.js'
import type { InputOf } from '../specs/index.js'

interface ShownWebhook extends WebhookRecord {
  /** Only the host: the whole address is a secret. */
  host: string
  events: readonly string[]
  isSigned: boolean
}

export async function run(context: CommandContext, { args, options }: InputOf<'webhooks'>): Promise<number> {
  const { action, name } = args
  return withStore(context, async (store, home) => {
    const hooks = await shownWebhooks(store, home)
    if (action === undefined) {
      if (options.json) context.json(hooks)
      else print(context, hooks)
      return EXIT.ok
    }
    if (action !== 'replay')
      throw new SignalboxError('E_INPUT', `unknown action "${action}"`, { next: 'signalbox webhooks replay <name>' })
    const hook = hooks.find(candidate => candidate.name === name)
    if (!hook)
      throw new SignalboxError('E_UNKNOWN', `there is no webhook "${name ?? ''}"`, {
        next: hooks.length === 0 ? 'add [webhooks.<name>] to the settings' : 'signalbox webhooks lists them',
      })
    const after = options.after === undefined ? undefined : positionOf(options.after)
    const replayed = newEvent('webhook.replayed', {
      person: localPerson().id,
      ...(after !== undefined && { after }),
    })
    await store.append(webhookStream(hook.name), 'any', [replayed])
    const what = after === undefined ? plural(hook.dead.length, 'dead letter') : `every event after position ${after}`
    context.out(`${hook.name}: ${what} will be sent again by the daemon`)
    return EXIT.ok
  })
}

async function shownWebhooks(store: EventStore, { loaded }: Home): Promise<ShownWebhook[]> {
  const records = await store.documents<WebhookRecord>(webhooksProjection.name)
  return Object.entries(loaded.config.webhooks).flatMap(([name, { url, events, secret_file }]) => {
    if (url === null) return []
    const known = records.find(({ state }) => state.name === name)?.state
    const record = known ?? { name, position: 0, delivered: 0, dead: [], retries: [] }
    return [{ ...record, host: new URL(url).host, events, isSigned: secret_file !== null }]
  })
}

function print({ out, style }: CommandContext, hooks: readonly ShownWebhook[]): void {
  if (hooks.length === 0) out('no webhook is configured ([webhooks.<name>] in the settings)')
  for (const { name, host, events, isSigned, delivered, dead, position } of hooks) {
    const signed = isSigned ? '' : ', unsigned'
    out(`${style('bold', name)}  ${host}${signed}  ${plural(delivered, 'event')} delivered, up to position ${position}`)
    out(style('dim', `  ${events.join(' ')}`))
    for (const letter of dead.slice(-5))
      out(
        `  dead: ${letter.type} at position ${letter.position}, ${plural(letter.attempts, 'attempt')}: ${letter.error}`,
      )
    if (dead.length > 0)
      out(`  ${plural(dead.length, 'dead letter')}; signalbox webhooks replay ${name} sends them again`)
  }
}

function positionOf(text: string): number {
  const position = Number(text)
  if (Number.isSafeInteger(position) && position >= 0) return position
  throw new SignalboxError('E_INPUT', `"${text}" is not a position of the log`, {
    next: 'signalbox store prints the number of events',
  })
}
