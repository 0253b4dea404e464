import { decideRequest } from '../approvals/decide-request.js'
import type { CommandContext } from '../context.js'
import type { CommandInput } from '../specs/command-spec.js'

export async function run(context: CommandContext, { args, options }: CommandInput): Promise<number> {
  return decideRequest(context, {
    id: String(args.id),
    wants: 'answer',
    option: (args.option as string | undefined) ?? null,
    choices: (options.choice as string[] | undefined) ?? [],
    text: (options.text as string | undefined) ?? null,
    note: (options.note as string | undefined) ?? null,
    edit: null,
    grant: null,
    fingerprint: (options.fingerprint as string | undefined) ?? null,
    waits: options.wait !== false,
    isJson: options.json === true,
  })
}
