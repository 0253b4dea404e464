// `npm run bench:terminal [-- --rounds <n>] [dir…]`: recordings through the emulator, through the
// whole path (emulator, frames, classifier) and through pyte, in one run. Prints MB/s, the ratio to
// pyte on every recording, and what a look takes.
//   bars: ≥ 15 × pyte on each recording; p95 of emulation and classification < 0.5 ms for the
//         median recording
//
// Method: emulator and pyte get the same work, all bytes of a recording at once and then one read
// of the display. Creating the emulator or the pyte screen is not counted; its cost is printed
// separately. Both take turns, recording by recording and round by round, so that a busy machine
// slows both; every figure is CPU time (of all threads, including the garbage collector) and the
// median of the rounds. A clock read costs as much as a short recording, so short ones are fed to
// several emulators (screens) between two reads, and take their turn three times a round: a single
// run of the compiler or the collector costs several times as much as they do. For the same reason
// recordings with a low ratio take up to nine more turns, the same number for both programs. Both
// collect garbage before the clock starts, so that the cost of creation is not counted.
//
// A look is all work since the look before it: emulation, frame, classification. Each recording is
// replayed several times, each look has the median of its turns, each recording its own p95.
//
// pyte is Debian's python3-pyte; without it the comparison is omitted with a message.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { performance } from 'node:perf_hooks'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { agentOf } from '../scripts/labelled-recordings.mjs'
import { build, install, root } from '../scripts/setup.mjs'

install()
build()
const { Pane, PaneScreen } = await import(join(root, 'dist', 'rooms', 'panes', 'index.js'))
const { classify, initialMemory } = await import(join(root, 'dist', 'rooms', 'screen', 'index.js'))
const { TerminalEmulator } = await import(join(root, 'dist', 'rooms', 'terminal', 'index.js'))
const { loadPack } = await import(join(root, 'dist', 'rooms', 'agents', 'index.js'))
const { readWholeRecording } = await import(join(root, 'dist', 'rooms', 'terminal', 'recording', 'index.js'))

// pyte fails on private variants of two sequences that nearly all agents send. They are dropped
// here, as its own Screen should do: otherwise a sixth of the recordings could not be compared.
const PYTE = `
import gc, sys, time, pyte

class Screen(pyte.Screen):
    def report_device_status(self, mode=0, **private):
        if not private: super().report_device_status(mode)
    def select_graphic_rendition(self, *attrs, **private):
        if not private: super().select_graphic_rendition(*attrs)

for line in sys.stdin:
    path, cols, rows, times = line.rstrip("\\n").split("\\t")
    gc.collect()
    made = time.process_time()
    screens = [Screen(int(cols), int(rows)) for _ in range(int(times))]
    streams = [pyte.ByteStream(screen) for screen in screens]
    if path == "":
        print((time.process_time() - made) / len(screens) * 1000, flush=True)
        continue
    data = open(path, "rb").read()
    gc.collect()
    try:
        start = time.process_time()
        for screen, stream in zip(screens, streams):
            stream.feed(data)
            screen.display
        print((time.process_time() - start) / len(screens) * 1000, flush=True)
    except Exception as error:
        print("failed", error, flush=True)
`

const { values, positionals } = parseArgs({ options: { rounds: { type: 'string' } }, allowPositionals: true })
// One round is enough for stable figures; more rounds smooth the ratios of the shortest recordings.
const rounds = Math.max(1, Number(values.rounds ?? 1) || 1)
const corpus = join(root, '..', 'shared', 'corpus')
const directories = positionals.length > 0 ? positionals : [existsSync(corpus) ? corpus : join(root, 'packs')]
setFlagsFromString('--expose-gc')
// A full collection would also discard compiled code. The second minor one promotes young objects
// that are alive.
const collect = runInNewContext('gc')
const collectGarbage = () => [1, 2].forEach(() => collect({ type: 'minor' }))
const scratch = mkdtempSync(join(tmpdir(), 'signalbox-bench-'))
const median = list => at(list, 0.5)
const began = performance.now()
const WARM_UP_MS = 5000
const ENOUGH_MS = 10
const LONG_MS = 50
const SHORT_MS = 5
const SHORT_TURNS = 3
const REPEATS_MAX = 20
/**
 * Recordings with a ratio below this take more turns: of few turns, one bad one determines the
 * median.
 */
