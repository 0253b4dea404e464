import { PROOF_MS } from './proof.js'

/** Nonces that were used, for as long as their proofs could be shown again. */
export class Nonces {
  /** By the time at which they may be forgotten; in order, because they are used about as they are made. */
  readonly #used = new Map<string, number>()

  /** False: it was used before. */
  use(device: string, nonce: string, now: number): boolean {
    this.#forget(now)
    const key = `${device}.${nonce}`
    if (this.#used.has(key)) return false
    // A proof may be dated ahead by as much as it may be late.
    this.#used.set(key, now + 2 * PROOF_MS)
    return true
  }

  get size(): number {
    return this.#used.size
  }

  #forget(now: number): void {
    for (const [key, until] of this.#used) {
      if (until > now) return
      this.#used.delete(key)
    }
  }
}
