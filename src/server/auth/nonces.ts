import { PROOF_MS } from './proof.js'

/** Used nonces, kept as long as their proofs would still be accepted. */
export class Nonces {
  /** Nonce → when it may be forgotten. In order of use, which is about the order of these times. */
  readonly #used = new Map<string, number>()

  /** False: it was already used. */
  use(device: string, nonce: string, now: number): boolean {
    this.#forget(now)
    const key = `${device}.${nonce}`
    if (this.#used.has(key)) return false
    // A proof may be dated in the future by as much as it may be late.
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
