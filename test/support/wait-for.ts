/** Ends a test that hangs; it does not limit the speed. */
const WAIT_MS = 120_000
const PAUSE_MS = 25
const PAUSE_MAX_MS = 150

/** Polls until `look` returns something truthy; the error contains the last result. */
export async function waitFor<T>(
  what: string,
  look: () => T | Promise<T>,
  timeoutMs = WAIT_MS,
): Promise<NonNullable<T>> {
  const deadline = Date.now() + timeoutMs
  // Most waits are short; in a long one, each look takes time from what it waits for.
  for (let pause = PAUSE_MS; ; pause = Math.min(pause * 1.3, PAUSE_MAX_MS)) {
    const found = await look()
    if (found) return found as NonNullable<T>
    if (Date.now() > deadline) throw new Error(`waited ${timeoutMs} ms for ${what}; last: ${JSON.stringify(found)}`)
    await new Promise(resolve => setTimeout(resolve, pause))
  }
}
