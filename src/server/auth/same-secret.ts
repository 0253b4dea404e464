import { createHash, timingSafeEqual } from 'node:crypto'

/**
 * Compares in constant time: the duration reveals neither a common prefix nor the secret's length.
 */
export function isSameSecret(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(a), digest(b))
}
