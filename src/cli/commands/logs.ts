import { EXIT } from '../../errors/index.js'
import type { CommandContext } from '../context.js'
import { followRun } from '../runs/follow-run.js'
import { findRunFor, withStore } from '../runs/open-runs.js'
import type { CommandInput } from '../specs/command-spec.js'

export async function run(context: CommandContext, { args, options }: CommandInput): Promise<number> {
  return withStore(context, async (store, home) => {
    const record = await findRunFor(context, store, String(args.run))
    await followRun(context, store, home, record, {
      step: (args.step as string | undefined) ?? null,
      isFollowing: options.follow === true,
      isJson: options.json === true,
    })
    return EXIT.ok
  })
}
