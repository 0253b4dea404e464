import type { Redactor } from '../text/index.js'

/** The program in the foreground of a pane. Its command line is already redacted and shortened. */
export interface Job {
  name: string | null
  /** The names by which settings may list it, its own first: `x`, `python3`, `python`. */
  names: readonly string[]
  pid: number | null
  commandLine: string
  isShell: boolean
  /** The agent of the program. */
  agent: string | null
}

/**
 * Programs that run other programs: the first argument that is a script, a module or a program
 * names the job. Without version numbers.
 */
const WRAPPERS: ReadonlySet<string> = new Set([
  'node',
  'bun',
  'deno',
  'python',
  'npm exec',
  'npx',
  'bunx',
  'uv',
  'uvx',
  'env',
  'sudo',
  'sh',
  'bash',
  'zsh',
  'dash',
])
const SHELLS: ReadonlySet<string> = new Set(['sh', 'bash', 'zsh', 'dash', 'fish', 'ksh', 'tcsh', 'csh', 'nu', 'pwsh'])
/** Words after which a wrapper's program follows. */
const SUBCOMMANDS: ReadonlySet<string> = new Set(['run', 'exec', 'x', 'tool'])

/**
 * The name of a job by its arguments: `node /usr/bin/codex.js` is `codex`, `python -m http.server`
 * is `http.server`.
 */
export function jobName(words: readonly string[]): string | null {
  return jobNames(words)[0] ?? null
}

/** The names of a job by its arguments: its own, then those of the programs that run it. */
export function jobNames(words: readonly string[]): string[] {
  const [first, ...rest] = words
  if (first === undefined || first === '') return []
  const program = programName(first, rest)
  const own = [...new Set([program, unversioned(program)])]
  if (!isWrapper(program)) return own
  return [...new Set([...innerNames(program, rest), ...own])]
}

/** Starts another program and waits for it, without a terminal of its own. */
export function isSpawningWrapper(words: readonly string[]): boolean {
  const [first = '', ...rest] = words
  return ['npx', 'npm exec', 'bunx', 'uv', 'uvx'].includes(programName(first, rest))
}

function innerNames(program: string, rest: readonly string[]): string[] {
  let isModule = false
  for (const [index, word] of rest.entries()) {
    if (isModule) return [word]
    if (word === '-m') isModule = true
    else if (word === '-c' || word === '-e' || word === '--eval')
      return SHELLS.has(program) ? jobNames((rest[index + 1] ?? '').trim().split(/\s+/)) : []
    else if (word.startsWith('-') || word.includes('=') || SUBCOMMANDS.has(word)) continue
    else return jobNames([word, ...rest.slice(index + 1)])
  }
  return []
}

/** npx shows itself as `npm exec`. */
function programName(first: string, rest: readonly string[]): string {
  const program = baseName(first)
  return program === 'npm' && (rest[0] === 'exec' || rest[0] === 'x') ? 'npm exec' : program
}

function isWrapper(program: string): boolean {
  return WRAPPERS.has(unversioned(program))
}

/** `python3.12` and `python3` are `python`. */
function unversioned(program: string): string {
  return program.replace(/(?<=\p{L})[\d.]+$/u, '')
}

/** The last path component, without the dash of a login shell and the extension of a script. */
function baseName(word: string): string {
  return word
    .slice(word.lastIndexOf('/') + 1)
    .replace(/^-/, '')
    .replace(/\.(?:[cm]?js|ts|py|sh|exe)$/i, '')
}

/** Options of shells that are followed by a value. */
const SHELL_VALUES: ReadonlySet<string> = new Set(['--rcfile', '--init-file', '-o', '+o'])

/** A shell without a script or a command. */
export function isPlainShell(words: readonly string[]): boolean {
  const [first, ...rest] = words
  if (first === undefined || !SHELLS.has(baseName(first))) return false
  const options = rest.filter((_, index) => !SHELL_VALUES.has(rest[index - 1] ?? ''))
  return options.every(word => /^[-+]/.test(word) && word !== '-c')
}

/** The command lines that each redactor has cleaned. */
const cleaned = new WeakMap<Redactor, Map<string, string>>()
const CLEANED_COMMANDS_MAX = 1_000

/**
 * A command line for people: no control characters, no secrets, at most this long. Panes ask for
 * the same one every second, and finding secrets is most of what an idle pane would cost.
 */
export function shownCommand(words: readonly string[], redactor: Redactor, max: number): string {
  const known = cleaned.get(redactor) ?? new Map<string, string>()
  const key = `${max} ${words.join('\0')}`
  const shown = known.get(key) ?? cleanCommand(words, redactor, max)
  if (known.size >= CLEANED_COMMANDS_MAX) known.clear()
  known.set(key, shown)
  cleaned.set(redactor, known)
  return shown
}

function cleanCommand(words: readonly string[], redactor: Redactor, max: number): string {
  const line = words
    .join(' ')
    .replace(/\p{Cc}+/gu, ' ')
    .replace(/\s+/gu, ' ')
    .trim()
  const clean = redactor.redactCommandLine(line)
  return clean.length > max ? `${clean.slice(0, max - 1)}…` : clean
}
