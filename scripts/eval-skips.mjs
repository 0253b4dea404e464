// `npm run eval:skips -- [--only text] [dir]…`: what the classifier skips changes nothing. Rows,
// and all that follows from rows and cursor alone, are read once as long as they stay the same.
// Each frame of each recording is classified twice: as the product does it, and from copies of all
// its objects, of which nothing is known. Observation, memory, layout and the view at work must be
// the same in every frame, at the times at which the product reads: frames, and screens that are
// read again because a sign has expired. Prints how many frames were skipped; exits 1 if one
// differs. Directories as for eval:screen. `npm test` does it with a sample
// (remembered-rows.test.ts).
import { relative } from 'node:path'
import { agentOf, corpusDirectory, needDirectories, readArguments, recordings } from './labelled-recordings.mjs'
import { build, install, root } from './setup.mjs'

const { args, flag, option } = readArguments()
if (!flag('--no-build')) {
  install()
  build()
}
const only = option('--only')
if (args.length === 0) args.push(...corpusDirectory())
needDirectories(args, 'eval:skips')
const room = name => import(`${root}/dist/rooms/${name}/index.js`)
const [{ classify, initialMemory, recordInput }, terminal, { loadPack }, { readWholeRecording }] = await Promise.all(
  ['screen', 'terminal', 'agents', 'terminal/recording'].map(room),
)
const { FrameCoalescer, hasSameContent, TerminalEmulator } = terminal

const packs = new Map()
const all = { recordings: 0, frames: 0, skipped: 0, different: 0 }
for (const directory of args) {
  for (const cast of recordings(directory)) {
    if (only && !cast.includes(only)) continue
    const agent = agentOf(cast)
    if (!packs.has(agent)) packs.set(agent, await loadPack(agent, null))
    const { frames, skipped, different } = await compare(cast, packs.get(agent))
    all.recordings++
    all.frames += frames
    all.skipped += skipped
    all.different += different.length
    if (different.length > 0)
      console.log(`${relative(directory, cast)}: differs at ${different.slice(0, 5).join(', ')} s`)
  }
}
const share = ((all.skipped / all.frames) * 100).toFixed(0)
console.log(
  `${all.recordings} recordings, ${all.frames} frames: ${all.skipped} (${share} %) skipped, ${all.different} differ`,
)
process.exitCode = all.different > 0 || all.frames === 0 ? 1 : 0

/** Classifies all frames of a recording twice. */
async function compare(cast, pack) {
  const { header, events } = await readWholeRecording(cast)
  const { cols, rows } = header
  const emulator = new TerminalEmulator({ cols, rows })
  const coalescer = new FrameCoalescer()
  const found = { frames: 0, skipped: 0, different: [] }
  let [known, fresh] = [initialMemory(), initialMemory()]
  let last = null
  const classifyTwice = frame => {
    const remembered = classify(frame, known, pack)
    const anew = classify(structuredClone(frame), fresh, { ...pack })
    found.frames++
    if (last && hasSameContent(last, frame)) found.skipped++
    if (textOf(remembered) !== textOf(anew)) found.different.push(frame.t.toFixed(2))
    known = remembered.memory
    fresh = anew.memory
    last = frame
  }
  const see = made => {
    for (const event of made) if (event.type === 'frame') coalescer.push(event.frame).forEach(classifyTwice)
  }
  const runDeadlines = until => {
    for (;;) {
      const due = [emulator.nextDeadline(), coalescer.nextDeadline(), last && known.recheckAt].filter(at => at !== null)
      const at = Math.min(...due)
      if (!(at < until)) return
      see(emulator.tick(at))
      coalescer.flush(at).forEach(classifyTwice)
      if (last && known.recheckAt !== null && known.recheckAt <= at) classifyTwice({ ...last, t: at })
    }
  }
  for (const event of events) {
    runDeadlines(event.t)
    if (event.kind === 'output') see(emulator.feed(event.bytes, event.t, { live: false }))
    else if (event.kind === 'resize') see(emulator.resize(event.cols, event.rows, event.t))
    else if (event.kind === 'input') [known, fresh] = [known, fresh].map(memory => recordInput(memory, event.t))
  }
  return found
}

/** Everything that a classification says, as text. */
function textOf({ observation, memory, layout, atWork }) {
  const { blocks, roles, regions, composer, terminator, menu, quoted } = layout
  return JSON.stringify([observation, memory, atWork, blocks, roles, [...regions], composer, terminator, menu, quoted])
}
