import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { Dice } from './world.js'

const { randomBytes } = crypto

/**
 * Ids decide the order of equals, so they come from the seed, too. Returns what restores the real
 * ones.
 */
export function seedIds(seed: number): () => void {
  const dice = new Dice(seed ^ 0x1d5)
  const replace = (by: typeof randomBytes) => {
    crypto.randomBytes = by
    syncBuiltinESMExports()
  }
  replace(((size: number) => Buffer.from(Array.from({ length: size }, () => dice.below(256)))) as typeof randomBytes)
  return () => replace(randomBytes)
}
