import type { CommandInput } from '../command-spec.js'
import type { CommandContext } from '../context.js'
import { decideFromCli } from '../decide-command.js'

export async function run(context: CommandContext, { args, options }: CommandInput): Promise<number> {
  return decideFromCli(context, {
    id: String(args.id),
    wants: 'allow',
    option: (options.option as string | undefined) ?? null,
    fingerprint: (options.fingerprint as string | undefined) ?? null,
    note: (options.note as string | undefined) ?? null,
    isJson: options.json === true,
  })
}
