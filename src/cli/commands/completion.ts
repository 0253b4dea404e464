import { EXIT, SignalboxError } from '../../errors/index.js'
import { COMPLETION_SCRIPTS } from '../completion/completion-scripts.js'
import type { CommandContext } from '../context.js'
import type { InputOf } from '../specs/index.js'

export async function run(context: CommandContext, { args }: InputOf<'completion'>): Promise<number> {
  const script = COMPLETION_SCRIPTS[args.shell]
  if (!script) throw new SignalboxError('E_INPUT', `unknown shell "${args.shell}"`, { next: 'use bash, zsh or fish' })
  context.out(script)
  return EXIT.ok
}
