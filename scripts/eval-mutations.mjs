// `node scripts/eval-mutations.mjs [--show <mutation>] <dir>…`: how well screens are read when an
// agent's words, glyphs or keys change, or its terminal is narrower (scripts/mutate-recording.mjs).
// Titles and reports of the program are not used. `--show` lists what one mutation breaks.
import { readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { recordings } from './labelled-recordings.mjs'
import { MUTATIONS } from './mutate-recording.mjs'
import { acceptedViews } from './score-moments.mjs'
import { root } from './setup.mjs'

const { classify, initialMemory } = await import(join(root, 'dist', 'rooms', 'screen', 'index.js'))
const { FrameCoalescer, TerminalEmulator } = await import(join(root, 'dist', 'rooms', 'terminal', 'index.js'))
const { loadPack } = await import(join(root, 'dist', 'rooms', 'agents', 'index.js'))
const { readWholeRecording } = await import(join(root, 'dist', 'rooms', 'terminal', 'recording', 'index.js'))

const args = process.argv.slice(2)
const at = args.indexOf('--show')
const show = at < 0 ? null : args.splice(at, 2)[1]
const table = {}
const confusion = {}
for (const directory of args) {
  for (const cast of recordings(directory)) {
    const side = JSON.parse(readFileSync(cast.replace(/\.cast$/, '.json'), 'utf8'))
    const name = side.agent ?? (/claude/i.test(side.program ?? '') ? 'claude' : basename(dirname(cast)))
    if (name === 'shell') continue
    const pack = await loadPack(name.replace(/-[\d.]+$/, ''), null)
    const moments = (side.moments ?? [])
      .filter(moment => moment.view !== 'exited' && moment.t != null && moment.score !== false)
      .sort((a, b) => a.t - b.t)
    const { header, events } = await readWholeRecording(cast)
    for (const [mutation, mutate] of Object.entries(MUTATIONS)) {
      const views = play(
        events,
        header,
        pack,
        mutate,
        moments.map(moment => moment.t),
      )
      const sum = ((table[name] ??= {})[mutation] ??= { moments: 0, right: 0 })
      moments.forEach((moment, index) => {
        sum.moments++
        const isRight = acceptedViews(moment).has(views[index])
        if (isRight) sum.right++
        else if (mutation === show) {
          const key = `${name}: ${moment.view} -> ${views[index]}`
          confusion[key] = [...(confusion[key] ?? []), `${basename(cast)}@${moment.t}`]
        }
      })
    }
  }
}
const kinds = Object.keys(MUTATIONS)
console.log('agent'.padEnd(12), ...kinds.map(kind => kind.padStart(8)))
const total = Object.fromEntries(kinds.map(kind => [kind, { moments: 0, right: 0 }]))
for (const [name, row] of Object.entries(table).sort()) {
  console.log(
    name.padEnd(12),
    ...kinds.map(kind => ((100 * row[kind].right) / row[kind].moments).toFixed(1).padStart(8)),
  )
  for (const kind of kinds) for (const field of ['moments', 'right']) total[kind][field] += row[kind][field]
}
console.log(
  'ALL'.padEnd(12),
  ...kinds.map(kind => ((100 * total[kind].right) / total[kind].moments).toFixed(1).padStart(8)),
)
for (const [what, where] of Object.entries(confusion)
  .sort((a, b) => b[1].length - a[1].length)
  .slice(0, 25))
  console.log(String(where.length).padStart(4), what, where.slice(0, 3).join(' '))

function play(events, header, pack, mutate, times) {
  const emulator = new TerminalEmulator({ cols: header.cols, rows: header.rows })
  const coalescer = new FrameCoalescer()
  let memory = initialMemory()
  let view = 'unknown'
  const look = frame => {
    if (frame.suppressed) return
    const seen = classify(mutate(frame), memory, pack)
    memory = seen.memory
    view = seen.observation.view
  }
  const take = made => made.forEach(event => event.type === 'frame' && coalescer.push(event.frame).forEach(look))
  const found = []
  const waiting = [...times]
  const settle = t => {
    for (let due = next(emulator, coalescer); due !== null && due <= t; due = next(emulator, coalescer)) {
      take(emulator.tick(due))
      coalescer.flush(due).forEach(look)
      if (next(emulator, coalescer) === due) break
    }
  }
  const ask = t => {
    settle(t)
    if (emulator.isFrameOpen) take(emulator.endFrame(t))
    coalescer.flush(Number.POSITIVE_INFINITY).forEach(look)
    found.push(view)
  }
  for (const event of events) {
    while (waiting.length > 0 && waiting[0] < event.t) ask(waiting.shift())
    settle(event.t)
    if (event.kind === 'output') take(emulator.feed(event.bytes, event.t, { live: false }))
    else if (event.kind === 'resize') take(emulator.resize(event.cols, event.rows, event.t))
  }
  for (const t of waiting) ask(t)
  return found
}

function next(emulator, coalescer) {
  const due = [emulator.nextDeadline(), coalescer.nextDeadline()].filter(moment => moment !== null)
  return due.length === 0 ? null : Math.min(...due)
}
