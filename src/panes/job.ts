import type { Redactor } from '../text/index.js'

/** The program in the foreground of a pane. Its command line is already redacted and shortened. */
export interface Job {
  name: string | null
  pid: number | null
  commandLine: string
  isShell: boolean
  /** The agent of the program. */
  agent: string | null
}

/**
 * Programs that run other programs: the first argument that is a script, a module or a program
 * names the job.
 */
const WRAPPERS: ReadonlySet<string> = new Set([
  'node',
  'bun',
  'deno',
  'python',
  'python3',
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
  const [first, ...rest] = words
  if (first === undefined || first === '') return null
  const program = baseName(first)
  if (!WRAPPERS.has(program)) return program
  let isModule = false
  for (const [index, word] of rest.entries()) {
    if (isModule) return word
    if (word === '-m') isModule = true
    else if (word === '-c' || word === '-e' || word === '--eval')
      return SHELLS.has(program) ? innerName(rest[index + 1]) : program
    else if (word.startsWith('-') || word.includes('=') || SUBCOMMANDS.has(word)) continue
    else return jobName([word, ...rest.slice(index + 1)]) ?? program
  }
  return program
}

function innerName(line: string | undefined): string | null {
  return line === undefined ? null : jobName(line.trim().split(/\s+/))
}

/** The last path component, without the dash of a login shell and the extension of a script. */
function baseName(word: string): string {
  return word
    .slice(word.lastIndexOf('/') + 1)
    .replace(/^-/, '')
    .replace(/\.(?:[cm]?js|ts|py|sh|exe)$/i, '')
}

/** A shell without a script or a command. */
export function isPlainShell(words: readonly string[]): boolean {
  const [first, ...rest] = words
  return first !== undefined && SHELLS.has(baseName(first)) && rest.every(word => word.startsWith('-') && word !== '-c')
}

/** A command line for people: no control characters, no secrets, at most this long. */
export function shownCommand(words: readonly string[], redactor: Redactor, max: number): string {
  const line = words
    .join(' ')
    .replace(/\p{Cc}+/gu, ' ')
    .replace(/\s+/gu, ' ')
    .trim()
  const clean = redactor.redactCommandLine(line)
  return clean.length > max ? `${clean.slice(0, max - 1)}…` : clean
}
