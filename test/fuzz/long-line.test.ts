import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const READER = fileURLToPath(new URL('./long-line-reader.ts', import.meta.url))
const BYTES = 10e6
/** Everything the reader keeps fits in so much; a copy of the line for each row would not. */
const HEAP_MB = 160
const READING_MS = 20_000

/** Each is the worst case of something: one word, wide cells, clusters, marks that look for a partner, blanks. */
const FILLS = {
  'one word': 'x',
  'wide characters': '漢',
  'emoji of several parts': '👩‍💻',
  backticks: '`',
  'underscored words': '_a_ ',
  'blanks before a letter': `${' '.repeat(999)}x`,
}

it.each(Object.entries(FILLS))(
  'a line of 10 MB (%s) is read and rendered in seconds and bounded memory',
  async (_, fill) => {
    const args = [
      `--max-old-space-size=${HEAP_MB}`,
      '--import',
      'tsx',
      READER,
      JSON.stringify(fill),
      String(BYTES),
      '200',
    ]
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
