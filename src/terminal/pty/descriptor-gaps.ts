import { closeSync, openSync, readdirSync } from 'node:fs'

/** A larger descriptor table is left alone: filling it would take too long. */
const DESCRIPTOR_MAX = 65_536

/**
 * Runs `spawn` while the table of open descriptors has no gap.
 *
 * The PTY library keeps descriptors out of the programs it starts by marking them close-on-exec
 * from 3 upwards, and stops at the first number above 15 that is not open. Descriptors after a gap
 * are inherited: among them the masters of other sessions, through which a program could read their
 * screens and type into them. Gaps appear whenever descriptors are closed, so they are filled for
 * this moment.
 */
export function withoutDescriptorGaps<T>(spawn: () => T): T {
  const fillers: number[] = []
  try {
    const highest = highestDescriptor()
    // `open` returns the lowest free number.
    while (highest <= DESCRIPTOR_MAX && (fillers.at(-1) ?? -1) < highest) fillers.push(openSync('/dev/null', 'r'))
    return spawn()
  } finally {
    for (const filler of fillers) closeSync(filler)
  }
}

/**
 * -1 where the system does not list descriptors: there the library asks the system to close all of
 * them.
 */
function highestDescriptor(): number {
  try {
    return Math.max(...readdirSync('/proc/self/fd').map(Number))
  } catch {
    return -1
  }
}
