import type { Clock } from '../clock/index.js'
import type { HeadlessAgent } from './headless/headless.js'
import type { AgentStatement } from './report.js'

/** How one coding agent is run. One file an agent; adding an agent is adding a file here and a pack. */
export interface AgentAdapter {
  /** The name on the command line. */
  readonly name: string
  /** The name for people. */
  readonly title: string
  /** Pack that describes its screens; null reads by structure alone. */
  readonly pack: string | null
  /** Names of its program, as `signalbox start -- <program>` and a foreign pane show them. */
  readonly programs: readonly string[]
  /** How to get it when it is missing. */
  readonly install: string
  /** Arguments with which the program brings itself up to date; left out where it has no such command. */
  readonly update?: readonly string[]
  /** Finds the program, without starting it. */
  locate(environment: AgentEnvironment): AgentLocation
  /** Asks the program for its version; left out where there is nothing to ask. */
  readonly version?: { args: readonly string[]; pattern: RegExp }
  /** Whether it is signed in, as far as names of variables and files tell. Contents of credentials are never read. */
  signIn?(environment: AgentEnvironment): SignIn
  /** The command line that starts it in a terminal. */
  interactive(location: FoundAgent, start: InteractiveStart): AgentCommand
  /** What to send so that it makes room in a conversation that is nearly full. Left out: it has no such command. */
  readonly compact?: string
  /** The agent's own id of the conversation in the rows that it leaves behind when it ends. */
  exitId?(rows: readonly string[]): string | null
  /** What it tells about itself beside its screen. */
  readonly tells: { osc7501: boolean; hooks: boolean; transcript: boolean; events: boolean }
  /** Its hooks: wired for one session, in files of that session alone, never in the person's own configuration. */
  readonly hooks?: AgentHooks
  /** Its own record of the conversation. */
  readonly transcript?: AgentTranscript
  /** A channel of its own, on which it tells what happens and takes answers. */
  readonly events?: AgentEventSource
  /** How it works through one prompt without a terminal. Left out: it cannot. */
  readonly headless?: HeadlessAgent
}

export interface AgentEnvironment {
  env: NodeJS.ProcessEnv
  cwd: string
  /** From `agents.<name>.command` of the settings. */
  configuredCommand: string | null
}

export interface FoundAgent {
  found: true
  /** Real path of the program. */
  file: string
  /** Arguments that come before all others, for programs that are scripts of an interpreter. */
  prefix: string[]
}

export type AgentLocation = FoundAgent | { found: false; looked: string }

export interface SignIn {
  state: 'yes' | 'no' | 'unknown'
  /** What was seen, such as "ANTHROPIC_API_KEY is set". */
  because: string
  /** What to run to sign in. */
  next?: string
}

export interface InteractiveStart {
  args: readonly string[]
  /** The agent's own id to continue. */
  resume: string | null
  /** An id for a new conversation, for agents that take one. */
  newSessionId: string
  /** The environment it will be started with, before the adapter's own variables. */
  env?: NodeJS.ProcessEnv
  /** Null: no hooks are wanted (`agents.<name>.hooks = false`), or the agent has none. */
  wiring: HookWiring | null
}

export interface AgentCommand {
  file: string
  args: string[]
  env: Record<string, string>
  /** Known from the start only where the agent takes an id from us. */
  agentSessionId: string | null
}

/** What an agent needs to call `signalbox hook` from within a session. */
export interface HookWiring {
  /** A directory of this session alone, mode 0700, that lives as long as the session. */
  directory: string
  /** The relay's command line, as words: `[node, cli.js, 'hook', <agent>]`; the adapter adds the event and `--hold`. */
  relay: readonly string[]
  /** Whether permission hooks may wait for a person's decision. */
  mayHold: boolean
}

export interface AgentHooks {
  /** Whether a permission hook may keep the agent waiting while its own dialog stays answerable. */
  readonly holds: boolean
  /** What one hook call says. Unknown events say nothing; malformed payloads throw. */
  read(event: string, payload: Readonly<Record<string, unknown>>): AgentStatement[]
  /** Left out where the agent's own settings cannot carry them. */
  readonly user?: UserHooks
  /** The agent's answer JSON for a held permission request; null where this decision cannot be said that way. */
  answer?(answer: HookAnswer): string | null
}

/** An agent's hooks in the person's own settings (JSON with a table `hooks` of lists by event), for panes that Signalbox did not start. */
export interface UserHooks {
  /** The settings file. */
  file(env: NodeJS.ProcessEnv): string
  /** One entry for each event; `line` makes the command of an event. */
  entries(line: (event: string) => string): Readonly<Record<string, object>>
}

/** A decision, in the words a structured channel can carry. */
export interface HookAnswer {
  behavior: 'allow' | 'deny'
  /** The reason, for the agent. */
  message?: string
  /** The input the person edited. */
  updatedInput?: unknown
  /** The agent's own rule for the rest of its session, exactly as it offered it. */
  sessionRule?: unknown
}

/** Where an agent keeps its conversation, and what it says there. */
export interface AgentTranscript {
  /** Files that may hold this conversation, the likeliest first; none when it is not there yet. Looks at names and times only. */
  locate(place: TranscriptPlace): Promise<string[]>
  /** How it grows: lines appended, a file rewritten whole, or rows of an SQLite file. */
  readonly form: 'lines' | 'whole' | 'sqlite'
  /**
   * A new reader of one transcript from its beginning. It keeps what it has seen: the same record says nothing twice. The place is for
   * agents that keep all their conversations in one file.
   */
  open(path: string, place?: TranscriptPlace): TranscriptReader
}

export interface TranscriptPlace {
  env: NodeJS.ProcessEnv
  cwd: string
  agentSessionId: string | null
  /** Wall milliseconds: files that were last written before belong to others. */
  startedAt: number
}

export interface TranscriptReader {
  /** Reads what is new. Torn last lines are left for the next time; foreign records are skipped and counted. */
  read(): Promise<TranscriptNews>
  close(): void
}

export interface TranscriptNews {
  statements: (AgentStatement & { at: number | null })[]
  /** Records that could not be understood. */
  skipped: number
}

export interface AgentEventSource {
  /** Listens from now on; null when this session was started without the channel. */
  open(place: EventsPlace): AgentEvents | null
}

export interface EventsPlace {
  /** The directory of the session that its hooks were wired in. */
  directory: string
  clock: Clock
}

export interface AgentEvents {
  /** `id` is equal for repetitions of one report; `at` is in wall milliseconds, as far as the agent says when. */
  onStatement(listener: (statement: AgentStatement, about: { id: string; at: number | null }) => void): void
  onConnection(listener: (isConnected: boolean) => void): void
  /** Answers the request with this key. */
  answer(key: string, answer: EventsAnswer): Promise<'taken' | 'gone' | 'unreachable'>
  close(): void
}

export interface EventsAnswer {
  behavior: 'once' | 'always' | 'deny'
  /** The reason, for the agent. */
  message?: string
}
