import { decideRequest } from '../approvals/decide-request.js'
import type { CommandContext } from '../context.js'
import type { InputOf } from '../specs/index.js'

export async function run(context: CommandContext, { args, options }: InputOf<'answer'>): Promise<number> {
  return decideRequest(context, {
    id: args.id,
    wants: 'answer',
    option: args.option ?? null,
    choices: options.choice ?? [],
    text: options.text ?? null,
    note: options.note ?? null,
    edit: null,
    grant: null,
    fingerprint: options.fingerprint ?? null,
    waits: options.wait !== false,
    isJson: options.json === true,
  })
}
