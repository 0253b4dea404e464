import { resolve } from 'node:path'
import { EXIT, SignalboxError } from '../../errors/index.js'
import type { Grant, InMilliseconds, StandingPreview } from '../../server/index.js'
import { plural, riskWord, visibleText } from '../../text/index.js'
import { askYes } from '../ask.js'
import type { CommandContext } from '../context.js'
import type { DaemonClient } from '../daemon-client.js'
import type { InputOf } from '../specs/index.js'

const SHOWN = 10

/** Shows what the pattern would have covered, and asks before it is allowed from now on. */
export async function addStanding(
  context: CommandContext,
  client: DaemonClient,
  { caller, pattern, options }: { caller: object; pattern: string; options: InputOf<'grants'>['options'] },
): Promise<number> {
  const words = pattern.split(/\s+/).filter(word => word !== '')
  const { files: directory } = options
  if ((words.length === 0) === (directory === undefined))
    throw new SignalboxError('E_INPUT', 'grants add needs a command or --files', {
      next: 'signalbox grants add "npm test", or signalbox grants add --files docs',
    })
  const project = resolve(context.cwd, options.project ?? '.')
  const match =
    directory === undefined ? { kind: 'prefix', words } : { kind: 'path', directory: resolve(project, directory) }
  const body = {
    ...caller,
    project,
    match,
    agent: options.agent ?? null,
    ...(options.note !== undefined && { note: options.note }),
  }
  const preview = await client.post<StandingPreview>('/grants/preview', body)
  if (options.preview && options.json) {
    context.json(preview)
    return EXIT.ok
  }
  if (!options.json) printPreview(context, preview)
  if (options.preview) return EXIT.ok
  const what = directory === undefined ? `commands that begin with "${words.join(' ')}"` : `edits below ${directory}`
  await confirm(context, `Always allow ${what} in ${project}, until you revoke it?`, options.yes === true)
  const made = await client.post<Grant>('/grants', body)
  if (options.json) context.json(made)
  else context.out(`${made.id}: standing approval; signalbox grants revoke ${made.id} ends it`)
  return EXIT.ok
}

async function confirm({ isInteractive }: CommandContext, question: string, isSure: boolean): Promise<void> {
  if (isSure) return
  if (!isInteractive)
    throw new SignalboxError('E_NEEDS_HUMAN', 'a standing approval needs your confirmation', { next: 'add --yes' })
  if (!(await askYes(question))) throw new SignalboxError('E_ROLE', 'cancelled: nothing was allowed')
}

function printPreview({ out }: CommandContext, { count, denied, items }: InMilliseconds<StandingPreview>): void {
  out(`In the last 30 days it would have allowed ${plural(count, 'request')}, of which ${denied} were denied.`)
  for (const { requestedAt, risk, title, id } of items.slice(0, SHOWN))
    out(
      `  ${new Date(requestedAt).toISOString().slice(0, 16)}  ${riskWord(risk).padEnd(6)}  ${visibleText(title)}  ${id}`,
    )
  if (count > SHOWN) out(`  … and ${count - SHOWN} more`)
  out('It never covers what is rated high.')
}
