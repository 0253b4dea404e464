/*
 * The sandbox of an agent: what it sees, what it may write, which hosts it reaches.
 *
 * - plan.ts decides what is inside, from profiles.ts (what each agent needs, in
 *   packs/<agent>/sandbox/profile.toml) and a person's policy.
 * - bubblewrap.ts, seatbelt.ts, container.ts make a command line of a plan; backend.ts chooses one.
 * - seccomp.ts: the system calls that bubblewrap refuses.
 * - proxy.ts: the only way out of a sandbox with a filtered network; bridge-main.ts is its end in
 *   the sandbox, bridge.ts starts it.
 * - refusals.ts finds paths that the sandbox refused; open-path.ts shows one in a running sandbox.
 *
 * A new agent: its profile.toml. A new backend: a file like bubblewrap.ts, and its case in
 * backend.ts.
 */

export {
  canOpenPaths,
  defaultBackend,
  isContainer,
  parseBackend,
  type SandboxBackend,
  type SandboxedProgram,
  sandboxedProgram,
  sandboxProblem,
} from './backend.js'
export { bridgedProgram } from './bridge.js'
export { closePath, type OpenedPath, openPath } from './open-path.js'
export {
  createAgentDirectories,
  createGitDirectories,
  planSandbox,
  type SandboxNetwork,
  type SandboxPath,
  type SandboxPlan,
  type SandboxPolicy,
} from './plan.js'
export { FilteringProxy, type HostRequest } from './proxy.js'
export { candidatesIn, type PathCandidate, type Refusal, refusalOf } from './refusals.js'
