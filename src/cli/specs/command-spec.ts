import type { CommandContext } from '../context.js'

/**
 * A command as data: help, completion and the reference page are made from it, and its code is loaded only when it is run.
 * Keep imports out of the spec files: they are on the path of `signalbox --help`.
 */
export interface CommandSpec {
  name: string
  /** One line for the list of commands. */
  summary: string
  /** Group in `--help`. */
  group: 'everyday' | 'sessions' | 'approvals' | 'runs' | 'screens' | 'setup'
  arguments?: readonly ArgumentSpec[]
  options?: readonly OptionSpec[]
  /** Takes words behind `--` as they are; the text names them in the usage line. */
  rest?: string
  /** What the person may want to know beyond the summary. */
  details?: string
  examples: readonly (readonly [command: string, meaning: string])[]
  hidden?: boolean
  load(): Promise<{ run(context: CommandContext, input: CommandInput): Promise<number> }>
}

export interface ArgumentSpec {
  name: string
  description: string
  optional?: boolean
  variadic?: boolean
  /** What shell completion offers here. */
  completes?: 'session' | 'approval' | 'run' | 'agent' | 'file' | 'directory' | readonly string[]
}

export interface OptionSpec {
  /** As commander writes them: `--for <what>`, `-f, --follow`. */
  flags: string
  description: string
  choices?: readonly string[]
  repeatable?: boolean
}

/** What was typed, by name. `rest` is what stood behind `--`, or null when there was no `--`. */
export interface CommandInput {
  args: Record<string, string | string[] | undefined>
  options: Record<string, unknown>
  rest: string[] | null
}

/** The option every reading command has. */
export const JSON_OPTION: OptionSpec = {
  flags: '--json',
  description: 'machine-readable output (one JSON value, or NDJSON for streams)',
}

export const RUN_ARGUMENT = {
  name: 'run',
  description: 'the run: its id, a unique beginning of it, or latest',
  completes: 'run',
} as const
