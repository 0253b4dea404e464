// Screens of labelled recordings, read by Signalbox and by the rules of other programs at the same
// moments: is the agent blocked by a question, at work, or idle?
import { readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { corpusDirectory, recordings } from '../../scripts/labelled-recordings.mjs'
import { needsPerson } from '../../scripts/score-moments.mjs'
import { root } from '../../scripts/setup.mjs'
import { PEERS, readAs } from './screen-rules.mjs'

const { Replay } = await import(join(root, 'dist', 'rooms', 'panes', 'index.js'))
const { loadPack } = await import(join(root, 'dist', 'rooms', 'agents', 'index.js'))
const { readWholeRecording } = await import(join(root, 'dist', 'rooms', 'terminal', 'recording', 'index.js'))

const WORKING = new Set(['thinking', 'streaming', 'compacting', 'tool_running', 'running', 'retrying'])
const IDLE = new Set(['idle', 'idle_prompt', 'done', 'typing', 'interrupted', 'context_notice'])

/** The state that a label means; null where the three words do not answer it. */
function truthOf(moment) {
  if (needsPerson(moment)) return 'blocked'
  if (WORKING.has(moment.view)) return 'working'
  return IDLE.has(moment.view) ? 'idle' : null
}

/** @returns one row for each peer and agent: moments, and for both sides how many are right. */
export async function compareScreens({ only } = {}) {
  const rows = new Map()
  for (const directory of corpusDirectory())
    for (const cast of recordings(directory)) {
      const side = JSON.parse(readFileSync(cast.replace(/\.cast$/, '.json'), 'utf8'))
      const name = side.agent ?? (/claude/i.test(side.program ?? '') ? 'claude' : basename(dirname(cast)))
      const agent = name.replace(/-[\d.]+$/, '')
      const peers = Object.entries(PEERS).filter(([, rules]) => rules[agent])
      if (peers.length === 0 || (only && !cast.includes(only))) continue
      for (const [peer, rules] of peers) {
        const key = `${peer} ${agent}`
        const row = rows.get(key) ?? { peer, agent, moments: 0, ours: score(), theirs: score() }
        rows.set(key, row)
        for (const { truth, ours, screen } of await moments(cast, side, agent)) {
          row.moments++
          count(row.ours, truth, ours)
          row.before = readAs(rules[agent], screen, row.before ?? 'idle')
          count(row.theirs, truth, row.before)
        }
      }
    }
  return [...rows.values()]
}

const score = () => ({ right: 0, falseCalls: 0, missedCalls: 0 })

function count(sum, truth, got) {
  if (truth === got) sum.right++
  else if (got === 'blocked') sum.falseCalls++
  else if (truth === 'blocked') sum.missedCalls++
}

const packs = new Map()
const read = new Map()

/** What Signalbox and a person saw at each labelled moment. */
async function moments(cast, side, agent) {
  if (read.has(cast)) return read.get(cast)
  if (!packs.has(agent)) packs.set(agent, await loadPack(agent, null))
  const labelled = (side.moments ?? [])
    .filter(moment => moment.t != null && moment.score !== false && truthOf(moment) !== null)
    .sort((a, b) => a.t - b.t)
  const { header, events } = await readWholeRecording(cast)
  const replay = new Replay({ pack: packs.get(agent), cols: header.cols, rows: header.rows })
  const found = []
  const waiting = [...labelled]
  const readUntil = end => {
    while (waiting.length > 0 && waiting[0].t < end) {
      const moment = waiting.shift()
      replay.force(moment.t)
      const state = replay.pane.state(moment.t)
      const isCall =
        (state.awaiting !== null && !['picker', 'exit_confirm'].includes(state.awaiting)) ||
        state.view === 'auth_required'
      const frame = state.look?.frame
      found.push({
        truth: truthOf(moment),
        ours: isCall ? 'blocked' : state.busy ? 'working' : 'idle',
        screen: { lines: frame?.lines.map(row => row.text.trimEnd()) ?? [], title: frame?.title ?? '' },
      })
    }
  }
  for (const event of events) {
    readUntil(event.t)
    replay.apply(event)
  }
  readUntil(Number.POSITIVE_INFINITY)
  read.set(cast, found)
  return found
}
