import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { compiledChild } from '../support/compiled.js'

const READER = compiledChild(fileURLToPath(new URL('./long-line-reader.child.ts', import.meta.url)))
/** Of a line longer than the terminal's memory (2000 rows of 200 columns) only the end is read. */
const LONG = 1.5e6
const LONGEST = 5e6
/** All that the reader keeps fits into this heap; a copy of the line for each row would not. */
const HEAP_MB = 160

/** Each is a worst case: one word, wide cells, clusters, marks that look for a partner, spaces. */
const FILLS: readonly [what: string, fill: string, bytes: number][] = [
  ['one word', 'x', LONGEST],
  ['wide characters', '漢', LONG],
  ['emoji of several parts', '👩‍💻', LONG],
  ['backticks', '`', LONG],
  ['underscored words', '_a_ ', LONG],
  ['blanks before a letter', `${' '.repeat(999)}x`, LONG],
]

it.each(FILLS)('a line of megabytes (%s) is read and rendered in bounded memory', async (_, fill, bytes) => {
  const args = [`--max-old-space-size=${HEAP_MB}`, READER, JSON.stringify(fill), String(bytes), '200']
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 290_000 })
  const read = JSON.parse(stdout) as {
    markdown: number
    ansi: number
    telegram: number
    rss: number
  }
  // Every output has the end of the line; the start has left the terminal's memory.
  for (const length of [read.markdown, read.ansi, read.telegram]) expect(length).toBeGreaterThan(10_000)
  expect(read.rss).toBeLessThan(600e6)
})
