// The same bytes through the emulator of Signalbox and through pyte: how many rows of text differ,
// and how long it takes.
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../scripts/setup.mjs'

const { TerminalEmulator } = await import(join(root, 'dist', 'rooms', 'terminal', 'index.js'))
const { readWholeRecording } = await import(join(root, 'dist', 'rooms', 'terminal', 'recording', 'index.js'))
/** Debian installs pyte (python3-pyte) for its own Python only. */
const PYTHONS = ['python3', '/usr/bin/python3']
const SCRIPT = `
import sys, time, pyte
from importlib.metadata import version
cols, rows = int(sys.argv[1]), int(sys.argv[2])
data = sys.stdin.buffer.read()
screen = pyte.Screen(cols, rows)
start = time.process_time()
pyte.ByteStream(screen).feed(data)
print(version("pyte"), time.process_time() - start)
print("\\n".join(screen.display))
`

export async function compareEmulation() {
  const python = PYTHONS.find(name => spawnSync(name, ['-c', 'import pyte']).status === 0)
  if (!python)
    return '[pyte](https://github.com/selectel/pyte) is not installed on this machine (`apt-get install python3-pyte`), so there is no figure.'
  const sum = { recordings: 0, bytes: 0, rows: 0, differing: 0, alternate: 0, ours: 0, theirs: 0, version: '' }
  for (const cast of shippedRecordings()) {
    const { header, events } = await readWholeRecording(cast)
    // One size only: pyte is not told of another one.
    if (events.some(({ kind }) => kind === 'resize')) continue
    const bytes = Buffer.concat(
      events.filter(({ kind }) => kind === 'output').map(({ bytes: part }) => Buffer.from(part)),
    )
    const { lines, cpuMs } = emulate(header, bytes)
    const { status, stdout } = spawnSync(python, ['-c', SCRIPT, String(header.cols), String(header.rows)], {
      input: bytes,
      encoding: 'utf8',
      maxBuffer: 1 << 26,
    })
    if (status !== 0) continue
    const [figures, ...rows] = stdout.split('\n')
    const [version, seconds] = figures.split(' ')
    sum.version = version
    sum.recordings++
    sum.bytes += bytes.length
    sum.rows += lines.length
    const differing = lines.filter((text, index) => text !== (rows[index] ?? '').trimEnd()).length
    sum.differing += differing
    if (bytes.includes('\x1b[?1049h')) sum.alternate += differing
    sum.ours += cpuMs
    sum.theirs += 1_000 * Number(seconds)
  }
  return `The last screens of ${sum.recordings} recorded sessions (${(sum.bytes / 1e6).toFixed(1)} MB) by Signalbox and by [pyte](https://github.com/selectel/pyte) ${sum.version}: ${sum.differing} of ${sum.rows} rows differ, ${sum.alternate} of them in recordings that use the alternate screen, which pyte does not have: it keeps showing what the agent drew there (the others: emoji with variation selectors, OSC 133, keyboard modes that it prints); ${sum.ours.toFixed(0)} ms of CPU beside ${sum.theirs.toFixed(0)} ms (${(sum.theirs / sum.ours).toFixed(1)} ×).`
}

function* shippedRecordings() {
  const packs = join(root, 'packs')
  for (const name of readdirSync(packs, { recursive: true, encoding: 'utf8' }).sort())
    if (name.endsWith('.cast')) yield join(packs, name)
}

function emulate({ cols, rows }, bytes) {
  const emulator = new TerminalEmulator({ cols, rows })
  const before = process.cpuUsage()
  let frame = null
  for (const event of [...emulator.feed(bytes, 0, { live: false }), ...emulator.tick(10)])
    if (event.type === 'frame') frame = event.frame
  const { user, system } = process.cpuUsage(before)
  return { lines: frame?.lines.map(row => row.text.trimEnd()) ?? [], cpuMs: (user + system) / 1_000 }
}
