// `npm run eval:screen -- [--misses] [--generic] [--only text] [dir]…`: what Signalbox reads from
// labelled recordings, compared with their labels. A directory holds NAME.cast (asciicast) and
// NAME.json ({agent, moments: [{t, view, expect}]}). Prints a table and the confusions, and exits 1
// if the results miss a bar (score-moments.mjs). Without a directory: that of
// labelled-recordings.mjs. `npm test` evaluates a sample of the same recordings.
import { readFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { corpusDirectory, needDirectories, readArguments, recordings } from './labelled-recordings.mjs'
import { build, install } from './setup.mjs'

if (!process.argv.includes('--no-build')) {
  install()
  build()
}
const { evaluateMoments, missedBars } = await import('./score-moments.mjs')
const { args, flag, option } = readArguments()
flag('--no-build')
const isShowingMisses = flag('--misses')
const isMutated = flag('--generic')
const only = option('--only')
if (args.length === 0) args.push(...corpusDirectory())
needDirectories(args, 'eval:screen')
/** What is labelled of a menu. */
const MENU_PARTS = ['options', 'selected', 'question']
/** States that are scored apart from views. */
const STATES = ['idle', 'busy', 'needs-you']
const noMenus = () =>
  Object.fromEntries(
    [...MENU_PARTS, ...STATES].flatMap(part => [
      [part, 0],
      [`${part}Right`, 0],
    ]),
  )
const totals = {}
const confusion = {}
const byAgent = new Map()
for (const directory of args) {
  for (const cast of recordings(directory)) {
    if (only && !cast.includes(only)) continue
    const side = JSON.parse(readFileSync(cast.replace(/\.cast$/, '.json'), 'utf8'))
    const { agent, results } = await evaluateMoments(cast, side, { isGeneric: isMutated })
    const named = results.map(result => ({ ...result, cast: `${basename(dirname(cast))}/${basename(cast)}` }))
    byAgent.set(agent, [...(byAgent.get(agent) ?? []), ...named])
    const sum = (totals[agent] ??= {
      recordings: 0,
      moments: 0,
      right: 0,
      calls: 0,
      falseCalls: 0,
      missedCalls: 0,
      ...noMenus(),
    })
    sum.recordings++
    for (const result of named) {
      sum.moments++
      if (result.isRight) sum.right++
      if (result.isCallRight) sum.calls++
      else if (result.gotCall) sum.falseCalls++
      else sum.missedCalls++
      if (result.state) {
        sum[result.state.wanted]++
        if (result.state.isRight) sum[`${result.state.wanted}Right`]++
      }
      for (const part of MENU_PARTS) {
        if (!result[part]) continue
        sum[part]++
        if (result[part].isRight) sum[`${part}Right`]++
      }
      if (!result.isRight)
        confusion[`${agent}: ${result.label} -> ${result.got}`] =
          (confusion[`${agent}: ${result.label} -> ${result.got}`] ?? 0) + 1
      if (
        isShowingMisses &&
        (!result.isRight || !result.isCallRight || MENU_PARTS.some(part => result[part]?.isRight === false))
      )
        console.log(JSON.stringify(result))
    }
  }
}
const all = {
  recordings: 0,
  moments: 0,
  right: 0,
  calls: 0,
  falseCalls: 0,
  missedCalls: 0,
  ...noMenus(),
}
for (const sum of Object.values(totals)) for (const key of Object.keys(all)) all[key] += sum[key]
const percent = (part, whole) => (whole === 0 ? '–' : ((100 * part) / whole).toFixed(1)).padStart(6)
console.log(
  'agent         recordings  moments  view %  needs-you %  false  missed  options  selected  question  idle %  busy %  needs-you %',
)
for (const [agent, sum] of [...Object.entries(totals).sort(), ['ALL', all]]) {
  console.log(
    agent.padEnd(14),
    String(sum.recordings).padStart(9),
    String(sum.moments).padStart(8),
    ` ${percent(sum.right, sum.moments)}`,
    percent(sum.calls, sum.moments).padStart(12),
    String(sum.falseCalls).padStart(6),
    String(sum.missedCalls).padStart(7),
    `${sum.optionsRight}/${sum.options}`.padStart(8),
    `${sum.selectedRight}/${sum.selected}`.padStart(9),
    `${sum.questionRight}/${sum.question}`.padStart(9),
    ...STATES.map((name, index) => percent(sum[`${name}Right`], sum[name]).padStart([7, 7, 11][index])),
  )
}
for (const [what, count] of Object.entries(confusion)
  .sort((a, b) => b[1] - a[1])
  .slice(0, 40))
  console.log(String(count).padStart(5), what)
if (!isMutated && only === null) {
  const missed = missedBars(byAgent)
  console.log(missed.length === 0 ? 'all bars are met' : missed.join('\n'))
  if (missed.length > 0) process.exitCode = 1
}