const DOUBTFUL_RATIO = 20
const DOUBTFUL_TURNS = 9
const RATIO_BAR = 15
const LOOK_BAR_MS = 0.5
const LOOK_TURNS = 5
/** Of fewer looks, p95 is the slowest one. */
const LOOKS_MIN = 20
const MADE = 200
const WARM_UP_RECORDINGS = 30
const MADE_SIZE = { cols: 120, rows: 40 }

try {
  const recordings = await readRecordings()
  console.log(`${recordings.length} recordings, ${(total(recordings, 'size') / 1e6).toFixed(1)} MB, ${rounds} rounds`)
  await compare(recordings)
  await wholePath(recordings)
  await looks(recordings)
  flood(await loadPack(null, null))
  console.log(`(${((performance.now() - began) / 1000).toFixed(0)} s)`)
} finally {
  rmSync(scratch, { recursive: true, force: true })
}

async function readRecordings() {
  const recordings = []
  const packs = new Map()
  for (const [directory, cast] of directories.flatMap(directory => casts(directory).map(cast => [directory, cast]))) {
    const { header, events } = await readWholeRecording(cast)
    const bytes = Buffer.concat(events.filter(event => event.kind === 'output').map(event => event.bytes))
    if (bytes.length === 0) continue
    const raw = join(scratch, `${recordings.length}.raw`)
    writeFileSync(raw, bytes)
    const name = relative(directory, cast).replace(/\.cast$/, '')
    const agent = agentOf(cast)
    if (!packs.has(agent)) packs.set(agent, await loadPack(agent, null))
    // Their events are read again when needed: many small objects make every garbage collection
    // expensive.
    recordings.push({
      name,
      cast,
      cols: header.cols,
      rows: header.rows,
      bytes,
      size: bytes.length,
      raw,
      pack: packs.get(agent),
      emulator: [],
      pyte: [],
    })
  }
  return recordings
}

async function compare(recordings) {
  // The compiler has seen every kind of recording before the first is measured.
  for (const start = cpu(); cpu() - start < WARM_UP_MS; )
    for (const recording of recordings) feedEmulators(recording, 1)
  const pyte = openPyte()
  const takeTurn = async recording => {
    recording.emulator.push(await repeat(times => feedEmulators(recording, times)))
    if (pyte) recording.pyte.push(await repeat(times => pyte.feed(recording, times)))
  }
  for (let round = 0; round < rounds; round++) {
    for (const recording of recordings) {
      for (let turn = 0; turn === 0 || (turn < SHORT_TURNS && median(recording.emulator) < SHORT_MS); turn++)
        await takeTurn(recording)
    }
  }
  const isDoubtful = ({ emulator, pyte: theirs }) =>
    theirs.every(Number.isFinite) && median(theirs) / median(emulator) < DOUBTFUL_RATIO
  for (let turn = 0; pyte && turn < DOUBTFUL_TURNS; turn++)
    for (const recording of recordings.filter(isDoubtful)) await takeTurn(recording)
  const made = { emulator: makeEmulators(MADE), pyte: await pyte?.feed({ raw: '', ...MADE_SIZE }, MADE) }
  pyte?.end()
  report(recordings, pyte !== null)
  print(
    'making one',
    `emulator ${made.emulator.toFixed(3)} ms, pyte's screen ${made.pyte?.toFixed(3) ?? '–'} ms (120×40)`,
  )
}

function makeEmulators(times) {
  collectGarbage()
  const start = cpu()
  for (let made = 0; made < times; made++) new TerminalEmulator(MADE_SIZE)
  return (cpu() - start) / times
}

/**
 * A long recording once; others several times, short ones many times, after a first time with cold
 * caches.
 */
async function repeat(feed) {
  const onceMs = await feed(1)
  if (!(onceMs < LONG_MS)) return onceMs
  return feed(Math.max(1, Math.min(REPEATS_MAX, Math.ceil(ENOUGH_MS / onceMs))))
}

