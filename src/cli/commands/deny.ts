import { SignalboxError } from '../../errors/index.js'
import { denyEverything } from '../approvals/decide-batch.js'
import { decideRequest } from '../approvals/decide-request.js'
import type { CommandContext } from '../context.js'
import type { InputOf } from '../specs/index.js'

export async function run(context: CommandContext, { args, options }: InputOf<'deny'>): Promise<number> {
  const { note = null } = options
  const isJson = options.json === true
  if (options.all) {
    if (args.id !== undefined)
      throw new SignalboxError('E_INPUT', 'deny takes an id or --all, not both', { next: 'leave out one of them' })
    return denyEverything(context, { note, isJson })
  }
  return decideRequest(context, {
    id: args.id,
    wants: 'deny',
    option: options.option ?? null,
    choices: [],
    text: null,
    note,
    thenInterrupt: options.interrupt === true,
    edit: null,
    grant: null,
    fingerprint: null,
    waits: options.wait !== false,
    isJson,
  })
}
