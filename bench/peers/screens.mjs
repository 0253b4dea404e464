// Screens of labelled recordings, read by Signalbox and by other programs at the same moments: is
// the agent blocked by a question, at work, or idle? And the screens with which another program
// tests itself, read by Signalbox.
import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { corpusDirectory, recordings } from '../../scripts/labelled-recordings.mjs'
import { needsPerson } from '../../scripts/score-moments.mjs'
import { root } from '../../scripts/setup.mjs'
import { CCMANAGER, ccmanagerReader, ccmanagerScreens } from './ccmanager.mjs'
import { HERDR, readAs } from './screen-rules.mjs'

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

/** Programs that get the screens of a session in order; null for agents without rules there. */
const PEERS = {
  [`ccmanager ${CCMANAGER}`]: ccmanagerReader,
  herdr: async agent => {
    let before = 'idle'
    return HERDR[agent] ? screen => (before = readAs(HERDR[agent], screen, before)) : null
  },
}

/** @returns one row for each peer and agent: moments, and for both sides how many are right. */
export async function compareScreens({ only } = {}) {
  const rows = new Map()
  for (const directory of corpusDirectory())
    for (const cast of recordings(directory)) {
      if (only && !cast.includes(only)) continue
      const side = JSON.parse(readFileSync(cast.replace(/\.cast$/, '.json'), 'utf8'))
      const name = side.agent ?? (/claude/i.test(side.program ?? '') ? 'claude' : basename(dirname(cast)))
      const agent = name.replace(/-[\d.]+$/, '')
      const peers = []
      for (const [peer, open] of Object.entries(PEERS)) {
        const read = await open(agent)
        if (read) peers.push({ peer, read })
      }
      if (peers.length === 0) continue
      const found = await moments(cast, side, agent, (screen, t) => {
        for (const one of peers) one.state = one.read(screen, t)
        return peers.map(({ state }) => state)
      })
      for (const [index, { peer }] of peers.entries()) {
        const key = `${peer} ${agent}`
        const row = rows.get(key) ?? { peer, agent, moments: 0, ours: score(), theirs: score() }
        rows.set(key, row)
        for (const { truth, ours, theirs } of found) {
          row.moments++
          count(row.ours, truth, ours)
          count(row.theirs, truth, theirs[index])
        }
      }
    }
  return [...rows.values()].sort((a, b) => a.agent.localeCompare(b.agent) || a.peer.localeCompare(b.peer))
}

/**
 * The screens of ccmanager's own tests, which it reads as expected by definition.
 * @returns one row for each agent that Signalbox has a pack for
 */
export async function compareTheirScreens() {
  const rows = new Map()
  for (const { agent, lines, expected } of await ccmanagerScreens()) {
    const pack = await packOf(agent)
    if (!pack) continue
    const row = rows.get(agent) ?? { agent, moments: 0, ours: score() }
    rows.set(agent, row)
    row.moments++
    count(row.ours, expected, readLines(pack, lines))
  }
  return [...rows.values()]
}

/** A screen that is nothing but its text, shown for long enough to count as settled. */
function readLines(pack, lines) {
  const cols = Math.max(80, ...lines.map(line => line.length))
  const replay = new Replay({ pack, cols, rows: Math.max(24, lines.length) })
  replay.apply({ kind: 'output', t: 0, bytes: Buffer.from(lines.join('\r\n')) })
  return stateAt(replay, SETTLED_S)
}

const SETTLED_S = 5
const PATIENCE_S = 2

const score = () => ({ right: 0, falseCalls: 0, missedCalls: 0 })

function count(sum, truth, got) {
  if (truth === got) sum.right++
  else if (got === 'blocked') sum.falseCalls++
  else if (truth === 'blocked') sum.missedCalls++
}

const packs = new Map()

async function packOf(agent) {
  if (!packs.has(agent)) packs.set(agent, existsSync(join(root, 'packs', agent)) ? await loadPack(agent, null) : null)
  return packs.get(agent)
}

function stateAt(replay, t) {
  replay.endFrame(t)
  const state = replay.pane.state(t)
  const isCall =
    (state.awaiting !== null && !['picker', 'exit_confirm'].includes(state.awaiting)) || state.view === 'auth_required'
  return isCall ? 'blocked' : state.busy ? 'working' : 'idle'
}

/** How Signalbox and the others classify each labelled moment. `readFrame` gets every frame. */
async function moments(cast, side, agent, readFrame) {
  const labelled = (side.moments ?? [])
    .filter(moment => moment.t != null && moment.score !== false && truthOf(moment) !== null)
    .sort((a, b) => a.t - b.t)
  const { header, events } = await readWholeRecording(cast)
  const replay = new Replay({ pack: await packOf(agent), cols: header.cols, rows: header.rows })
  const found = []
  const waiting = [...labelled]
  let frame = null
  const screenOf = () => ({
    lines: frame?.lines.map(row => row.text.trimEnd()) ?? [],
    title: frame?.title ?? '',
    cols: frame?.cols ?? header.cols,
  })
  const look = t => {
    const newest = replay.pane.state(t).look?.frame ?? null
    if (newest === frame) return
    frame = newest
    readFrame(screenOf(), t)
  }
  const readUntil = end => {
    while (waiting.length > 0 && waiting[0].t < end) {
      const moment = waiting.shift()
      const ours = stateAt(replay, moment.t)
      look(moment.t)
      readFrame(screenOf(), moment.t)
      // A program that waits before it calls a screen idle gets that time: people who made the
      // recordings typed faster than that.
      found.push({ truth: truthOf(moment), ours, theirs: readFrame(screenOf(), moment.t + PATIENCE_S) })
    }
  }
  for (const event of events) {
    readUntil(event.t)
    replay.apply(event)
    look(event.t)
  }
  readUntil(Number.POSITIVE_INFINITY)
  return found
}
