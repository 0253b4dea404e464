import type { Pack } from '../screen/index.js'
import { childEnvironment } from '../terminal/index.js'

/** Variables a child may inherit when no person's terminal stands behind it. */
const ALLOWED = ['PATH', 'HOME', 'USER', 'LOGNAME', 'LANG', 'TERM', 'COLORTERM', 'TZ', 'TMPDIR', 'SHELL']
/** Ours, never a child's: secrets, and what would make a child talk to another Signalbox than its own. */
const OURS = /^SIGNALBOX_/
/** Set by agents for their own children: an agent of ours is nobody's child. */
const NESTING = [
  'CLAUDECODE',
  'CLAUDE_CODE_ENTRYPOINT',
  'CLAUDE_CODE_SSE_PORT',
  'CODEX_SANDBOX',
  'GEMINI_CLI',
  'OPENCODE',
]

/**
 * The environment of a session. Started by a person in a terminal: that terminal's. Started by the daemon: an allow-list.
 * In both, our own variables and the nesting marks of agents are removed, and the session's name is added.
 */
export function sessionEnvironment(options: {
  /** The environment of the terminal that asked for the session; null for one that no terminal stands behind. */
  terminal: Readonly<Record<string, string>> | null
  daemon: NodeJS.ProcessEnv
  pass: readonly string[]
  pack: Pack
  adapter: Readonly<Record<string, string>>
  session: string
  keep?: readonly string[]
}): Record<string, string> {
  const base = options.terminal ?? allowed(options.daemon, options.pass)
  const inherited = Object.fromEntries(
    Object.entries(base).filter(
      ([name]) => (!OURS.test(name) || options.keep?.includes(name)) && !NESTING.includes(name),
    ),
  )
  return { ...childEnvironment(inherited, options.pack.env), ...options.adapter, SIGNALBOX_SESSION: options.session }
}

function allowed(env: NodeJS.ProcessEnv, pass: readonly string[]): Record<string, string> {
  const names = new Set([...ALLOWED, ...pass])
  return Object.fromEntries(
    Object.entries(env).filter(
      (entry): entry is [string, string] =>
        entry[1] !== undefined && (names.has(entry[0]) || entry[0].startsWith('LC_')),
    ),
  )
}

/** The environment of a step without a terminal: a person's own, or the daemon's allow-list; never our variables or nesting marks. */
export function stepEnvironment(options: {
  env: NodeJS.ProcessEnv
  pass: readonly string[]
  isPersonal: boolean
}): Record<string, string> {
  const base = options.isPersonal
    ? Object.fromEntries(
        Object.entries(options.env).filter((entry): entry is [string, string] => entry[1] !== undefined),
      )
    : allowed(options.env, options.pass)
  return Object.fromEntries(
    Object.entries(base).filter(
      ([name]) => (!OURS.test(name) || name.startsWith('SIGNALBOX_DEMO_')) && !NESTING.includes(name),
    ),
  )
}
