import { realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import { type GrantWish, plainWords } from '../../approvals/index.js'
import { SignalboxError } from '../../errors/index.js'
import { parseDuration } from '../parse-options.js'

/** The grant that the options of `approve` ask for, or null when they ask for none. */
export function grantWish(options: Record<string, unknown>, cwd: string): GrantWish | null {
  const { for: duration, scope, prefix, path, uses } = options as Record<string, string | undefined>
  if ([duration, scope, prefix, path, uses].every(value => value === undefined)) return null
  if (prefix !== undefined && path !== undefined)
    throw new SignalboxError('E_INPUT', '--prefix and --path exclude each other', { next: 'make two grants' })
  return {
    scope: (scope ?? 'session') as GrantWish['scope'],
    ...(duration !== undefined && { forMs: parseDuration('--for', duration) }),
    ...(uses !== undefined && { uses: countOf(uses) }),
    ...(prefix !== undefined && { match: { kind: 'prefix' as const, words: wordsOf(prefix) } }),
    ...(path !== undefined && { match: { kind: 'path' as const, directory: directoryOf(path, cwd) } }),
  }
}

function countOf(text: string): number {
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text)
  throw new SignalboxError('E_INPUT', `--uses takes a number, not "${text}"`)
}

function wordsOf(prefix: string): string[] {
  const words = plainWords(prefix)
  if (words) return words
  throw new SignalboxError(
    'E_INPUT',
    `--prefix takes plain words, without operators, variables or wildcards: "${prefix}"`,
    {
      next: 'such as --prefix "npm test"',
    },
  )
}

function directoryOf(path: string, cwd: string): string {
  try {
    return realpathSync(resolve(cwd, path))
  } catch (error) {
    throw new SignalboxError('E_INPUT', `--path takes a directory that exists: ${path}`, { cause: error })
  }
}
