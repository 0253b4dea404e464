import { approveAllLike } from '../approvals/decide-batch.js'
import { decideRequest } from '../approvals/decide-request.js'
import { grantRequest } from '../approvals/grant-options.js'
import type { CommandContext } from '../context.js'
import type { InputOf } from '../specs/index.js'

export async function run(context: CommandContext, { args, options }: InputOf<'approve'>): Promise<number> {
  const { id } = args
  const { note = null } = options
  const isJson = options.json === true
  if (options.allLike) return approveAllLike(context, { id, note, isJson })
  return decideRequest(context, {
    id,
    wants: 'allow',
    option: options.option ?? null,
    choices: [],
    text: null,
    note,
    edit: options.edit ?? null,
    grant: grantRequest(options, context.cwd),
    fingerprint: options.fingerprint ?? null,
    waits: options.wait !== false,
    isJson,
  })
}
