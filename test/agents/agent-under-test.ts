import type { ToolCall } from './fake-models/wire.js'

/** A real CLI and how it is made to talk to the fake model. Adding an agent is adding one of these to `table/index.ts`. */
export interface AgentUnderTest {
  /** Its name for `signalbox start`. */
  name: string
  /** npm package and exact version; each agent has a directory of its own. */
  package: string
  version: string
  /** Further packages it needs, such as `node@22` for one that does not run on ours. */
  also?: readonly string[]
  /** Program in `node_modules/.bin`. */
  program: string
  /** Prepares its HOME: signed in with a dummy key, the project trusted, no first-start screens. */
  prepare(place: AgentPlace): void
  /** Variables it is started with. */
  env(place: AgentPlace): Record<string, string>
  /** Arguments of every start, behind `--`. */
  args?: readonly string[]
  /** How its model asks for a shell command that needs a permission. */
  shell(command: string, place: AgentPlace): ToolCall
  /** The same where nobody is there to give one; left out: alike. */
  shellUnasked?(command: string): ToolCall
  /** What it loses when a conversation with a cancelled turn is resumed, where that is the program's own fault. */
  forgets?: 'first prompt'
  /** Whether the turn goes on after a refusal, so that the model is asked again. */
  denialContinues: boolean
}

export interface AgentPlace {
  home: string
  /** The project it works in. */
  project: string
  /** Where the fake model listens: `http://127.0.0.1:<port>`. */
  model: string
}
