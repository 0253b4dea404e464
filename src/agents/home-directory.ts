import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'

/** The home directory as the agent will see it: that of the environment it is started with. */
export function homeDirectory(env: NodeJS.ProcessEnv): string {
  return env.HOME !== undefined && isAbsolute(env.HOME) ? env.HOME : homedir()
}

/** A directory that a variable may move: `$VARIABLE`, else the place below the home directory. A relative value counts as none. */
export function movableDirectory(env: NodeJS.ProcessEnv, variable: string, ...below: string[]): string {
  const moved = env[variable]
  return moved !== undefined && isAbsolute(moved) ? moved : join(homeDirectory(env), ...below)
}

/** `~/x` as a path; anything else as it is. */
export function expandHome(path: string, env: NodeJS.ProcessEnv): string {
  return path === '~' || path.startsWith('~/') ? join(homeDirectory(env), path.slice(1)) : path
}

/** Variables that say where agents keep their files. Paths, no secrets: a later host needs them to find a session's transcript. */
const PLACES = [
  'HOME',
  'XDG_DATA_HOME',
  'XDG_CONFIG_HOME',
  'CLAUDE_CONFIG_DIR',
  'CODEX_HOME',
  'GEMINI_CLI_HOME',
  'QWEN_HOME',
  'COPILOT_HOME',
  'CLINE_DIR',
  'PI_CODING_AGENT_DIR',
  'SIGNALBOX_DEMO_HOME',
] as const

/** Where an agent of this environment keeps its files. */
export function placesOf(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(PLACES.flatMap(name => (env[name] === undefined ? [] : [[name, env[name]]])))
}
