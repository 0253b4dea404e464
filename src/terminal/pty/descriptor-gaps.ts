import { closeSync, openSync, readdirSync } from 'node:fs'

/** Above this a table of descriptors is not ours any more, and filling it would take longer than it is worth. */
const HIGHEST = 65_536

/**
 * Runs `spawn` while the table of open descriptors has no gap.
 *
 * The PTY library keeps descriptors out of the programs it starts by marking them close-on-exec from 3 upwards, and stops at the first
 * number above 15 that is not open. Whatever lies behind a gap is inherited: among it the masters of other sessions, on which a program
 * could read their screens and type into them. Gaps come by themselves as descriptors are closed, so they are filled for the moment.
 */
export function withoutDescriptorGaps<T>(spawn: () => T): T {
  const fillers: number[] = []
  try {
    const highest = highestDescriptor()
    // `open` gives the lowest number that is free.
    while (highest <= HIGHEST && (fillers.at(-1) ?? -1) < highest) fillers.push(openSync('/dev/null', 'r'))
    return spawn()
  } finally {
    for (const filler of fillers) closeSync(filler)
  }
}

/** -1 where the system does not list them: there the library asks it to close everything instead. */
function highestDescriptor(): number {
  try {
    return Math.max(...readdirSync('/proc/self/fd').map(Number))
  } catch {
    return -1
  }
}
