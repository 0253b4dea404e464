import { Command, CommanderError, Option, type OutputConfiguration } from 'commander'
import { EXIT, exitCodeOf, toSignalboxError } from '../errors/index.js'
import { type CommandContext, processContext } from './context.js'
import { describeError } from './describe-error.js'
import type { CommandInput, CommandSpec } from './specs/command-spec.js'
import { COMMANDS } from './specs/index.js'
import { version } from './version.js'

const GROUPS: Record<CommandSpec['group'], string> = {
  everyday: 'Every day:',
  sessions: 'Sessions:',
  approvals: 'Approvals:',
  runs: 'Runs:',
  screens: 'Screens:',
  setup: 'Set-up:',
}

/** Runs one command line and gives its exit code. Everything a command throws ends here, as one line. */
export async function main(argv: readonly string[], context: CommandContext = processContext()): Promise<number> {
  ignoreBrokenPipe()
  // Only a command that runs other programs takes the words behind `--` as theirs; elsewhere `--` ends the options, as usual.
  const takesRest = COMMANDS.some(spec => spec.rest !== undefined && spec.name === argv[0])
  const separator = takesRest ? argv.indexOf('--') : -1
  const words = separator < 0 ? argv : argv.slice(0, separator)
  const rest = separator < 0 ? null : argv.slice(separator + 1)
  let code: number = EXIT.ok
  const program = buildProgram(async (spec, input) => {
    const command = await spec.load()
    code = await command.run(context, { ...input, rest })
  })
  try {
    await program.parseAsync(words.length === 0 && !rest ? ['status'] : [...words], { from: 'user' })
    return code
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage
    const known = toSignalboxError(error)
    context.note(describeError(known, { isDebug: Boolean(context.env.SIGNALBOX_DEBUG) }))
    return exitCodeOf(known)
  }
}

function buildProgram(run: (spec: CommandSpec, input: Omit<CommandInput, 'rest'>) => Promise<void>): Command {
  const program = new Command('signalbox')
    .description('Runs coding agents in real terminals, sees what is on their screens, and calls you only when needed.')
    .version(version(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .helpCommand('help [command]', 'print help for a command')
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput(oneLineErrors('signalbox'))
  for (const spec of COMMANDS) program.addCommand(buildCommand(spec, run), { hidden: spec.hidden ?? false })
  program.addHelpText(
    'after',
    '\nWithout a command: what needs you now.\nDocumentation: docs/ in the package; every command has --help with examples.',
  )
  return program
}

function buildCommand(
  spec: CommandSpec,
  run: (spec: CommandSpec, input: Omit<CommandInput, 'rest'>) => Promise<void>,
): Command {
  const command = new Command(spec.name)
    .description(spec.summary)
    .exitOverride()
    .configureOutput(oneLineErrors(`signalbox ${spec.name}`))
    .helpGroup(GROUPS[spec.group])
  for (const argument of spec.arguments ?? []) command.argument(argumentUsage(argument), argument.description)
  for (const option of spec.options ?? []) {
    const made = new Option(option.flags, option.description)
    if (option.choices) made.choices([...option.choices])
    if (option.repeatable) made.argParser((value: string, before: string[] | undefined) => [...(before ?? []), value])
    command.addOption(made)
  }
  if (spec.rest) command.usage(`${command.usage()} ${spec.rest}`)
  if (spec.details) command.addHelpText('after', `\n${spec.details}`)
  const width = Math.max(...spec.examples.map(([line]) => line.length))
  const examples = spec.examples.map(([line, meaning]) => `  ${line.padEnd(width)}  ${meaning}`)
  command.addHelpText('after', `\nExamples:\n${examples.join('\n')}`)
  command.action(async () => {
    const args = Object.fromEntries(
      (spec.arguments ?? []).map(({ name }, index) => [name, command.processedArgs[index] as string | undefined]),
    )
    await run(spec, { args, options: command.opts() })
  })
  return command
}

/** Commander writes a mistake and its suggestion on lines of their own; here every error is one line of the same form. */
function oneLineErrors(command: string): OutputConfiguration {
  return {
    outputError: (text, write) => {
      const [what = '', ...more] = text
        .trim()
        .replace(/^error: /, '')
        .split('\n')
      const hints = more.map(hint => hint.replace(/^\((.*)\)$/, '$1').replace(/^D/, 'd'))
      write(`signalbox: ${[what, ...hints].join('; ')} (${command} --help)\n`)
    },
  }
}

function argumentUsage({ name, optional, variadic }: { name: string; optional?: boolean; variadic?: boolean }): string {
  const inner = variadic ? `${name}...` : name
  return optional ? `[${inner}]` : `<${inner}>`
}

/** `signalbox … | head` closes our output early: that is the reader's right, not an error. */
function ignoreBrokenPipe(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') process.exit(EXIT.ok)
    })
  }
}
