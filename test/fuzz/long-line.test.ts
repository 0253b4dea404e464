import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { compiledChild } from '../support/compiled.js'

const READER = compiledChild(fileURLToPath(new URL('./long-line-reader.child.ts', import.meta.url)))
/** Whatever is longer than the terminal's memory (2000 rows of 200 columns) is read as the last part of it: more only repeats that. */
const LONG = 2.5e6
const LONGEST = 10e6
/** Everything the reader keeps fits in so much; a copy of the line for each row would not. */
const HEAP_MB = 160
const READING_MS = 20_000

/** Each is the worst case of something: one word, wide cells, clusters, marks that look for a partner, blanks. */
const FILLS: readonly [what: string, fill: string, bytes: number][] = [
  ['one word', 'x', LONGEST],
  ['wide characters', '漢', LONG],
  ['emoji of several parts', '👩‍💻', LONG],
  ['backticks', '`', LONG],
  ['underscored words', '_a_ ', LONG],
  ['blanks before a letter', `${' '.repeat(999)}x`, LONG],
]

it.each(FILLS)(
  'a line of megabytes (%s) is read and rendered in seconds and bounded memory',
  async (_, fill, bytes) => {
    const args = [`--max-old-space-size=${HEAP_MB}`, READER, JSON.stringify(fill), String(bytes), '200']
    const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 110_000 })
    const read = JSON.parse(stdout) as {
      slowest: number
      markdown: number
      ansi: number
      telegram: number
      rss: number
    }
    expect(read.slowest).toBeLessThan(READING_MS)
    // What scrolled out of the terminal's memory is gone; what is left of the line is in every output.
    for (const length of [read.markdown, read.ansi, read.telegram]) expect(length).toBeGreaterThan(10_000)
    expect(read.rss).toBeLessThan(600e6)
  },
  120_000,
)
