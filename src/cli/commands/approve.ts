import { approveAllLike } from '../approvals/decide-batch.js'
import { decideRequest } from '../approvals/decide-request.js'
import { grantRequest } from '../approvals/grant-options.js'
import type { CommandContext } from '../context.js'
import type { CommandInput } from '../specs/command-spec.js'

export async function run(context: CommandContext, { args, options }: CommandInput): Promise<number> {
  const id = args.id as string | undefined
  const note = (options.note as string | undefined) ?? null
  const isJson = options.json === true
  if (options.allLike) return approveAllLike(context, { id, note, isJson })
  return decideRequest(context, {
    id,
    wants: 'allow',
    option: (options.option as string | undefined) ?? null,
    choices: [],
    text: null,
    note,
    edit: (options.edit as string | undefined) ?? null,
    grant: grantRequest(options, context.cwd),
    fingerprint: (options.fingerprint as string | undefined) ?? null,
    waits: options.wait !== false,
    isJson,
  })
}
