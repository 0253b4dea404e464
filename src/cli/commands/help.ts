import { EXIT, SignalboxError } from '../../errors/index.js'
import { closestMatch } from '../../text/index.js'
import type { CommandContext } from '../context.js'
import { helpColumns, longHelp, shortHelp } from '../help.js'
import { COMMANDS, type InputOf } from '../specs/index.js'

export async function run(context: CommandContext, { args, options }: InputOf<'help'>): Promise<number> {
  const { command } = args
  if (command === undefined) {
    context.write(`${options.all ? longHelp(helpColumns()) : shortHelp(helpColumns())}\n`.replace(/\n+$/, '\n'))
    return EXIT.ok
  }
  const names = COMMANDS.flatMap(({ name, aliases = [] }) => [name, ...aliases])
  if (!names.includes(command)) {
    const close = closestMatch(command, names)
    throw new SignalboxError('E_INPUT', `unknown command "${command}"${close ? `; did you mean "${close}"?` : ''}`, {
      next: 'signalbox help --all lists the commands',
    })
  }
  const { main } = await import('../main.js')
  return main([command, '--help'], context)
}
