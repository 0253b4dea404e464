// `npm run eval:panes -- [--misses] [--late] [--calls] [--only text] [<dir>…]`: compares the status
// of panes at every labelled moment of recordings with the labels, the ends of commands with shell
// integration, and two other rules at the same moments. Sub-directories are agents (`shell`: any
// program). Without a directory: that of labelled-recordings.mjs.
import { readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { corpusDirectory, needDirectories, readArguments, recordings } from './labelled-recordings.mjs'
import { unchangedFor2s, wordsOnScreen } from './pane-rules.mjs'
import { build, install, root } from './setup.mjs'

const { args, flag, option } = readArguments()
if (!flag('--no-build')) {
  install()
  build()
}
const dist = join(process.env.SIGNALBOX_E2E_ROOT ?? root, 'dist')
const { Counters, Replay, Supervisor } = await import(join(dist, 'rooms', 'panes', 'index.js'))
const { loadPack } = await import(join(dist, 'rooms', 'agents', 'index.js'))
const { loadConfig } = await import(join(dist, 'rooms', 'config', 'index.js'))
const { readWholeRecording } = await import(join(dist, 'rooms', 'terminal', 'recording', 'index.js'))
const { classOf, truthOf } = await import('./eval-panes-truth.mjs')

/**
 * An idle screen counts after this time (`reading.settle_max_ms`); every rule gets the same time.
 */
const SETTLE_S = 0.7
/** Work that continues this soon after an end, without a key pressed, had not ended. */
const TAKEN_BACK_S = 2
const RULES = ['signalbox', 'words on screen', 'unchanged for 2 s']
const isShowingMisses = flag('--misses')
const isShowingLate = flag('--late')
const isShowingCalls = flag('--calls')
const only = option('--only')
const directories = args.length > 0 ? args : corpusDirectory()
needDirectories(directories, 'eval:panes')
const settings = loadConfig({ environment: {}, userFile: '/nonexistent' }).config
const totals = {}
const ends = { all: 0, right: 0, extra: 0 }
const told = { ends: 0, takenBack: 0 }
const packs = new Map()

for (const directory of directories)
  for (const cast of recordings(directory)) if (!only || cast.includes(only)) await evaluate(cast)
printTable()

/** Plays one recording through the whole path of a live pane: bytes, timers, a tick each second. */
async function evaluate(cast) {
  const side = JSON.parse(readFileSync(cast.replace(/\.cast$/, '.json'), 'utf8'))
  const folder = side.agent ?? (/claude/i.test(side.program ?? '') ? 'claude' : basename(dirname(cast)))
  const agent = folder.replace(/-[\d.]+$/, '')
  const packName = agent === 'shell' ? null : agent
  if (!packs.has(packName)) packs.set(packName, await loadPack(packName, null))
  const moments = (side.moments ?? [])
    .filter(({ view, t, score }) => view !== 'exited' && t != null && score !== false)
    .sort((a, b) => a.t - b.t)
  const { header, events } = await readWholeRecording(cast)
  const replay = new Replay({ pack: packs.get(packName), cols: header.cols, rows: header.rows })
  const counters = new Counters()
  const supervisor = new Supervisor(replay.pane, { settings, agentPrograms: [], counters, onError: raise })
  const finished = []
  const calls = []
  let changedAt = 0
  let shown = ''
  let second = 1
  let now = 0
  let stateId = 0
  let status = 'idle'
  let endedAt = Number.NEGATIVE_INFINITY
  let inputAt = Number.NEGATIVE_INFINITY
  const follow = (steps, t) => {
    supervisor.take(steps, t)
    for (const step of steps) {
      if (step.type !== 'look') continue
      const text = step.look.frame.lines.map(row => row.text).join('\n')
      if (text !== shown) changedAt = step.look.t
      shown = text
    }
    note(t)
  }
  const note = t => {
    const state = supervisor.state(t)
    if (state.stateId !== stateId && (state.status === 'done' || state.status === 'failed') && state.exitCode != null)
      finished.push({ t, exit: state.exitCode, status: state.status })
    if (state.status !== status) followEnd(state.status, t)
    if (state.status !== status && state.status === 'waiting-approval')
      calls.push({ from: t, to: null, why: state.rule })
    if (state.status !== status && status === 'waiting-approval') calls.at(-1).to = t
    status = state.status
    stateId = state.stateId
  }
  /** An end without a label is judged by what follows it. */
  const followEnd = (next, t) => {
    if (classOf(status) === 'work' && classOf(next) === 'idle') {
      told.ends++
      endedAt = t
    } else if (classOf(next) === 'work' && t - endedAt < TAKEN_BACK_S && inputAt < endedAt) {
      told.takenBack++
      if (isShowingMisses)
        console.log(`${nameOf(cast)}: an end at ${endedAt.toFixed(2)} was taken back at ${t.toFixed(2)}`)
    }
  }
  let handled = null
  const until = t => {
    if (t < now) return
    now = t
    for (;;) {
      const due = supervisor.nextDeadline()
      const next = due === null || due === handled ? second : Math.min(second, due)
      if (next > t) break
      follow(replay.runTimers(next), next)
      supervisor.tick(next)
      note(next)
      if (next === second) second++
      else handled = due
    }
    follow(replay.runTimers(t), t)
  }
  const verdicts = t => ({
    signalbox: { status: supervisor.state(t).status },
    'words on screen': { kind: wordsOnScreen(agent, shown.split('\n')) },
    'unchanged for 2 s': { kind: unchangedFor2s(t, changedAt) },
  })
  const pending = [...moments]
  /** Reads the screen of the moment until it has settled, unless something happens before. */
  const lookAt = (moment, nextAt) => {
    until(moment.t)
    follow(replay.endFrame(moment.t), moment.t)
    const atOnce = verdicts(moment.t)
    const settledAt = Math.max(moment.t, Math.min(moment.t + SETTLE_S, nextAt - 0.001))
    if (settledAt > moment.t) until(settledAt)
    judge(cast, agent, moment, atOnce, verdicts(settledAt))
  }
  for (const event of events) {
    while (pending.length > 0 && pending[0].t < event.t)
      lookAt(pending.shift(), Math.min(event.t, pending[0]?.t ?? event.t))
    until(event.t)
    if (event.kind === 'input') inputAt = event.t
    follow(replay.apply(event), event.t)
  }
  for (const moment of pending) lookAt(moment, Number.POSITIVE_INFINITY)
  if (side.integration === 'osc133') {
    const ended = ['done', 'failed'].reduce((sum, to) => sum + counters.total('status.changed', { to }), 0)
    judgeEnds(cast, side.truth ?? [], finished, ended)
  }
  if (isShowingCalls) showCalls(cast, moments, calls)
}

function raise(error) {
  throw error
}

function judge(cast, agent, moment, atOnce, verdicts) {
  const { accepted, classes, isCall, isCallWrong } = truthOf(moment)
  const isRight = ({ status, kind }) => (status === undefined ? classes.has(kind) : accepted.includes(status))
  for (const rule of RULES) {
    const sum = ((totals[rule] ??= {})[agent] ??= newSum())
    const kind = verdicts[rule].kind ?? classOf(verdicts[rule].status)
    sum.moments++
    if (isRight(verdicts[rule])) sum.right++
    if (isRight(atOnce[rule])) sum.atOnce++
    if (kind === 'asks' && isCallWrong) sum.falseCalls++
    if (kind !== 'asks' && isCall) sum.missedCalls++
    if (kind === 'idle' && classes.size === 1 && classes.has('work')) sum.falseEnds++
    if (isShowingMisses && rule === 'signalbox' && !isRight(verdicts[rule]))
      console.log(`${nameOf(cast)} ${moment.t} ${moment.view} → ${verdicts[rule].status}`)
    if (isShowingLate && rule === 'signalbox' && isRight(verdicts[rule]) && !isRight(atOnce[rule]))
      console.log(`${nameOf(cast)} ${moment.t} ${moment.view}: at once ${atOnce[rule].status}`)
  }
}

function newSum() {
  return { moments: 0, right: 0, atOnce: 0, falseCalls: 0, missedCalls: 0, falseEnds: 0 }
}

/** Every command of the scenario must end once, with its exit code, and nothing else may end. */
function judgeEnds(cast, truth, finished, ended) {
  const before = ends.all
  let command = null
  const left = [...finished]
  for (const event of truth) {
    if (event.ev === 'command') command = event
    if (event.ev !== 'prompt' || !command) continue
    ends.all++
    const at = left.findIndex(end => Math.abs(end.t - event.t) < 1 && end.exit === event.exit)
    if (at >= 0) {
      ends.right++
      left.splice(at, 1)
    } else if (isShowingMisses)
      console.log(
        `${nameOf(cast)}: end of "${command.line}" (exit ${event.exit}) at ${event.t} → ${JSON.stringify(left)}`,
      )
    command = null
  }
  ends.extra += Math.max(0, ended - (ends.all - before))
}

/** Calls between the labelled moments, printed for a person to judge. */
function showCalls(cast, moments, calls) {
  for (const { from, to, why } of calls) {
    const inside = moments.filter(({ t }) => t >= from - 0.05 && t <= (to ?? Number.POSITIVE_INFINITY))
    if (inside.some(moment => !truthOf(moment).isCallWrong)) continue
    const near = moments.findLast(({ t }) => t < from)?.view ?? 'start'
    console.log(`${nameOf(cast)} called ${from.toFixed(2)}–${to?.toFixed(2) ?? 'end'} by ${why}, after ${near}`)
  }
}

function nameOf(cast) {
  return `${basename(dirname(cast))}/${basename(cast)}`
}

function printTable() {
  const percent = (part, whole) => (whole === 0 ? '–' : ((100 * part) / whole).toFixed(1))
  console.log(
    'rule               agent      moments  right %  at once %  false calls  missed calls  rest while working',
  )
  for (const rule of RULES) {
    const all = newSum()
    for (const sum of Object.values(totals[rule] ?? {})) for (const key of Object.keys(all)) all[key] += sum[key]
    for (const [agent, sum] of [...Object.entries(totals[rule] ?? {}).sort(), ['ALL', all]])
      console.log(
        rule.padEnd(18),
        agent.padEnd(10),
        String(sum.moments).padStart(7),
        percent(sum.right, sum.moments).padStart(8),
        percent(sum.atOnce, sum.moments).padStart(10),
        String(sum.falseCalls).padStart(12),
        String(sum.missedCalls).padStart(13),
        String(sum.falseEnds).padStart(19),
      )
  }
  console.log(
    `right: ${SETTLE_S} s after the labelled instant, or when the next thing happens; at once: at the instant itself`,
  )
  console.log(
    `command ends with shell integration: ${ends.right} of ${ends.all} with the right exit code, ${ends.extra} too many`,
  )
  console.log(
    `ends reported: ${told.ends}, withdrawn within ${TAKEN_BACK_S} s without a key pressed: ${told.takenBack}`,
  )
}
