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
  const { compareScreens, compareTheirScreens } = await import('./peers/screens.mjs')
  const { CCMANAGER } = await import('./peers/ccmanager.mjs')
  const rows = await compareScreens()
  lines.push(
    `**Screens.** Recordings of real agents, made and labelled for Signalbox. At each labelled moment: is the agent blocked by a question, at work, or idle? [ccmanager](https://github.com/kbwo/ccmanager) ${CCMANAGER} is asked itself: its published package gets every frame, at the time of the recording, and two seconds more at each labelled moment, because it waits before it calls a screen idle. [herdr](https://github.com/ogulcancelik/herdr) is not on npm: its rules are written down from its public sources (\`bench/peers/screen-rules.mjs\`). Hooks and transcripts are used on no side. Signalbox also remembers earlier frames, as in the product. *False*: reported as blocked without a question. *Missed*: a question that is not reported. The recordings are ours, of versions that our packs describe, so this says how far rules written for other versions reach, not how good a program is.`,
    '',
    '| program | agent | moments | right: they | right: Signalbox | false: they / Signalbox | missed: they / Signalbox | errors, ratio |',
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
  lines.push(
    '',
    `The other way round: the screens with which ccmanager ${CCMANAGER} tests its own rules, read by Signalbox. They are plain text of a few lines, partly of older versions of the agents and without the rest of a screen, which Signalbox wants as a proof that a question is live. ccmanager reads all of them as its tests expect.`,
    '',
    '| agent | screens | right: Signalbox | false | missed |',
    '|---|---|---|---|---|',
  )
  for (const { agent, moments, ours } of await compareTheirScreens())
    lines.push(`| ${agent} | ${moments} | ${percent(ours.right, moments)} | ${ours.falseCalls} | ${ours.missedCalls} |`)
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
if (wants('emulation')) {
  const { compareEmulation } = await import('./peers/emulation.mjs')
  lines.push(`**Emulation.** ${await compareEmulation()}`, '')
}
if (wants('latency')) {
  const { measureLatency } = await import('./peers/latency.mjs')
  const { ours, theirs } = await measureLatency()
  const at = (list, share) => list[Math.floor(share * list.length)].toFixed(1)
  lines.push(
    `**Dashboard latency.** From a key to its echo over a WebSocket, ${ours.length} keys each, in turns: Signalbox p50 ${at(ours, 0.5)} ms, p95 ${at(ours, 0.95)} ms; the floor p50 ${at(theirs, 0.5)} ms, p95 ${at(theirs, 0.95)} ms. The floor is the least that such a terminal can be: a PTY whose bytes are passed on as they come, in one process. Signalbox records them, and reads the screen. [ttyd](https://github.com/tsl0922/ttyd) itself was not measured: Debian 12 does not have it, and its package on npm is the page only.`,
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
