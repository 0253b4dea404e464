/**
 * A command as data: its help, completion, reference page and the types of its input come from
 * here. Spec files import nothing but this file, because `signalbox --help` loads them all.
 */
export interface CommandSpec {
  /** One line for the list of commands. */
  summary: string
  /** In the short list of `signalbox --help`; the others are in `signalbox help --all`. */
  daily?: boolean
  /** Other names for the same command. */
  aliases?: readonly string[]
  group: 'everyday' | 'sessions' | 'approvals' | 'runs' | 'screens' | 'setup'
  arguments?: readonly ArgumentSpec[]
  options?: readonly OptionSpec[]
  /** The command takes the words after `--` as they are; this text names them in the usage line. */
  rest?: string
  /** More than the summary, below the options. */
  details?: string
  examples: readonly (readonly [command: string, meaning: string])[]
  hidden?: boolean
}

interface ArgumentSpec {
  name: string
  description: string
  optional?: boolean
  variadic?: boolean
  /** What shell completion offers here. */
  completes?: CompletionKind | readonly string[]
}

/** `session`: running ones; `resumable`: sessions and runs that `signalbox resume` continues. */
export type CompletionKind = 'session' | 'resumable' | 'approval' | 'run' | 'agent' | 'command' | 'file' | 'directory'

interface OptionSpec {
  /** As commander writes them: `--for <what>`, `-f, --follow`. */
  flags: string
  description: string
  choices?: readonly string[]
  repeatable?: boolean
}

export type CommandSpecs = Readonly<Record<string, CommandSpec>>

/** What was typed. `rest` is what came after `--`, or null if there was no `--`. */
export interface CommandInput<Args = Record<string, string | string[] | undefined>, Options = Record<string, unknown>> {
  args: Args
  options: Options
  rest: string[] | null
}

export type InputOfSpec<Spec extends CommandSpec> = CommandInput<ArgsOf<Spec>, OptionsOf<Spec>>

type ArgsOf<Spec extends CommandSpec> = Spec extends { arguments: infer Arguments extends readonly ArgumentSpec[] }
  ? { [Argument in Arguments[number] as Argument['name']]: ArgumentValue<Argument> }
  : Record<never, never>

type ArgumentValue<Argument extends ArgumentSpec> = Argument extends { variadic: true }
  ? string[]
  : Argument extends { optional: true }
    ? string | undefined
    : string

type OptionsOf<Spec extends CommandSpec> = Spec extends { options: infer Options extends readonly OptionSpec[] }
  ? { [Option in Options[number] as OptionName<Option['flags']>]?: OptionValue<Option> | undefined }
  : Record<never, never>

/** `-o, --output <file>` → `output`, `--max-cost <usd>` → `maxCost`, `--no-ask` → `ask`. */
type OptionName<Flags extends string> =
  LongName<Flags> extends `no-${infer Name}` ? Camel<Name> : Camel<LongName<Flags>>

type LongFlag<Flags extends string> = Flags extends `${string}--${infer Long}` ? Long : never

type LongName<Flags extends string> = LongFlag<Flags> extends `${infer Name} ${string}` ? Name : LongFlag<Flags>

type Camel<Text extends string> = Text extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : Text

type OptionValue<Option extends OptionSpec> = Option extends { repeatable: true }
  ? string[]
  : Option extends { choices: readonly (infer Choice)[] }
    ? Choice
    : LongFlag<Option['flags']> extends `${string} <${string}`
      ? string
      : LongFlag<Option['flags']> extends `${string} [${string}`
        ? string | true
        : boolean

/** The option of every command that prints data. */
export const JSON_OPTION = {
  flags: '--json',
  description: 'print JSON: one value, or one per line for streams',
} as const

export const RUN_ARGUMENT = {
  name: 'run',
  description: 'the run: its id, a unique prefix of it, or latest',
  completes: 'run',
} as const

/** Where agents run, and what they reach. */
export const SANDBOX_OPTIONS = [
  { flags: '--sandbox [kind]', description: 'in a sandbox: auto (default), off, docker:<image>, podman:<image>' },
  { flags: '--network <mode>', description: 'network of the sandbox: off, filtered or on' },
] as const

/** Where a run is performed: options of every command that starts one. */
export const PLACEMENT_OPTIONS = [
  { flags: '--on <worker>', description: 'run it on this worker; any: on one that has room' },
  { flags: '--pool <name>', description: 'run it on a worker of this pool' },
  { flags: '--needs <key=value>', description: 'a label that the worker must have; repeatable', repeatable: true },
] as const
