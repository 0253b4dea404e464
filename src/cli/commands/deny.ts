import { SignalboxError } from '../../errors/index.js'
import { denyEverything } from '../approvals/decide-batch.js'
import { decideRequest } from '../approvals/decide-request.js'
import type { CommandContext } from '../context.js'
import type { CommandInput } from '../specs/command-spec.js'

export async function run(context: CommandContext, { args, options }: CommandInput): Promise<number> {
  const note = (options.note as string | undefined) ?? null
  const isJson = options.json === true
  if (options.all) {
    if (args.id !== undefined)
      throw new SignalboxError('E_INPUT', 'deny takes an id or --all, not both', { next: 'leave out one of them' })
    return denyEverything(context, { note, isJson })
  }
  return decideRequest(context, {
    id: args.id as string | undefined,
    wants: 'deny',
    option: (options.option as string | undefined) ?? null,
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
