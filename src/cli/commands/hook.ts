import { EXIT } from '../../errors/index.js'
import type { CommandContext } from '../context.js'
import { relayHook } from '../relay/relay-hook.js'
import type { InputOf } from '../specs/index.js'

/** For `--help` and completion; agents call the relay through the short path in `cli.ts`. */
export async function run(context: CommandContext, { args, options }: InputOf<'hook'>): Promise<number> {
  const answer = await relayHook({
    source: args.agent,
    event: args.event ?? null,
    mayHold: options.hold === true,
    env: context.env,
    cwd: context.cwd,
    input: process.stdin,
  })
  if (answer !== null) context.write(answer)
  return EXIT.ok
}
