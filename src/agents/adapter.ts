import type { Clock } from '../clock/index.js'
import type { HeadlessAgent } from './headless/headless.js'
import type { AgentStatement } from './report.js'

/** Describes how to run one coding agent. Adding an agent means adding one such file and a pack. */
export interface AgentAdapter {
  /** The name on the command line. */
  readonly name: string
  /** The name for people. */
  readonly title: string
  /** Pack that describes its screens; null reads by structure alone. */
  readonly pack: string | null
  /**
   * Names of its program, as they appear in `signalbox start -- <program>` and in foreign panes.
   */
  readonly programs: readonly string[]
  /** How to install it, shown when it is missing. */
  readonly install: string
  /** Arguments with which the program updates itself; absent if it has no such command. */
  readonly update?: readonly string[]
  /** Finds the program, without starting it. */
  locate(environment: AgentEnvironment): AgentLocation
  /** How to ask the program for its version; absent if it cannot be asked. */
  readonly version?: { args: readonly string[]; pattern: RegExp }
  /** Whether it is signed in, by names of variables and files; credentials are never read. */
  signIn?(environment: AgentEnvironment): SignIn
  interactive(location: FoundAgent, start: InteractiveStart): AgentCommand
  /**
   * The command that makes it compact a conversation that is nearly full. Absent if it has none.
   */
  readonly compact?: string
  exitId?(rows: readonly string[]): string | null
  /** Arguments that start a new conversation with everything that another one has. */
  fork?(agentSessionId: string): string[]
  /** What it reports about itself besides its screen. */
  readonly reports: {
    osc7501: boolean
    hooks: boolean
    transcript: boolean
    events: boolean
    /** Control sequences by which a terminal can tell its work from its idle state, as recorded. */
    marks?: readonly ('OSC 133' | 'OSC 9;4')[]
  }
  /** Its hooks, configured in files of one session, never in the person's own configuration. */
  readonly hooks?: AgentHooks
  readonly transcript?: AgentTranscript
  /** Its own event channel, on which it reports and accepts answers. */
  readonly events?: AgentEventSource
  /** How it runs one prompt without a terminal. Absent if it cannot. */
  readonly headless?: HeadlessAgent
  /** How it is started to speak the Agent Client Protocol; null if that program is missing. */
  acp?(location: FoundAgent, start: AcpStart): AcpCommand | null
  /** How to install the program that speaks the protocol for it, if that is another one. */
  readonly acpInstall?: string
  /**
   * Over the protocol it must read files itself: because of a bug it treats "file not found" as a
   * failure and then cannot create files.
   */
  readonly acpReadsItself?: true
}

export interface AcpCommand {
  file: string
  args: string[]
  env?: Record<string, string>
}

export interface AcpStart {
  args: readonly string[]
  env: NodeJS.ProcessEnv
  cwd: string
}

export interface AgentEnvironment {
  env: NodeJS.ProcessEnv
  cwd: string
  /** From `agents.<name>.command` in the settings. */
  configuredCommand: string | null
}

export interface FoundAgent {
  found: true
  /** Real path of the program. */
  file: string
  /** Arguments that come first, for programs that are scripts of an interpreter. */
  prefix: string[]
}

export type AgentLocation = FoundAgent | { found: false; looked: string }

export interface SignIn {
  state: 'yes' | 'no' | 'unknown'
  /** The evidence, such as "ANTHROPIC_API_KEY is set". */
  because: string
  /** What to run to sign in. */
  next?: string
}

export interface InteractiveStart {
  args: readonly string[]
  /** The agent's own conversation id to continue. */
  resume: string | null
  /** An id for a new conversation, for agents that accept one. */
  newSessionId: string
  /** The environment of the process, before the adapter's own variables. */
  env?: NodeJS.ProcessEnv
  /** Null if hooks are off (`agents.<name>.hooks = false`) or the agent has none. */
  wiring: HookWiring | null
}

interface AgentCommand {
  file: string
  args: string[]
  env: Record<string, string>
  /** Known at the start only if the agent accepts an id from us. */
  agentSessionId: string | null
}

/** What an agent needs to call `signalbox hook` from inside a session. */
export interface HookWiring {
  /** A directory of this session alone, mode 0700, which exists as long as the session. */
  directory: string
  /** The relay's command: `[node, cli.js, 'hook', <agent>]`; adapters add event and `--hold`. */
  relay: readonly string[]
  /** Whether permission hooks may wait for a person's decision. */
  mayHold: boolean
}

export interface AgentHooks {
  /** Whether a permission hook may block the agent while its own dialog stays answerable. */
  readonly holds: boolean
  /** Translates one hook call. Unknown events give nothing; malformed payloads throw. */
  read(event: string, payload: Readonly<Record<string, unknown>>): AgentStatement[]
  /** Absent if the agent's own settings cannot contain hooks. */
  readonly user?: UserHooks
  /** The JSON answer to a held permission request; null if the decision cannot be expressed. */
  answer?(answer: HookAnswer): string | null
}

/** An agent's hooks in the person's settings, for panes that we did not start. */
export interface UserHooks {
  file(env: NodeJS.ProcessEnv): string
  /** One entry for each event; `line` returns the command for an event. */
  entries(line: (event: string) => string): Readonly<Record<string, object>>
}

/** A decision, in the form that a structured channel can carry. */
export interface HookAnswer {
  behavior: 'allow' | 'deny'
  /** The reason, for the agent. */
  message?: string
  /** The input as edited by the person. */
  updatedInput?: unknown
  /** The agent's own rule for the rest of its session, exactly as it offered it. */
  sessionRule?: unknown
}

/** Where an agent stores its conversation, and how to read it. */
export interface AgentTranscript {
  /** Files that may hold this conversation, most likely first, by names and times alone. */
  locate(lookup: TranscriptLookup): Promise<string[]>
  /** How the file grows: appended lines, rewritten as a whole, or rows of an SQLite file. */
  readonly form: 'lines' | 'whole' | 'sqlite'
  /**
   * Opens a reader at the beginning of one transcript. It remembers what it has read, so the same
   * record is reported once. `lookup` is for agents that keep all conversations in one file.
   */
  open(path: string, lookup?: TranscriptLookup): TranscriptReader
}

export interface TranscriptLookup {
  env: NodeJS.ProcessEnv
  cwd: string
  agentSessionId: string | null
  /** Wall-clock milliseconds: files last written earlier belong to other sessions. */
  startedAt: number
}

export interface TranscriptReader {
  /** Reads what is new. Incomplete lines wait; foreign records are skipped and counted. */
  read(): Promise<TranscriptUpdate>
  close(): void
}

export interface TranscriptUpdate {
  statements: (AgentStatement & { at: number | null })[]
  /** Records that could not be parsed. */
  skipped: number
}

export interface AgentEventSource {
  /** Starts listening; null if this session was started without the channel. */
  open(options: EventsOptions): AgentEvents | null
}

export interface EventsOptions {
  /** The session directory in which its hooks were configured. */
  directory: string
  clock: Clock
}

export interface AgentEvents {
  /** `id` is equal for repetitions of a report; `at` is wall-clock ms, if the agent has it. */
  onStatement(listener: (statement: AgentStatement, about: { id: string; at: number | null }) => void): void
  answer(key: string, answer: EventsAnswer): Promise<'taken' | 'gone' | 'unreachable'>
  close(): void
}

export interface EventsAnswer {
  behavior: 'once' | 'always' | 'deny'
  /** The reason, for the agent. */
  message?: string
}
