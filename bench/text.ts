// `npm run bench:text`: functions that read text of any length must take time that grows with the
// length, not faster. Prints how many times longer 16 times the text takes: linear is 16, quadratic
// is 256. Bar: less than 64.
import { type Block, renderMarkdown } from '../src/screen/index.js'
import { createRedactor, displayWidth } from '../src/text/index.js'

const SHORT = 40_000
const FACTOR = 16
const BAR = 64
/** Shorter times are noise. */
const LEAST_MS = 1

const redactor = createRedactor()
const SUBJECTS: readonly { name: string; run(text: string): unknown; units: readonly string[] }[] = [
  {
    name: 'redactCommandLine',
    run: text => redactor.redactCommandLine(text),
    units: [
      'eyJ',
      '--eyJabcd.',
      '-----BEGIN PRIVATE KEY-----',
      '-',
      'password_token_key',
      '//a:b',
      '123456789:',
      '?key',
      '\\',
      '"password":"\\"',
    ],
  },
  { name: 'displayWidth', run: displayWidth, units: ['x', '漢e\u0301', '👩‍💻'] },
  {
    name: 'renderMarkdown',
    run: text => renderMarkdown([paragraph(`x${text}x`)]),
    units: ['`', '*', '_', '*a ', '_a_ ', '~~a', '[', '<', '&a', '\\\\', '| ', ' ', '#'],
  },
]

function paragraph(text: string): Block {
  const place = { id: 't.0', rows: [0, 0] as [number, number], provisional: false, missing: false }
  return { ...place, source: 'screen', kind: 'prose', variant: 'paragraph', runs: [{ text }] }
}

function bestOf(run: () => unknown): number {
  const times = Array.from({ length: 5 }, () => {
    const start = performance.now()
    run()
    return performance.now() - start
  })
  return Math.max(LEAST_MS, Math.min(...times))
}

for (const { name, run, units } of SUBJECTS)
  for (const unit of units) {
    const text = (length: number) => unit.repeat(Math.ceil(length / unit.length))
    const [short, long] = [text(SHORT), text(SHORT * FACTOR)]
    run(short)
    const ratio = bestOf(() => run(long)) / bestOf(() => run(short))
    console.log(`${name.padEnd(18)} ${JSON.stringify(unit).padEnd(34)} ${ratio.toFixed(1).padStart(6)} ×`)
    if (ratio >= BAR) process.exitCode = 1
  }
