import { EXIT } from '../../errors/index.js'
import { forkRun } from '../../runs/index.js'
import type { Session } from '../../server/index.js'
import type { CommandContext } from '../context.js'
import { DaemonClient } from '../daemon-client.js'
import { driveStarted } from '../runs/drive-in-terminal.js'
import { findRunFor, withRuns } from '../runs/with-store.js'
import { printStarted, stringEntries, terminalSize } from '../sessions/session-info.js'
import type { InputOf } from '../specs/index.js'

export async function run(context: CommandContext, { args, options }: InputOf<'fork'>): Promise<number> {
  if (!/^(run_|latest$)/.test(args.id)) return forkSession(context, args.id, options.json)
  return withRuns(context, { mayAsk: false }, async start => {
    const record = await findRunFor(context, start.store, args.id)
    const { next, ...started } = await forkRun(start, record, { at: options.at ?? '', isRewind: options.rewind })
    if (options.run !== false) return driveStarted(context, start, started, options)
    if (options.json) context.json({ run: started.id, next })
    else {
      context.out(started.id)
      for (const notice of started.notices) context.note(notice)
      context.note(`resume with: signalbox resume ${started.id}`)
    }
    return EXIT.ok
  })
}

async function forkSession(context: CommandContext, id: string, isJson: boolean | undefined): Promise<number> {
  const client = await DaemonClient.connect(context)
  const body = { env: stringEntries(context.env), size: terminalSize(context) }
  const session = await client.post<Session>(`/sessions/${encodeURIComponent(id)}/fork`, body)
  if (isJson) context.json(session)
  else printStarted(session, context)
  return EXIT.ok
}
