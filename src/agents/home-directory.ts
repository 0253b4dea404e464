import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'

/** The home directory as the agent sees it: from the environment it is started with. */
export function homeDirectory(env: NodeJS.ProcessEnv): string {
  return env.HOME !== undefined && isAbsolute(env.HOME) ? env.HOME : homedir()
}

/** `$VARIABLE`, else the path below the home directory. Relative values are ignored. */
export function movableDirectory(env: NodeJS.ProcessEnv, variable: string, ...below: string[]): string {
  const moved = env[variable]
  return moved !== undefined && isAbsolute(moved) ? moved : join(homeDirectory(env), ...below)
}

/** `~/x` as a path; anything else as it is. */
export function expandHome(path: string, env: NodeJS.ProcessEnv): string {
  return path === '~' || path.startsWith('~/') ? join(homeDirectory(env), path.slice(1)) : path
}

/** Where agents store files: a later host needs it to find a transcript. No secrets. */
const PATH_VARIABLES = [
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

/** The variables of this environment that determine where an agent stores its files. */
export function pathVariablesOf(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(PATH_VARIABLES.flatMap(name => (env[name] === undefined ? [] : [[name, env[name]]])))
}
