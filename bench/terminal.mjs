// `npm run bench:terminal [-- dir…]`: bytes of recordings through the emulator alone, through the whole path (emulator, frames, classifier),
// and through pyte, one after the other in the same run. Prints MB/s, the ratio per recording, and the time a classification takes.
// pyte is Debian's python3-pyte; without it the comparison is left out, and said so.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { build, install, root } from '../scripts/setup.mjs'

install()
build()
const { Pane } = await import(join(root, 'dist', 'panes', 'index.js'))
const { classify, initialMemory } = await import(join(root, 'dist', 'screen', 'index.js'))
const { TerminalEmulator } = await import(join(root, 'dist', 'terminal', 'index.js'))
const { loadPack } = await import(join(root, 'dist', 'agents', 'index.js'))
const { readWholeRecording } = await import(join(root, 'dist', 'terminal', 'recording', 'index.js'))

const PYTE = `
import sys, time, pyte
for line in open(sys.argv[1]):
    path, cols, rows = line.rstrip("\\n").split("\\t")
    data = open(path, "rb").read()
    taken = []
    try:
        while sum(taken) < 0.05 or len(taken) < 3:
            screen = pyte.Screen(int(cols), int(rows)); stream = pyte.ByteStream(screen)
            start = time.process_time()
            stream.feed(data); screen.display
            taken.append(time.process_time() - start)
        print(sorted(taken)[len(taken) // 2], flush=True)
    except Exception:
        print("failed", flush=True)
`
const given = process.argv.slice(2)
const shared = join(root, '..', 'shared', 'corpus')
const directories = given.length > 0 ? given : existsSync(shared) ? [shared] : [join(root, 'packs')]
const scratch = mkdtempSync(join(tmpdir(), 'signalbox-bench-'))
const cpu = () => process.cpuUsage().user / 1e3 + process.cpuUsage().system / 1e3

const generic = await loadPack(null, null)
const prepare = header => new TerminalEmulator({ cols: header.cols, rows: header.rows })
const feedAll = bytes => emulator => {
  emulator.feed(bytes, 0, { live: false })
  emulator.picture()
}
// The compiler sees the code of every kind of recording before the first one is measured.
for (const cast of directories.flatMap(casts)) {
  const { header, events } = await readWholeRecording(cast)
  feedAll(Buffer.concat(events.filter(event => event.kind === 'output').map(event => event.bytes)))(prepare(header))
}
const rows = []
const classifyTimes = []
for (const cast of directories.flatMap(casts)) {
  const { header, events } = await readWholeRecording(cast)
  const outputs = events.filter(event => event.kind === 'output')
  const bytes = Buffer.concat(outputs.map(event => event.bytes))
  if (bytes.length < 2000) continue
  const pack = await loadPack(agentOf(cast), null)
  const raw = join(scratch, `${rows.length}.raw`)
  writeFileSync(raw, bytes)
  const emulatorMs = measure(() => prepare(header), feedAll(bytes))
  const newPane = () => new Pane(pack, { cols: header.cols, rows: header.rows })
  const pathMs = measure(newPane, pane => {
    for (const event of events) {
      if (event.kind === 'output') pane.feed(event.bytes, event.t, { live: false })
      else if (event.kind === 'resize') pane.resize(event.cols, event.rows, event.t)
    }
  })
  if (header.cols === 120 || header.cols === 80) timeClassification(events, header, pack)
  rows.push({ cast, bytes: bytes.length, cols: header.cols, rows: header.rows, raw, emulatorMs, pathMs })
}
const pyteMs = runPyte()
const sum = key => rows.reduce((total, row) => total + row[key], 0)
const rate = key => (sum('bytes') / 1e3 / sum(key)).toFixed(1)
console.log(`${rows.length} recordings, ${(sum('bytes') / 1e6).toFixed(1)} MB`)
console.log(`emulator      ${rate('emulatorMs')} MB/s`)
console.log(
  `whole path    ${rate('pathMs')} MB/s at the recordings' own rhythm (a frame every ${(sum('bytes') / classifyTimes.length / 1e3).toFixed(1)} kB)`,
)
if (pyteMs) {
  const compared = rows
    .map((row, index) => ({ ...row, pyteMs: pyteMs[index] }))
    .filter(row => Number.isFinite(row.pyteMs))
  const total = key => compared.reduce((all, row) => all + row[key], 0)
  const ratios = compared
    .map(row => ({ ratio: row.pyteMs / row.emulatorMs, cast: basename(row.cast) }))
    .sort((a, b) => a.ratio - b.ratio)
  const show = ({ ratio, cast }) => `${ratio.toFixed(1)} × (${cast})`
  console.log(
    `pyte          ${(total('bytes') / 1e3 / total('pyteMs')).toFixed(1)} MB/s; it failed on ${rows.length - compared.length} recordings`,
  )
  console.log(
    `emulator is ${(total('pyteMs') / total('emulatorMs')).toFixed(1)} × pyte over all; per recording: least ${show(ratios[0])}, median ${show(ratios[ratios.length >> 1])}, most ${show(ratios.at(-1))}`,
  )
  const slow = ratios.filter(({ ratio }) => ratio < 10)
  console.log(`below 10 ×: ${slow.length}${slow.length > 0 ? `: ${slow.slice(0, 8).map(show).join(', ')}` : ''}`)
} else console.log('pyte          not installed (Debian: python3-pyte): no comparison')
const at = q => classifyTimes[Math.floor(classifyTimes.length * q)].toFixed(3)
classifyTimes.sort((a, b) => a - b)
console.log(
  `classify      p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, p99 ${at(0.99)} ms over ${classifyTimes.length} frames of 80 and 120 columns (wall time)`,
)
console.log(throughput())
rmSync(scratch, { recursive: true, force: true })

