import { EXIT, SignalboxError } from '../../errors/index.js'
import { closestMatch } from '../../text/index.js'
import type { CommandInput } from '../command-spec.js'
import type { CommandContext } from '../context.js'
import { SHELL_SCRIPTS } from '../watch/shell-scripts.js'

export async function run(context: CommandContext, { args }: CommandInput): Promise<number> {
  const shell = String(args.shell)
  const script = Object.hasOwn(SHELL_SCRIPTS, shell) ? SHELL_SCRIPTS[shell as keyof typeof SHELL_SCRIPTS] : undefined
  if (script === undefined) {
    const close = closestMatch(shell, Object.keys(SHELL_SCRIPTS))
    throw new SignalboxError(
      'E_INPUT',
      `there is no integration for "${shell}"${close ? `; did you mean ${close}?` : ''}`,
      {
        next: `known: ${Object.keys(SHELL_SCRIPTS).join(', ')}`,
      },
    )
  }
  context.write(script)
  return EXIT.ok
}
