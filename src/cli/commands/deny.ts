import { SignalboxError } from '../../errors/index.js'
import { denyEverything } from '../approvals/decide-batch.js'
import { decideGate } from '../approvals/decide-gate.js'
import { decideFromCli } from '../approvals/decide-request.js'
import { soleApproval } from '../approvals/sole-approval.js'
import type { CommandContext } from '../context.js'
import type { CommandInput } from '../specs/command-spec.js'

export async function run(context: CommandContext, { args, options }: CommandInput): Promise<number> {
  const note = (options.note as string | undefined) ?? null
  const isJson = options.json === true
  if (options.all) {
    if (args.id !== undefined)
      throw new SignalboxError('E_INPUT', 'deny takes an id or --all, not both', { next: 'leave one of them out' })
    return denyEverything(context, { note, isJson })
  }
  const id = args.id === undefined ? await soleApproval(context, 'deny') : String(args.id)
  const gate = await decideGate(context, {
    id,
    wants: 'deny',
    option: (options.option as string | undefined) ?? null,
    note,
    edit: null,
    fingerprint: null,
    isJson,
  })
  if (gate !== null) return gate
  return decideFromCli(context, {
    id,
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
