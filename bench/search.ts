// `npm run bench:search [-- --mb 1000]`: how long a search takes in an index of this much text,
// with words as frequent as in a language. Elapsed time and CPU time; on a machine with other work
// only the second one says something, so the load is printed. Bar: p95 of 200 ms with 1000 MB.
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { SearchIndex } from '../src/search/index.js'
import type { EventStore, StoredEvent } from '../src/store/index.js'

const MB = Number(process.argv[process.argv.indexOf('--mb') + 1]) || 1000
const BAR_MS = 200
const VOCABULARY = 60_000
const WORDS_OF_A_TEXT = 700
const BATCH = 500

let seed = 1
const random = () => {
  seed = (seed * 1664525 + 1013904223) % 4294967296
  return seed / 4294967296
}
/** The n-th most frequent word occurs 1/n as often as the first (Zipf). */
const word = () => `w${Math.min(VOCABULARY - 1, Math.floor(VOCABULARY ** random()))}x`

const directory = mkdtempSync(join(tmpdir(), 'signalbox-bench-'))
try {
  const path = join(directory, 'search.db')
  const index = await SearchIndex.open(path, { id: 'bench' } as EventStore, error => console.error(error))
  let [position, bytes] = [0, 0]
  const building = process.cpuUsage()
  while (bytes < MB * 1e6) {
    const events = Array.from({ length: BATCH }, () => {
      const markdown = Array.from({ length: WORDS_OF_A_TEXT }, word).join(' ')
      bytes += markdown.length
      const session = `ses_${position % 300}`
      const data = { session, turn: 't', message: `m${++position}`, markdown, blocks: [] }
      return { stream: `session/${session}`, type: 'message.final', position, version: 1, at: position, data }
    }) as unknown as StoredEvent[]
    index.add(events)
  }
  const built = process.cpuUsage(building)
  const size = Math.round(statSync(path).size / 1e6)
  console.log(
    `${MB} MB of text, ${position} entries, ${size} MB of index, ${((built.user + built.system) / 1e6).toFixed(0)} s CPU`,
  )
  const queries: [name: string, words: () => string, more?: object][] = [
    ['a frequent word', () => 'w1x '],
    ['a rare word', () => `w${40_000 + Math.floor(random() * 10_000)}x `],
    ['two words', () => `${word()} ${word()} `],
    [
      'two rare words',
      () => `w${30_000 + Math.floor(random() * 20_000)}x w${30_000 + Math.floor(random() * 20_000)}x `,
    ],
    ['a beginning', () => `w${1_000 + Math.floor(random() * 9_000)}`],
    ['a phrase', () => `"${word()} ${word()}" `],
    ['a word of one session', () => `${word()} `, { session: 'ses_7' }],
  ]
  for (const [name, words, more = {}] of queries) {
    const [elapsed, used]: [number[], number[]] = [[], []]
    for (let n = 0; n < 60; n++) {
      const asked = words()
      const [start, cpu] = [performance.now(), process.cpuUsage()]
      index.find({ words: asked, limit: 20, ...more })
      const { user, system } = process.cpuUsage(cpu)
      elapsed.push(performance.now() - start)
      used.push((user + system) / 1000)
    }
    for (const times of [elapsed, used]) times.sort((a, b) => a - b)
    const at = (times: number[], share: number) => times[Math.floor(times.length * share)]!
    const shown = (times: number[]) => `median ${at(times, 0.5).toFixed(1)} ms, p95 ${at(times, 0.95).toFixed(1)} ms`
    console.log(`${name.padEnd(24)} ${shown(elapsed)}; CPU ${shown(used)}`)
    // With more work than cores, the time of the clock is that of the other programs.
    if (at(loadavg()[0]! > availableParallelism() ? used : elapsed, 0.95) > BAR_MS) process.exitCode = 1
  }
  console.log(`load ${loadavg()[0]!.toFixed(1)} on ${availableParallelism()} cores`)
  index.close()
} finally {
  rmSync(directory, { recursive: true, force: true })
}
