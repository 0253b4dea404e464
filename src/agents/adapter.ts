/** How one coding agent is run. One file an agent; adding an agent is adding a file here and a pack. */
export interface AgentAdapter {
  /** The name on the command line. */
  readonly name: string
  /** The name for people. */
  readonly title: string
  /** Pack that describes its screens; null reads by structure alone. */
  readonly pack: string | null
  /** Finds the program, without starting it. */
  locate(environment: AgentEnvironment): AgentLocation
  /** The command line that starts it in a terminal. */
  interactive(location: FoundAgent, start: InteractiveStart): AgentCommand
  /** How to get it when it is missing. */
  readonly install: string
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

export interface InteractiveStart {
  args: readonly string[]
  /** The agent's own id to continue. */
  resume: string | null
  /** An id for a new conversation, for agents that take one. */
  newSessionId: string
}

export interface AgentCommand {
  file: string
  args: string[]
  env: Record<string, string>
  /** Known from the start only where the agent takes an id from us. */
  agentSessionId: string | null
}
