import { EXIT } from '../../errors/index.js'
import type { Session } from '../../server/index.js'
import type { CommandContext } from '../context.js'
import { DaemonClient } from '../daemon-client.js'
import { stringEntries, terminalSize } from '../sessions/own-terminal.js'
import { printStarted } from '../sessions/session-info.js'
import type { CommandInput } from '../specs/command-spec.js'

export async function run(context: CommandContext, input: CommandInput): Promise<number> {
  if (input.options.queued) {
    const { resumeQueued } = await import('../pipelines/resume-pipeline.js')
    return resumeQueued(context, input.options)
  }
  if (input.args.id === undefined) {
    const { onlyCandidate } = await import('../pipelines/resume-pipeline.js')
    return run(context, { ...input, args: { ...input.args, id: await onlyCandidate(context) } })
  }
  const word = String(input.args.id)
  if (/^(run_|latest$)/.test(word) || word.endsWith('.json')) {
    const { resumeRunOrCheckpoint } = await import('../graphs/resume-run.js')
    return resumeRunOrCheckpoint(context, word, input)
  }
  const { options } = input
  const client = await DaemonClient.connect(context)
  const session = await client.post<Session>(`/sessions/${encodeURIComponent(word)}/resume`, {
    env: stringEntries(context.env),
    size: terminalSize(context),
  })
  if (options.attach) {
    const { attachTo } = await import('../attach/attach.js')
    return attachTo(context, client, session.id, { isViewOnly: false })
  }
  if (options.json) context.json(session)
  else printStarted(session, context)
  return EXIT.ok
}
