import { Command, CommanderError, Option, type OutputConfiguration } from 'commander'
import { EXIT, exitCodeOf, type SignalboxError, toSignalboxError } from '../errors/index.js'
import { openHome } from '../host/home/index.js'
import { startTracing, type Tracing, traced } from '../telemetry/index.js'
import { LOADERS } from './commands/index.js'
import { type CommandContext, processContext } from './context.js'
import { helpColumns, shortHelp, twoColumns, wrapText } from './help.js'
import type { CommandInput } from './specs/command-spec.js'
import { COMMANDS, type NamedCommand } from './specs/index.js'
import { version } from './version.js'

/** Wraps descriptions even where the names of commands leave them little room, as in 80 columns. */
const HELP = { minWidthToWrap: 20 }

type RunCommand = (command: NamedCommand, input: Omit<CommandInput, 'rest'>) => Promise<void>

/**
 * Runs one command line and returns its exit code. Prints an error of a command.
 */
export async function main(argv: readonly string[], context: CommandContext = processContext()): Promise<number> {
  ignoreBrokenPipe()
  // For a command that runs other programs the words after `--` are theirs; elsewhere `--` ends the
  // options.
  const takesRest = COMMANDS.some(command => command.rest !== undefined && isNamed(command, argv[0]))
  const separator = takesRest ? argv.indexOf('--') : -1
  const words = separator < 0 ? argv : argv.slice(0, separator)
  const rest = separator < 0 ? null : argv.slice(separator + 1)
  let code: number = EXIT.ok
  // Building all commands takes longer than most of them: only help and mistakes need them.
  const called = COMMANDS.filter(command => isNamed(command, words[0]))
  const commands = called.length > 0 ? called : COMMANDS
  const program = buildProgram(context, commands, async ({ name }, input) => {
    const { run } = await LOADERS[name]()
    // The spec that parsed the arguments also gives `run` its input type.
    code = await inTrace(context, name, () => run(context, { ...input, rest } as never))
  })
  try {
    await program.parseAsync(words.length === 0 && !rest ? [defaultCommand(context)] : [...words], { from: 'user' })
    return code
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage
    const known = toSignalboxError(error)
    context.note(
      words.includes('--json')
        ? JSON.stringify({ error: errorFields(known) })
        : describeError(known, {
            isDebug: Boolean(context.env.SIGNALBOX_DEBUG),
            columns: process.stderr.isTTY ? context.columns : null,
          }),
    )
    return exitCodeOf(known)
  }
}

/** Commands that run until they are stopped are traced by what they do, not as a whole. */
const LONG_RUNNING: readonly string[] = ['serve', 'worker', 'watch', 'attach', 'demo', 'mcp', 'acp']

async function inTrace(context: CommandContext, name: string, work: () => Promise<number>): Promise<number> {
  const tracing = LONG_RUNNING.includes(name) ? null : await traceCommand(context)
  if (!tracing) return work()
  try {
    return await traced(`signalbox ${name}`, {}, work)
  } finally {
    await tracing.close()
  }
}

/** Settings that cannot be read are reported by the command itself. */
async function traceCommand(context: CommandContext): Promise<Tracing | null> {
  const { env } = context
  try {
    const { endpoint } = openHome(context).loaded.config.telemetry
    return await startTracing({ endpoint, service: 'signalbox-cli', version: version(), env })
  } catch {
    return null
  }
}

/** Without a command, a terminal shows everything live; pipes and programs get a list. */
function defaultCommand({ isInteractive }: CommandContext): string {
  return isInteractive ? 'watch' : 'status'
}

