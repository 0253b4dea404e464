// `npm run compare [-- --only screens|engine|emulation|latency]`: Signalbox beside what a user
// would pick instead, on the same recordings and workloads, in the same run. Writes its section of
// docs/benchmarks.md (between the marks). A peer that cannot be had on this machine is named.
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { build, install, requireNode, root } from '../scripts/setup.mjs'

requireNode()
install()
build()
const { values } = parseArgs({ options: { only: { type: 'string' }, print: { type: 'boolean' } } })
const wants = part => values.only === undefined || values.only === part
const lines = [
  `Measured on ${new Date().toISOString().slice(0, 10)}, Node ${process.versions.node}, ${cpus().length} cores, load average ${loadavg()[0].toFixed(1)}. Repeat it with \`npm run compare\`.`,
  '',
]
const percent = (part, whole) => `${((100 * part) / whole).toFixed(1)} %`

if (wants('screens')) {
  const { compareScreens } = await import('./peers/screens.mjs')
  const rows = await compareScreens()
  lines.push(
    '**Screens.** Labelled recordings of real agents. At each labelled moment: is the agent blocked by a question, at work, or idle? The rules of [ccmanager](https://github.com/kbwo/ccmanager) and [herdr](https://github.com/ogulcancelik/herdr) are written down from their public sources (`bench/peers/screen-rules.mjs`) and get the same screen and title; hooks and transcripts are used on neither side. Signalbox also remembers earlier frames, as in the product. *False*: reported as blocked without a question. *Missed*: a question that is not reported. The recordings were made for Signalbox, with versions that its packs describe, so this says how far rules written for other versions reach, not how good a program is.',
    '',
    '| rules of | agent | moments | right: they | right: Signalbox | false: they / Signalbox | missed: they / Signalbox | errors, ratio |',
    '|---|---|---|---|---|---|---|---|',
  )
  for (const { peer, agent, moments, ours, theirs } of rows) {
    const errors = [moments - theirs.right, moments - ours.right]
    const ratio = errors[1] === 0 ? `${errors[0]} : 0` : `${(errors[0] / errors[1]).toFixed(1)} ×`
    lines.push(
      `| ${peer} | ${agent} | ${moments} | ${percent(theirs.right, moments)} | ${percent(ours.right, moments)} | ${theirs.falseCalls} / ${ours.falseCalls} | ${theirs.missedCalls} / ${ours.missedCalls} | ${ratio} |`,
    )
  }
  if (rows.length === 0) lines.push('| – | no labelled recordings here (`SIGNALBOX_CORPUS`) | | | | | | |')
  lines.push('')
}
if (wants('engine')) {
  const env = { ...process.env, BENCH_STEPS: process.env.BENCH_STEPS ?? '200' }
  const { stdout } = spawnSync(process.execPath, ['--import', 'tsx', join(root, 'bench', 'engine.ts')], {
    cwd: root,
    env,
    encoding: 'utf8',
  })
  lines.push(
    `**Engine.** A durable step, beside [LangGraph.js](https://github.com/langchain-ai/langgraphjs) with its SQLite checkpointer: the same process, in turns, the same durability (\`npm run bench:engine\`, ${env.BENCH_STEPS} steps).`,
    '',
    '```text',
    ...stdout
      .trimEnd()
      .split('\n')
      .map(line => line.replaceAll(/\S*\/signalbox-bench\/\S*/g, '…')),
    '```',
    '',
  )
}
if (wants('emulation')) lines.push(`**Emulation.** ${await emulation()}`, '')
if (wants('latency')) {
  const hasTtyd = spawnSync('ttyd', ['--version']).status === 0
  lines.push(
    `**Dashboard latency.** ${hasTtyd ? 'ttyd is here: `npm run bench:server` measures the floor of a plain terminal over WebSocket.' : 'The floor would be [ttyd](https://github.com/tsl0922/ttyd); it is not installed on this machine, so there is no figure.'}`,
    '',
  )
}
if (values.print || values.only !== undefined) console.log(lines.join('\n'))
else {
  const file = join(root, 'docs', 'benchmarks.md')
  const page = readFileSync(file, 'utf8')
  const [start, end] = ['<!-- compare: written by npm run compare -->', '<!-- compare: end -->']
  const at = page.indexOf(start)
  if (at < 0) throw new Error(`${file} has no section for the comparison`)
  writeFileSync(file, `${page.slice(0, at)}${start}\n${lines.join('\n').trimEnd()}\n${page.slice(page.indexOf(end))}`)
  console.log('wrote docs/benchmarks.md')
}

/**
 * The same bytes through the emulator of Signalbox and through pyte: how many rows of text differ.
 */
async function emulation() {
  if (spawnSync('python3', ['-c', 'import pyte']).status !== 0)
    return '[pyte](https://github.com/selectel/pyte) is not installed on this machine, so there is no figure.'
  const { TerminalEmulator } = await import(join(root, 'dist', 'rooms', 'terminal', 'index.js'))
  const { readWholeRecording } = await import(join(root, 'dist', 'rooms', 'terminal', 'recording', 'index.js'))
  const { header, events } = await readWholeRecording(join(root, 'packs', 'codex', 'fixtures', 'hello.80x24.cast'))
  const bytes = Buffer.concat(
    events.filter(({ kind }) => kind === 'output').map(({ bytes: part }) => Buffer.from(part)),
  )
  const emulator = new TerminalEmulator({ cols: header.cols, rows: header.rows })
  const started = performance.now()
  let frame = null
  for (const event of [...emulator.feed(bytes, 0, { live: false }), ...emulator.tick(10)])
    if (event.type === 'frame') frame = event.frame
  const ours = performance.now() - started
  const script = `import sys,time,pyte\nd=sys.stdin.buffer.read()\ns=pyte.Screen(${header.cols},${header.rows})\nt=time.time()\npyte.ByteStream(s).feed(d)\nprint(time.time()-t)\nprint("\\n".join(s.display))`
  const [seconds, ...rows] = spawnSync('python3', ['-c', script], { input: bytes, encoding: 'utf8' }).stdout.split('\n')
  const differing = frame.lines.filter((row, index) => row.text.trimEnd() !== (rows[index] ?? '').trimEnd()).length
  return `${bytes.length} bytes of a recorded agent: ${differing} of ${frame.lines.length} rows differ from pyte; ${ours.toFixed(0)} ms beside ${(1000 * Number(seconds)).toFixed(0)} ms.`
}
