/** The environment of a child in our terminal: it must not take itself to be inside another one. */

type Environment = Readonly<Record<string, string | undefined>>

/** The part of a pack that concerns the environment. */
export interface EnvironmentRules {
  unset?: readonly string[]
  set?: Readonly<Record<string, string>>
}

/** Marks of other terminals and multiplexers. A trailing `*` means every name that begins so. */
const FOREIGN = ['TMUX*', 'STY', 'TERM_PROGRAM_VERSION', 'VTE_VERSION', 'KITTY_*', 'WEZTERM_*', 'ITERM_*', 'WT_SESSION']

const OURS = { TERM: 'xterm-256color', COLORTERM: 'truecolor', TERM_PROGRAM: 'signalbox' }

/** `base` is what the child may inherit at all (the allow-list of security.md); `pack` comes last and wins. */
export function childEnvironment(base: Environment, pack: EnvironmentRules = {}): Record<string, string> {
  const unset = [...FOREIGN, ...(pack.unset ?? [])]
  const child: Record<string, string> = {}
  for (const [name, value] of Object.entries(base)) {
    if (value !== undefined && !unset.some(pattern => matches(pattern, name))) child[name] = value
  }
  return { ...child, ...utf8Locale(child), ...OURS, ...pack.set }
}

function matches(pattern: string, name: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern
}

/** LC_ALL and LC_CTYPE beat LANG, so it is not enough that LANG says UTF-8. */
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