function buildProgram(context: CommandContext, commands: readonly NamedCommand[], run: RunCommand): Command {
  const program = new Command('signalbox')
    .version(version(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .helpCommand(false)
    .enablePositionalOptions()
    .configureHelp({ ...HELP, formatHelp: () => shortHelp(helpColumns()) })
    .exitOverride()
    .configureOutput(outputTo(context, 'signalbox'))
  for (const command of commands)
    program.addCommand(buildCommand(context, command, run), { hidden: command.hidden ?? false })
  return program
}

function buildCommand(context: CommandContext, spec: NamedCommand, run: RunCommand): Command {
  const command = new Command(spec.name)
    .description(spec.summary)
    .configureHelp(HELP)
    .exitOverride()
    .aliases([...(spec.aliases ?? [])])
  command.configureOutput(outputTo(context, `signalbox ${spec.name}`, () => wrongAction(spec, command.args)))
  for (const argument of spec.arguments ?? []) command.argument(argumentUsage(argument), argument.description)
  for (const option of spec.options ?? []) {
    const made = new Option(option.flags, option.description)
    if (option.choices) made.choices([...option.choices])
    if (option.repeatable) made.argParser((value: string, before: string[] | undefined) => [...(before ?? []), value])
    command.addOption(made)
  }
  if (spec.rest) command.usage(`${command.usage()} ${spec.rest}`)
  if (spec.details) command.addHelpText('after', `\n${wrapText(spec.details, helpColumns()).join('\n')}`)
  command.addHelpText('after', `\nExamples:\n${twoColumns(spec.examples, helpColumns())}`)
  command.action(async () => {
    const args = Object.fromEntries(
      (spec.arguments ?? []).map(({ name }, index) => [name, command.processedArgs[index] as string | undefined]),
    )
    await run(spec, { args, options: command.opts() })
  })
  return command
}

/** Words that people type, and how it is done here. */
const COMMAND_SYNONYMS: Readonly<Record<string, string>> = {
  restart: 'signalbox serve --restart',
  uninstall: 'signalbox serve --stop, then remove what signalbox paths lists, and npm uninstall -g signalbox',
  web: 'signalbox open',
  dashboard: 'signalbox open',
  list: 'signalbox sessions',
  kill: 'signalbox stop',
  exec: 'signalbox send',
  settings: 'signalbox config',
  'approve --yes': 'a script gives --fingerprint; signalbox approvals --json has it',
}

/**
 * Commander prints a mistake and its suggestion on separate lines; here every error is one line.
 */
function outputTo(
  context: CommandContext,
  command: string,
  wrong: () => string | null = () => null,
): OutputConfiguration {
  return {
    writeOut: text => context.write(text),
    writeErr: text => context.note(text.trimEnd()),
    outputError: (text, write) => {
      const [what = '', ...more] = text
        .trim()
        .replace(/^error: /, '')
        .split('\n')
      const action = what.startsWith('missing required argument') ? wrong() : null
      if (action) return write(`signalbox: ${action}\n`)
      const [, kind, name] = /^unknown (command|option) '(.+)'/.exec(what) ?? []
      const word = kind === 'option' ? `${command.replace('signalbox ', '')} ${name}` : (name ?? '')
      const other = Object.hasOwn(COMMAND_SYNONYMS, word) ? COMMAND_SYNONYMS[word] : undefined
      const hints = more.map(hint => hint.replace(/^\((.*)\)$/, '$1').replace(/^D/, 'd'))
      const message = other === undefined ? [what, ...hints].join('; ') : what
      write(`signalbox: ${message} (${other ?? `${command} --help`})\n`)
    },
  }
}

/** An unknown action explains more than the arguments that it lacks. */
function wrongAction(spec: NamedCommand, [word]: readonly string[]): string | null {
  const actions = spec.arguments?.[0]?.completes
  if (word === undefined || !Array.isArray(actions) || actions.includes(word)) return null
  return `unknown action "${word}" (use ${actions.join(', ')})`
}

function isNamed({ name, aliases }: NamedCommand, word: string | undefined): boolean {
  return word !== undefined && (name === word || (aliases ?? []).includes(word))
}

function argumentUsage({ name, optional, variadic }: { name: string; optional?: boolean; variadic?: boolean }): string {
  const inner = variadic ? `${name}...` : name
  return optional ? `[${inner}]` : `<${inner}>`
}

/** `signalbox … | head` closes the output early, which is not an error. */
function ignoreBrokenPipe(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') process.exit(EXIT.ok)
    })
  }
}

/** An error for programs that read JSON. */
function errorFields({ code, message, next, place }: SignalboxError) {
  return { code, message, ...(next && { next }), ...(place && { place }) }
}

/** In brackets; behind a colon or on its own line where brackets would meet brackets. */
function nextStep(message: string, next: string): string {
  if (next.includes('(')) return `\n→ ${next}`
  return message.endsWith(')') ? `: ${next}` : ` (${next})`
}

/**
 * Where, what is wrong, and what to do next: in one line, or in a terminal with `columns` on lines
 * that are broken after words, the next step on a line of its own. With `isDebug` also the stack.
 */
export function describeError(
  error: SignalboxError,
  { isDebug, columns = null }: { isDebug: boolean; columns?: number | null },
): string {
  const { place, next } = error
  const at = place ? [place.file, place.line, place.column].filter(part => part !== undefined).join(':') : ''
  const where = at === '' || error.message.includes(at) ? '' : `${at}: `
  const what = `signalbox: ${where}${error.message}`
  const line =
    columns === null
      ? `${what}${next ? nextStep(error.message, next) : ''}`
      : [what, ...(next ? [`→ ${next}`] : [])].flatMap(part => wrapText(part, columns)).join('\n')
  if (!isDebug) return line
  const cause = error.cause instanceof Error ? `\ncaused by ${error.cause.stack}` : ''
  return `${line}\n[${error.code}] ${error.stack}${cause}`
}