function feedEmulators({ bytes, cols, rows }, times) {
  const emulators = Array.from({ length: times }, () => new TerminalEmulator({ cols, rows }))
  collectGarbage()
  const start = cpu()
  for (const emulator of emulators) {
    emulator.feed(bytes, 0, { live: false })
    emulator.currentFrame()
  }
  return (cpu() - start) / times
}

function report(recordings, isCompared) {
  const measured = recordings.map(({ name, bytes, emulator, pyte }) => {
    const [emulatorMs, pyteMs] = [median(emulator), median(pyte)]
    return { name, bytes: bytes.length, emulatorMs, pyteMs, ratio: pyteMs / emulatorMs }
  })
  const both = measured.filter(({ ratio }) => Number.isFinite(ratio)).sort((a, b) => a.ratio - b.ratio)
  const rate = (list, key) => `${(total(list, 'bytes') / 1e3 / total(list, key)).toFixed(1)} MB/s`
  print('emulator', rate(measured, 'emulatorMs'))
  if (!isCompared || both.length === 0) {
    print('pyte', 'not installed (Debian: python3-pyte): no comparison')
    return
  }
  print('pyte', `${rate(both, 'pyteMs')}; it failed on ${measured.length - both.length} recordings`)
  const ratios = both.map(({ ratio }) => ratio)
  const quantiles = `least ${times(ratios[0])}, p5 ${times(at(ratios, 0.05))}, median ${times(median(ratios))}, most ${times(ratios.at(-1))}`
  print(
    'ratio',
    `${times(total(both, 'pyteMs') / total(both, 'emulatorMs'))} over all bytes; per recording: ${quantiles}`,
  )
  const missed = ratios.filter(ratio => ratio < RATIO_BAR).length
  print(`below ${RATIO_BAR} ×`, `${missed} of ${both.length} (bar 0)`)
  for (const { name, bytes, emulatorMs, pyteMs, ratio } of both.slice(0, Math.max(10, missed))) {
    const figures = `${(bytes / 1e3).toFixed(1)} kB, ${emulatorMs.toFixed(3)} ms to ${pyteMs.toFixed(2)} ms`
    print('', `${times(ratio).padStart(7)}  ${name} (${figures})`)
  }
}

/**
 * Every recording at its own pace: chunks as recorded, frames when they are due, every frame
 * classified.
 */
async function wholePath(recordings) {
  const classified = []
  let taken = 0
  for (const [index, { cast, pack, cols, rows }] of recordings.entries()) {
    const { events } = await readWholeRecording(cast)
    // The first recordings also warm up the compiler.
    if (index < WARM_UP_RECORDINGS) replay(events, new Pane(pack, { cols, rows }))
    taken += replay(events, new Pane(pack, { cols, rows }))
    if (cols === 120 && rows === 40) classified.push(...classification(events, { pack, cols, rows }))
  }
  print(
    'whole path',
    `${(total(recordings, 'size') / 1e3 / taken).toFixed(1)} MB/s, with the frames the recordings' own times give`,
  )
  if (classified.length === 0) return
  const [p50, p95, p99] = [0.5, 0.95, 0.99].map(quantile => `${at(classified, quantile).toFixed(3)} ms`)
  print('classify', `p50 ${p50}, p95 ${p95}, p99 ${p99} at 120×40 (${classified.length} frames)`)
}

function replay(events, pane) {
  const start = cpu()
  for (const event of events) {
    if (event.kind === 'output') pane.feed(event.bytes, event.t, { live: false })
    else if (event.kind === 'resize') pane.resize(event.cols, event.rows, event.t)
  }
  return cpu() - start
}

function classification(events, { pack, cols, rows }) {
  const emulator = new TerminalEmulator({ cols, rows })
  const taken = []
  let memory = initialMemory()
  for (const event of events) {
    for (const made of step(emulator, event)) {
      if (made.type !== 'frame') continue
      const start = cpu()
      memory = classify(made.frame, memory, pack).memory
      taken.push(cpu() - start)
    }
  }
  return taken
}

