import { EXIT } from '../../errors/index.js'
import type { CommandContext } from '../context.js'
import { relayHook } from '../relay/relay-hook.js'
import type { CommandInput } from '../specs/command-spec.js'

/** The long way to the relay, for `--help` and completion; agents take the short one of `cli.ts`. */
export async function run(context: CommandContext, { args, options }: CommandInput): Promise<number> {
  const answer = await relayHook({
    source: String(args.agent),
    event: (args.event as string | undefined) ?? null,
    mayHold: options.hold === true,
    env: context.env,
    cwd: context.cwd,
    input: process.stdin,
  })
  if (answer !== null) context.write(answer)
  return EXIT.ok
}
