import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { newId, systemClock } from '../../clock/index.js'
import { EXIT, SignalboxError } from '../../errors/index.js'
import type { Health, Sent, Session } from '../../server/index.js'
import type { CommandContext } from '../context.js'
import { DaemonClient } from '../daemon-client.js'
import { followTurn } from '../sessions/follow-turn.js'
import { sessionPath } from '../sessions/session-path.js'
import type { CommandInput } from '../specs/command-spec.js'
import { parseSeconds } from './wait.js'

const SAID: Readonly<Record<string, string>> = {
  delivered: 'delivered to',
  queued: 'queued by the agent in',
  held: 'held until the agent rests in',
}

export async function run(context: CommandContext, { args, options }: CommandInput): Promise<number> {
  const { id, text } = wishOf(context, args, options.file as string | undefined)
  const timeoutMs = parseSeconds(options.timeout)
  const client = await DaemonClient.connect(context)
  if (id === undefined) await checkIsText(client, text)
  const session = await client.get<Session>(await sessionPath(client, id))
  const { position } = await client.get<Health>('/health')
  const sent = await post(context, client, `/sessions/${session.id}/messages`, {
    id: newId('msg'),
    text,
    whenBusy: options.queue === undefined ? 'queue' : options.queue ? 'hold' : 'refuse',
    meaning: options.as ?? 'auto',
    clearDraft: options.clearDraft === true,
  })
  if (sent.result === 'refused' || sent.result === 'unconfirmed') {
    if (options.json) context.json(sent)
    else context.note(`signalbox: not delivered: ${sent.detail ?? sent.result}`)
    return sent.reason === 'menu' ? EXIT.needsHuman : EXIT.failed
  }
  if (!options.wait) {
    if (options.json) context.json(sent)
    else context.out(`${SAID[sent.result]} ${session.id}`)
    return EXIT.ok
  }
  if (sent.result !== 'delivered') context.note(`signalbox: ${SAID[sent.result]} ${session.id}`)
  const deadline = timeoutMs === null ? null : systemClock.monotonic() + timeoutMs
  return followTurn(context, client, session.id, {
    since: position,
    deadline,
    isJson: options.json === true,
    prompt: sent.result === 'held' ? { held: sent.prompt! } : sent.result,
  })
}

/** A session's name and nothing else is no prompt for another session: somebody forgot the text. */
async function checkIsText(client: DaemonClient, text: string): Promise<void> {
  if (!/^[\w-]+$/.test(text)) return
  const found = await client.get<Session>(`/sessions/${text}`).catch(() => null)
  if (!found) return
  throw new SignalboxError('E_INPUT', `there is no prompt: ${text} is a session`, {
    next: `signalbox send ${text} "…", or name the session before the word`,
  })
}

/** A daemon that dies meanwhile is followed by another one, which knows the prompt by its name: asked again, it says what became of it. */
async function post(context: CommandContext, client: DaemonClient, path: string, body: object): Promise<Sent> {
  try {
    return await client.post<Sent>(path, body)
  } catch (error) {
    if (!(error instanceof SignalboxError && error.code === 'E_DAEMON_GONE')) throw error
    return (await DaemonClient.connect(context)).post<Sent>(path, body)
  }
}

/** One word alone is the prompt, unless that comes from a file: then it is the session. */
function wishOf(
  context: CommandContext,
  { id, text }: CommandInput['args'],
  file: string | undefined,
): { id: string | undefined; text: string } {
  const isText = text === undefined && file === undefined
  return {
    id: isText ? undefined : (id as string | undefined),
    text: textOf(context, (isText ? id : text) as string | undefined, file),
  }
}

function textOf(context: CommandContext, text: string | undefined, file: string | undefined): string {
  if (file !== undefined) {
    if (text !== undefined)
      throw new SignalboxError('E_INPUT', 'the prompt is given twice', { next: 'either text or --file' })
    try {
      return readFileSync(resolve(context.cwd, file), 'utf8')
    } catch (error) {
      throw new SignalboxError('E_INPUT', `${file} cannot be read`, { next: 'give an existing file', cause: error })
    }
  }
  if (text === undefined)
    throw new SignalboxError('E_INPUT', 'there is no prompt', { next: 'give a text, - for standard input, or --file' })
  return text === '-' ? readFileSync(0, 'utf8') : text
}
