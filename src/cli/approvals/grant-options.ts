import { realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import { type GrantRequest, plainWords } from '../../approvals/index.js'
import { SignalboxError } from '../../errors/index.js'
import { parseDuration } from '../parse-options.js'
import type { InputOf } from '../specs/index.js'

export function grantRequest(options: InputOf<'approve'>['options'], cwd: string): GrantRequest | null {
  const { for: duration, scope, prefix, path, uses } = options
  if ([duration, scope, prefix, path, uses].every(value => value === undefined)) return null
  if (prefix !== undefined && path !== undefined)
    throw new SignalboxError('E_INPUT', '--prefix and --path exclude each other', {
      next: 'create two standing approvals',
    })
  return {
    scope: scope ?? 'session',
    ...(duration !== undefined && { forMs: parseDuration('--for', duration) }),
    ...(uses !== undefined && { uses: countOf(uses) }),
    ...(prefix !== undefined && { match: { kind: 'prefix' as const, words: wordsOf(prefix) } }),
    ...(path !== undefined && { match: { kind: 'path' as const, directory: directoryOf(path, cwd) } }),
  }
}

function countOf(text: string): number {
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text)
  throw new SignalboxError('E_INPUT', `--uses needs a number, not "${text}"`)
}

function wordsOf(prefix: string): string[] {
  const words = plainWords(prefix)
  if (words) return words
  throw new SignalboxError(
    'E_INPUT',
    `--prefix needs plain words, without operators, variables or wildcards: "${prefix}"`,
    {
      next: 'for example --prefix "npm test"',
    },
  )
}

function directoryOf(path: string, cwd: string): string {
  try {
    return realpathSync(resolve(cwd, path))
  } catch (error) {
    throw new SignalboxError('E_INPUT', `--path needs an existing directory: ${path}`, { cause: error })
  }
}
