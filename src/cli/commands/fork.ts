import { EXIT } from '../../errors/index.js'
import { forkRun } from '../../runs/index.js'
import type { CommandContext } from '../context.js'
import { driveStarted } from '../runs/drive-run.js'
import { findRunFor, withRuns } from '../runs/with-store.js'
import type { InputOf } from '../specs/index.js'

export async function run(context: CommandContext, { args, options }: InputOf<'fork'>): Promise<number> {
  return withRuns(context, { mayAsk: false }, async start => {
    const record = await findRunFor(context, start.store, args.run)
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
