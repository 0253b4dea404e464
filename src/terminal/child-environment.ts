/**
 * The environment of a child process in our terminal: it must not believe that it runs inside
 * another terminal.
 */

type Environment = Readonly<Record<string, string | undefined>>

/** The part of a pack that concerns the environment. */
export interface EnvironmentRules {
  unset?: readonly string[]
  set?: Readonly<Record<string, string>>
}

/**
 * Variables of other terminals and multiplexers. A trailing `*` matches every name with this start.
 */
const OTHER_TERMINALS = [
  'TMUX*',
  'STY',
  'TERM_PROGRAM_VERSION',
  'VTE_VERSION',
  'KITTY_*',
  'WEZTERM_*',
  'ITERM_*',
  'WT_SESSION',
]

const OUR_VARIABLES = { TERM: 'xterm-256color', COLORTERM: 'truecolor', TERM_PROGRAM: 'signalbox' }

/** `base` is what the child may inherit at all; `pack` is applied last and wins. */
export function childEnvironment(base: Environment, pack: EnvironmentRules = {}): Record<string, string> {
  const unset = [...OTHER_TERMINALS, ...(pack.unset ?? [])]
  const child: Record<string, string> = {}
  for (const [name, value] of Object.entries(base)) {
    if (value !== undefined && !unset.some(pattern => matches(pattern, name))) child[name] = value
  }
  return { ...child, ...utf8Locale(child), ...OUR_VARIABLES, ...pack.set }
}

function matches(pattern: string, name: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern
}

/** LC_ALL and LC_CTYPE override LANG, so a UTF-8 LANG is not enough. */
function utf8Locale(environment: Record<string, string>): Record<string, string> {
  const isUtf8 = (value: string) => /utf-?8/i.test(value)
  const locale: Record<string, string> = {}
  if (!isUtf8(environment.LANG ?? '')) locale.LANG = 'C.UTF-8'
  for (const name of ['LC_ALL', 'LC_CTYPE']) {
    const value = environment[name]
    if (value && !isUtf8(value)) locale[name] = 'C.UTF-8'
  }
  return locale
}
