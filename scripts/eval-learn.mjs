// `npm run eval:learn [-- --transcripts] [--groups N] [--only agent] [dir]…`: what `signalbox packs
// learn` writes for an agent that has no pack. The recordings of every agent are dealt into groups
// (default 4); for each group a pack is learned from the others, starting from nothing, and the
// views of the group are scored; a pack that the check of the command refuses is not used. With
// --transcripts it learns from the model's records alone (as an agent's transcript has them), not
// from labels. Exits 1 if an agent misses 93 % of views.
import { readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { corpusDirectory, needDirectories, readArguments, recordings } from './labelled-recordings.mjs'
import { build, install, root } from './setup.mjs'

if (!process.argv.includes('--no-build')) {
  install()
  build()
}
const { proposePack, readRecordings, packText, momentsOf, judgeAll } = await import(
  join(root, 'dist', 'rooms', 'learning', 'index.js')
)
const { buildPack } = await import(join(root, 'dist', 'rooms', 'agents', 'packs', 'index.js'))
const { args, flag, option } = readArguments()
flag('--no-build')
const isByTranscript = flag('--transcripts')
const isVerbose = flag('--verbose')
const only = option('--only')
const folds = Number(option('--groups') ?? 4)
if (args.length === 0) args.push(...corpusDirectory())
needDirectories(args, 'eval:learn')
const BAR = 0.93

const byAgent = new Map()
for (const directory of args)
  for (const cast of recordings(directory)) {
    const side = JSON.parse(readFileSync(cast.replace(/\.cast$/, '.json'), 'utf8'))
    const name = side.agent ?? (/claude/i.test(side.program ?? '') ? 'claude' : basename(dirname(cast)))
    const agent = name.replace(/-[\d.]+$/, '')
    if (agent === 'shell' || (only && agent !== only)) continue
    const [taught] = await readRecordings([cast])
    if (taught) byAgent.set(agent, [...(byAgent.get(agent) ?? []), { taught, side }])
  }

console.log('agent      recordings  moments  without a pack  learned  entries  refused  needs-you missed/false')
let missed = 0
for (const [agent, all] of [...byAgent].sort()) {
  const groups = Array.from({ length: folds }, (_, group) => all.filter((_, index) => index % folds === group))
  const sum = { all: 0, before: 0, after: 0, entries: 0, refused: 0, missed: 0, false: 0 }
  for (const testing of groups) {
    const learning = all.filter(recording => !testing.includes(recording))
    const pack = entries =>
      buildPack(
        [],
        [{ file: 'learned', text: packText({ agent: 'learned', isAlone: true, about: '' }, entries) }],
        null,
      )
    const lessons = learning.map(({ taught, side }) => (isByTranscript ? transcriptOf(taught, side) : taught))
    const proposed = await proposePack(
      lessons.filter(({ moments }) => moments.length > 0),
      { build: pack, keepsFixtures: async () => true },
    )
    const entries = proposed.isWorse ? [] : proposed.entries
    if (proposed.isWorse) sum.refused++
    if (isVerbose) {
      console.log(agent, proposed.before, proposed.after, proposed.unseen, proposed.isWorse ? 'refused' : '')
      console.log(packText({ agent: 'learned', isAlone: true, about: '' }, entries))
    }
    const tested = testing.map(({ taught }) => taught)
    const plain = judgeAll(tested, pack([]))
    const learned = judgeAll(tested, pack(entries))
    sum.entries += entries.length
    sum.all += plain.all
    sum.before += plain.views
    sum.after += learned.views
    sum.missed += learned.missedWaits
    sum.false += learned.falseWaits
    if (isVerbose) for (const line of learned.wrong) console.log('   ', line)
  }
  const share = sum.after / sum.all
  if (share < BAR) missed++
  const percent = part => ((100 * part) / sum.all).toFixed(1).padStart(6)
  console.log(
    agent.padEnd(10),
    String(all.length).padStart(10),
    String(sum.all).padStart(8),
    percent(sum.before).padStart(15),
    percent(sum.after).padStart(8),
    String(sum.entries).padStart(8),
    `${sum.refused}/${folds}`.padStart(8),
    `${sum.missed}/${sum.false}`.padStart(12),
    share < BAR ? ' below the bar of 93 %' : '',
  )
}
process.exitCode = missed > 0 ? 1 : 0

/** The same recording, taught by what the model was asked and answered, with times. */
function transcriptOf(taught, { truth = [], api = [], moments = [] }) {
  const statements = []
  const add = (t, statement) => statements.push({ at: 1e12 + t * 1000, ...statement })
  for (const { t, ev, text, kind, toolResults, name } of truth) {
    if (ev === 'user_submit') add(t, { kind: 'prompt', text })
    if (ev === 'request' && kind === 'main' && toolResults?.length > 0) add(t, { kind: 'tool', state: 'done' })
    if (ev === 'tool_call') add(t, { kind: 'tool', state: 'started', tool: name })
    if (ev === 'done') add(t, { kind: 'said', id: String(t), markdown: '' })
  }
  for (const { t, type, kind, lastUser = '', tool, stop_reason: reason } of api) {
    if (kind !== 'main') continue
    if (type === 'request')
      add(t, lastUser.startsWith('[tool_result') ? { kind: 'tool', state: 'done' } : { kind: 'prompt', text: '' })
    if (type === 'tool_use_stop') add(t, { kind: 'tool', state: 'started', tool })
    if (type === 'stop' && reason === 'end_turn') add(t, { kind: 'said', id: String(t), markdown: '' })
  }
  const turns = statements.filter(({ kind }, index) => kind !== 'said' || statements[index - 1]?.state !== 'started')
  const taughtBy = momentsOf(turns, { startedAt: 1e9, events: taught.events })
  return { ...taught, moments: moments.length === 0 ? [] : taughtBy }
}
