import { SESSION_MARK, STEP_MARK } from '../process/index.js'
import type { Pack } from '../screen/index.js'
import { childEnvironment } from '../terminal/index.js'

/** Variables that a child inherits if it was not started from a person's terminal. */
const INHERITED_VARIABLES = ['PATH', 'HOME', 'USER', 'LOGNAME', 'LANG', 'TERM', 'COLORTERM', 'TZ', 'TMPDIR', 'SHELL']
/** Signalbox's own variables, never passed to a child: secrets and connections. */
const OWN_VARIABLES = /^SIGNALBOX_/
/** Variables that agents set for their own children: an agent of a session is not such a child. */
const NESTING_VARIABLES = [
  'CLAUDECODE',
  'CLAUDE_CODE_ENTRYPOINT',
  'CLAUDE_CODE_SSE_PORT',
  'CODEX_SANDBOX',
  'GEMINI_CLI',
  'OPENCODE',
]

/**
 * The environment of a session. Started from a person's terminal: that terminal's. Started by the
 * daemon: an allow-list. Signalbox's own variables and those of agents for their children are
 * removed; the session's id and its step are added.
 */
export function sessionEnvironment(options: {
  /** The environment of the person's terminal; null if the session was started from no terminal. */
  terminal: Readonly<Record<string, string>> | null
  daemon: NodeJS.ProcessEnv
  pass: readonly string[]
  pack: Pack
  adapter: Readonly<Record<string, string>>
  session: string
  step?: string | undefined
  keep?: readonly string[]
}): Record<string, string> {
  const base = options.terminal ?? allowedEnvironment(options.daemon, options.pass)
  const inherited = Object.fromEntries(
    Object.entries(base).filter(
      ([name]) => (!OWN_VARIABLES.test(name) || options.keep?.includes(name)) && !NESTING_VARIABLES.includes(name),
    ),
  )
  return {
    ...childEnvironment(inherited, options.pack.env),
    ...options.adapter,
    [SESSION_MARK]: options.session,
    ...(options.step !== undefined && { [STEP_MARK]: options.step }),
  }
}

/** The variables that a child of the daemon inherits. */
export function allowedEnvironment(env: NodeJS.ProcessEnv, pass: readonly string[]): Record<string, string> {
  const names = new Set([...INHERITED_VARIABLES, ...pass])
  return Object.fromEntries(
    Object.entries(env).filter(
      (entry): entry is [string, string] =>
        entry[1] !== undefined && (names.has(entry[0]) || entry[0].startsWith('LC_')),
    ),
  )
}

/** A step's environment: a person's own or the daemon's allow-list, without ours. */
export function stepEnvironment(options: {
  env: NodeJS.ProcessEnv
  pass: readonly string[]
  isInteractive: boolean
}): Record<string, string> {
  const base = options.isInteractive
    ? Object.fromEntries(
        Object.entries(options.env).filter((entry): entry is [string, string] => entry[1] !== undefined),
      )
    : allowedEnvironment(options.env, options.pass)
  return Object.fromEntries(
    Object.entries(base).filter(
      ([name]) =>
        (!OWN_VARIABLES.test(name) || name.startsWith('SIGNALBOX_DEMO_')) && !NESTING_VARIABLES.includes(name),
    ),
  )
}
