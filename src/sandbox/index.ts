/*
 * The box around an agent: what it sees, what it may write, which hosts it reaches.
 *
 * - plan.ts decides what is inside, from profiles.ts (what each agent needs) and a person's policy.
 * - bubblewrap.ts, seatbelt.ts, container.ts make a command line of a plan; backend.ts chooses one.
 * - proxy.ts: the way out of a box with a filtered network; bridge-main.ts is its end in the box.
 *
 * A new agent: a row in profiles.ts. A new backend: a file like bubblewrap.ts, and its case in
 * backend.ts.
 */

export {
  type BoxBackend,
  type BoxedProgram,
  boxed,
  boxProblem,
  isContainer,
  parseBackend,
  usualBackend,
} from './backend.js'
export { type BoxNetwork, type BoxPath, type BoxPlan, type BoxPolicy, createAgentDirectories, planBox } from './plan.js'
export { FilteringProxy, type HostRequest } from './proxy.js'
