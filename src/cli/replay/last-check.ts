import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** How the fixtures of a pack did when they were last run. */
export interface LastCheck {
  at: number
  passed: number
  failed: number
  known: number
}

const FILE = 'packs-check.json'

/** Results of `packs check`, so that `packs` need not play every recording to show them. A cache: missing or torn, it says nothing. */
export function readChecks(cacheDirectory: string): Record<string, LastCheck> {
  try {
    return JSON.parse(readFileSync(join(cacheDirectory, FILE), 'utf8')) as Record<string, LastCheck>
  } catch {
    return {}
  }
}

export function noteChecks(cacheDirectory: string, checks: Record<string, LastCheck>): void {
  try {
    mkdirSync(cacheDirectory, { recursive: true, mode: 0o700 })
    writeFileSync(join(cacheDirectory, FILE), JSON.stringify({ ...readChecks(cacheDirectory), ...checks }), {
      mode: 0o600,
    })
  } catch {
    // The answer is on the screen already.
  }
}
