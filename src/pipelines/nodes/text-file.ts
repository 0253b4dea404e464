import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'

export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

export function readOptional(file: string): string | null {
  return existsSync(file) ? readFileSync(file, 'utf8') : null
}
