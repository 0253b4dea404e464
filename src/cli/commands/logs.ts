import { EXIT } from '../../errors/index.js'
import type { CommandContext } from '../context.js'
import { followInTerminal } from '../runs/drive-run.js'
import { findRunFor, withRuns } from '../runs/with-store.js'
import type { InputOf } from '../specs/index.js'

export async function run(context: CommandContext, { args, options }: InputOf<'logs'>): Promise<number> {
  return withRuns(context, { mayAsk: false }, async start => {
    const record = await findRunFor(context, start.store, args.run)
    const isFollowing = options.follow === true
    await followInTerminal(context, start, record, { step: args.step ?? null, isFollowing, json: options.json })
    return EXIT.ok
  })
}
