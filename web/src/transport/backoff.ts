const FIRST_MS = 1_000
const LONGEST_MS = 30_000
const JITTER_MS = 500
const TRIES = 8
const RESTING_MS = 5 * 60_000

/** How long to wait before try number `failures` + 1: at once, then 1 s doubled up to 30 s, and after eight every five minutes. */
export function waitBefore(failures: number, random: number): number {
  if (failures <= 0) return 0
  if (failures > TRIES) return RESTING_MS
  return Math.min(FIRST_MS * 2 ** (failures - 1), LONGEST_MS) + random * JITTER_MS
}
