import type { ToolCall } from './fake-models/wire.js'

/**
 * A real CLI and how it uses the fake model. To add an agent, add one of these to
 * `table/index.ts`.
 */
export interface AgentUnderTest {
  /** Its name for `signalbox start`. */
  name: string
  /** npm package and exact version; each agent has a separate directory. */
  package: string
  version: string
  /** Further packages it needs, such as `node@22` for one that does not run on ours. */
  also?: readonly string[]
  /** Its package has everything in it and is installed without its dependencies. */
  isBundle?: true
  /** Program in `node_modules/.bin`. */
  program: string
  /** How it speaks the Agent Client Protocol: itself, or through a program of its own. */
  acp?: 'itself' | AcpAdapterUnderTest
  /** For `start --acp -- …`: an agent that Signalbox knows by the protocol only. */
  acpCommand?: readonly string[]
  /** Prepares its HOME: signed in with a dummy key, the project trusted, no first-start screens. */
  prepare(place: AgentPlace): void
  /** Its environment variables. */
  env(place: AgentPlace): Record<string, string>
  /** Arguments of every start, after `--`. */
  args?: readonly string[]
  /** How its model asks for a shell command that needs a permission. */
  shell(command: string, place: AgentPlace): ToolCall
  /** The same without a person to give permission; by default it does not differ. */
  shellUnasked?(command: string): ToolCall
  /** What it loses by a defect of its own when it resumes after a cancelled turn. */
  forgets?: 'first prompt'
  /** By a defect of its own it ends a cancelled turn only when its model says something more. */
  cancelsLate?: true
  /** It runs every tool without asking for a permission. */
  asksNothing?: true
  /** Whether the turn continues after a denial, so that the agent calls the model again. */
  denialContinues: boolean
  /** Over ACP it runs commands in terminals of its client, if the client has some. */
  clientTerminals?: true
  /** The themes that it ships with, and how the person chooses one before a start. */
  themes?: { names: readonly string[]; choose(place: AgentPlace, theme: string): void }
  /** How its model asks to write a file, if it does so through its client over ACP. */
  write?(path: string, text: string): ToolCall
}

export interface AcpAdapterUnderTest {
  package: string
  version: string
  program: string
}

export interface AgentPlace {
  home: string
  /** The project it works in. */
  project: string
  /** Where the fake model listens: `http://127.0.0.1:<port>`. */
  model: string
}
