// `npm run eval:blocks -- [--misses] [--show] [--generic] [--only name] [dir]…`: compares the
// answers that are read from recordings with the text that the model sent. A directory holds
// NAME.cast and NAME.json as for eval:screen; the answer is `expect.text` or `expect.response` of a
// moment. Without a directory: that of labelled-recordings.mjs.
import { readFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { corpusDirectory, needDirectories, readArguments, recordings } from './labelled-recordings.mjs'
import { build, install } from './setup.mjs'

if (!process.env.SIGNALBOX_DIST && !process.argv.includes('--no-build')) {
  install()
  build()
}
const { scoreBlocks } = await import('./score-blocks.mjs')
const { args, flag, option } = readArguments()
flag('--no-build')
const isShowingMisses = flag('--misses')
const isShowingText = flag('--show')
const isGeneric = flag('--generic')
const only = option('--only')
if (args.length === 0) args.push(...corpusDirectory())
needDirectories(args, 'eval:blocks')
const NONE = {
  answers: 0,
  exact: 0,
  want: 0,
  got: 0,
  common: 0,
  drawn: 0,
  paragraphs: 0,
  paragraphsRight: 0,
  codeLines: 0,
  codeRight: 0,
  kinds: 0,
  kindsRight: 0,
  streams: 0,
  streamExtra: 0,
}
const WORDS = ['want', 'got', 'common', 'drawn', 'paragraphs', 'paragraphsRight', 'codeLines', 'codeRight']
const percent = (part, whole) => (whole === 0 ? '–' : ((100 * part) / whole).toFixed(1)).padStart(6)
const all = { ...NONE }
console.log(
  'agent                 answers  exact  words in order %  of those drawn %  extra %  paragraphs  code lines   kinds  streaming: wrong/all',
)
// The recordings of an agent are in one directory: its row is printed as soon as it is known.
let open = new Map()
let folder = null
for (const directory of args) {
  for (const cast of recordings(directory)) {
    if (only && !cast.includes(only)) continue
    if (dirname(cast) !== folder) printOpen()
    folder = dirname(cast)
    const side = JSON.parse(readFileSync(cast.replace(/\.cast$/, '.json'), 'utf8'))
    const { agent, results } = await scoreBlocks(cast, side, { isGeneric })
    // `pi-0.87` is a directory of an older version.
    const name = basename(folder).startsWith(agent) ? basename(folder) : agent
    if (!open.has(name)) open.set(name, { ...NONE })
    for (const result of results) {
      count(open.get(name), result)
      count(all, result)
      if (isShowingMisses && isMiss(result)) report(cast, result)
    }
  }
}
printOpen()
print('ALL', all)

function count(sum, result) {
  if (!result.isEnd) {
    sum.streams++
    if (result.got > result.common) sum.streamExtra++
    return
  }
  sum.answers++
  if (isExact(result)) sum.exact++
  // What was read was drawn.
  const drawn = Math.max(result.common, result.want - result.undrawn)
  for (const key of WORDS) sum[key] += key === 'drawn' ? drawn : result[key]
  for (const [kind, number] of Object.entries(result.kinds)) {
    sum.kinds += number
    sum.kindsRight += Math.min(number, result.gotKinds[kind])
  }
}

function isExact({ want, got, common }) {
  return common === want && got === want
}

function isMiss(result) {
  if (!result.isEnd) return result.got > result.common
  return (
    !isExact(result) ||
    result.paragraphs !== result.paragraphsRight ||
    result.codeLines !== result.codeRight ||
    JSON.stringify(result.kinds) !== JSON.stringify(result.gotKinds)
  )
}

function printOpen() {
  for (const [agent, sum] of [...open].sort()) print(agent, sum)
  open = new Map()
}

function print(agent, sum) {
  console.log(
    agent.padEnd(20),
    String(sum.answers).padStart(8),
    String(sum.exact).padStart(6),
    percent(sum.common, sum.want).padStart(17),
    percent(sum.common, sum.drawn).padStart(17),
    percent(sum.got - sum.common, sum.got).padStart(8),
    `${sum.paragraphsRight}/${sum.paragraphs}`.padStart(11),
    `${sum.codeRight}/${sum.codeLines}`.padStart(11),
    `${sum.kindsRight}/${sum.kinds}`.padStart(7),
    `${sum.streamExtra}/${sum.streams}`.padStart(12),
  )
}

function report(cast, result) {
  const { markdown, source, ...rest } = result
  console.log(JSON.stringify({ cast: `${basename(dirname(cast))}/${basename(cast)}`, ...rest }))
  if (isShowingText) console.log(`--- sent\n${source}\n--- read\n${markdown}\n---`)
}