/** CPU time of one run: the median of at least three and of at least 50 ms together, as for pyte. Making the subject is not counted, for either. */
function measure(make, work) {
  const taken = []
  for (let total = 0; total < 50 || taken.length < 3; total += taken.at(-1)) {
    const subject = make()
    const start = cpu()
    work(subject)
    taken.push(cpu() - start)
  }
  return taken.sort((a, b) => a - b)[taken.length >> 1]
}

function timeClassification(events, header, pack) {
  const emulator = new TerminalEmulator({ cols: header.cols, rows: header.rows })
  let memory = initialMemory()
  for (const event of events) {
    const made =
      event.kind === 'output'
        ? emulator.feed(event.bytes, event.t, { live: false })
        : event.kind === 'resize'
          ? emulator.resize(event.cols, event.rows, event.t)
          : []
    for (const item of made) {
      if (item.type !== 'frame') continue
      const start = performance.now()
      memory = classify(item.frame, memory, pack).memory
      classifyTimes.push(performance.now() - start)
    }
  }
}

/** A flood: 64 kB pieces as a program prints them when nothing holds it back. */
function throughput() {
  const line = Buffer.from(
    '\u001b[32m✔\u001b[0m test passes in 12 ms and prints a line of an ordinary length to the terminal\r\n',
  )
  const piece = Buffer.concat(Array.from({ length: Math.floor(65_536 / line.length) }, () => line))
  const pane = new Pane(generic, { cols: 120, rows: 40 })
  const start = cpu()
  let t = 0
  let bytes = 0
  while (bytes < 40e6) {
    t += piece.length / 20e6
    pane.feed(piece, t, { live: false })
    bytes += piece.length
  }
  return `flood         ${(bytes / 1e3 / (cpu() - start)).toFixed(1)} MB/s through the whole path (64 kB pieces at 20 MB/s)`
}

function runPyte() {
  const python = ['/usr/bin/python3', 'python3'].find(
    candidate => spawnSync(candidate, ['-c', 'import pyte']).status === 0,
  )
  if (!python) return null
  const list = join(scratch, 'list')
  writeFileSync(list, rows.map(row => `${row.raw}\t${row.cols}\t${row.rows}`).join('\n'))
  const result = spawnSync(python, ['-c', PYTE, list], { encoding: 'utf8', maxBuffer: 1 << 26 })
  return result.stdout
    .trim()
    .split('\n')
    .map(seconds => Number(seconds) * 1000)
}

function agentOf(cast) {
  const folder = basename(dirname(cast)) === 'fixtures' ? basename(dirname(dirname(cast))) : basename(dirname(cast))
  return folder === 'shell' || folder === 'generic' ? null : folder.replace(/-[\d.]+$/, '')
}

function casts(directory) {
  return readdirSync(directory)
    .sort()
    .flatMap(name => {
      const path = join(directory, name)
      return statSync(path).isDirectory() ? casts(path) : name.endsWith('.cast') ? [path] : []
    })
}