/** What a look takes, for every recording. */
async function looks(recordings) {
  const found = []
  for (const isMeasured of [false, true])
    for (const { name, cast, pack, cols, rows } of recordings) {
      const { events } = await readWholeRecording(cast)
      const turns = Array.from({ length: isMeasured ? LOOK_TURNS : 1 }, () =>
        lookCosts(events, new PaneScreen(pack, { cols, rows })),
      )
      const costs = turns[0].map((_, index) => median(turns.map(turn => turn[index])))
      if (isMeasured && costs.length >= LOOKS_MIN) found.push({ name, looks: costs.length, p95: at(costs, 0.95) })
    }
  found.sort((a, b) => b.p95 - a.p95)
  const all = found.map(({ p95 }) => p95)
  const below = all.filter(ms => ms < LOOK_BAR_MS).length
  print(
    'look, p95',
    `${median(all).toFixed(3)} ms for the median recording (bar ${LOOK_BAR_MS} ms); below it in ${below} of ${all.length}`,
  )
  for (const { name, looks, p95 } of found.slice(0, 5)) print('', `${p95.toFixed(3)} ms  ${name} (${looks} looks)`)
}

/** Milliseconds of CPU for each look, with the deadlines between the bytes as a host runs them. */
function lookCosts(events, screen) {
  const costs = []
  let last = cpu()
  const note = outputs => {
    const count = outputs.filter(({ type }) => type === 'look').length
    if (count === 0) return
    const now = cpu()
    for (let look = 0; look < count; look++) costs.push((now - last) / count)
    last = now
  }
  for (const event of events) {
    if (event.kind !== 'output' && event.kind !== 'resize') continue
    for (let due = screen.nextDeadline(); due !== null && due < event.t; ) {
      note(screen.tick(due))
      const next = screen.nextDeadline()
      due = next === due ? null : next
    }
    note(
      event.kind === 'output'
        ? screen.feed(event.bytes, event.t, { live: false })
        : screen.resize(event.cols, event.rows, event.t),
    )
  }
  return costs
}

function step(emulator, event) {
  if (event.kind === 'output') return emulator.feed(event.bytes, event.t, { live: false })
  return event.kind === 'resize' ? emulator.resize(event.cols, event.rows, event.t) : []
}

/** A program that prints as fast as it can: 64 kB pieces through the whole path. */
function flood(pack) {
  const line = Buffer.from(
    '\x1b[32m✔\x1b[0m test passes in 12 ms and prints a line of an ordinary length to the terminal\r\n',
  )
  const piece = Buffer.concat(Array.from({ length: Math.floor(65_536 / line.length) }, () => line))
  const pane = new Pane(pack, { cols: 120, rows: 40 })
  const start = cpu()
  let fed = 0
  for (; fed < 40e6; fed += piece.length) pane.feed(piece, fed / 20e6, { live: false })
  print(
    'flood',
    `${(fed / 1e3 / (cpu() - start)).toFixed(1)} MB/s through the whole path (64 kB pieces, arriving at 20 MB/s)`,
  )
}

function openPyte() {
  const python = ['/usr/bin/python3', 'python3'].find(name => spawnSync(name, ['-c', 'import pyte']).status === 0)
  if (!python) return null
  const child = spawn(python, ['-c', PYTE], { stdio: ['pipe', 'pipe', 'inherit'] })
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    async feed({ raw, cols, rows }, times) {
      child.stdin.write(`${raw}\t${cols}\t${rows}\t${times}\n`)
      return Number((await answers.next()).value)
    },
    end: () => child.stdin.end(),
  }
}

function cpu() {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e3
}

function at(list, quantile) {
  return list.toSorted((a, b) => a - b)[Math.floor(list.length * quantile)]
}

function total(list, key) {
  return list.reduce((sum, item) => sum + item[key], 0)
}

function times(ratio) {
  return `${ratio.toFixed(1)} ×`
}

function print(label, text) {
  console.log(`${label.padEnd(12)}${text}`)
}

function casts(directory) {
  return readdirSync(directory)
    .sort()
    .flatMap(name => {
      const path = join(directory, name)
      return statSync(path).isDirectory() ? casts(path) : name.endsWith('.cast') ? [path] : []
    })
}
