// `npm run eval:panes -- [--misses] [--only text] <dir>…`: the status of panes at the labelled moments of recordings, against what was true;
// command ends with shell integration; and two other rules on the same moments. Sub-directories are agents (`shell`: any program).
import { readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { readArguments, recordings } from './labelled-recordings.mjs'
import { unchangedFor2s, wordsOnScreen } from './pane-rules.mjs'
import { build, install, root } from './setup.mjs'

if (!process.argv.includes('--no-build')) {
  install()
  build()
}
const dist = join(process.env.SIGNALBOX_E2E_ROOT ?? root, 'dist')
const { Counters, Replay, Supervisor } = await import(join(dist, 'panes', 'index.js'))
const { loadPack } = await import(join(dist, 'agents', 'index.js'))
const { loadConfig } = await import(join(dist, 'config', 'index.js'))
const { readWholeRecording } = await import(join(dist, 'terminal', 'recording', 'index.js'))
const { needsPerson } = await import(join(root, 'scripts', 'score-moments.mjs'))

const REST = ['idle', 'done', 'failed']
const WORK = ['running', 'long-running']
const ASKS = ['waiting-approval']
/** A program that waits at its own prompt, inside a command: work to the shell, rest or a wait to the person. */
const INSIDE = [...WORK, ...REST, ...ASKS]
const TRUTH = {
  running: WORK,
  repl_busy: WORK,
  fullscreen: WORK,
  thinking: WORK,
  streaming: WORK,
  response_content: WORK,
  tool_running: WORK,
  tool_result: WORK,
  user_message: WORK,
  todo_list: WORK,
  parallel_agents: WORK,
  compacting: WORK,
  retrying: WORK,
  error_retry: WORK,
  shell_prompt: REST,
  idle_prompt: REST,
  idle: REST,
  done: REST,
  typing: REST,
  interrupted: REST,
  startup: REST,
  background_task: REST,
  context_notice: REST,
  slash_menu: REST,
  file_menu: REST,
  exit_confirm: REST,
  error: REST,
  repl_prompt: INSIDE,
  pager: INSIDE,
  editor: INSIDE,
  transcript: INSIDE,
  history_search: [...REST, ...ASKS],
  dialog: [...REST, ...ASKS],
  menu: [...REST, ...ASKS],
  overlay: [...REST, ...ASKS],
}
const INSIDE_LABELS = new Set(['repl_prompt', 'pager', 'editor'])
const EITHER = new Set([...INSIDE_LABELS, 'dialog', 'menu', 'overlay', 'auth_required', 'history_search', 'transcript'])

function acceptedStatuses(moment) {
  if (moment.view.startsWith('menu_')) return TRUTH.overlay
  const labels = [moment.view, ...(moment.expect?.accept ?? [])]
  const known = labels.flatMap(label => TRUTH[label] ?? [])
  if (moment.view === 'auth_required' || moment.view === 'login_menu') return [...ASKS, ...REST]
  if (INSIDE_LABELS.has(moment.view)) return INSIDE
  if (needsPerson(moment)) return ASKS
  // With integration the shell itself says how the command ended.
  const ended = moment.expect?.done
  if (moment.view === 'shell_prompt' && ended && moment.expect.integration === 'osc133')
    return ended.exit === 0 ? ['done'] : ['failed']
  return known.length > 0 ? known : ASKS
}

const SETTLE_S = 0.7
const classOf = status => (WORK.includes(status) ? 'work' : ASKS.includes(status) ? 'asks' : 'rest')
const RULES = ['signalbox', 'words on screen', 'unchanged for 2 s']
const { args, flag, option } = readArguments()
flag('--no-build')
const isShowingMisses = flag('--misses')
const only = option('--only')
const settings = loadConfig({ environment: {}, userFile: '/nonexistent' }).config
const totals = {}
let undecided = 0
const ends = { all: 0, right: 0 }
const packs = new Map()

for (const directory of args) {
  for (const cast of recordings(directory)) {
    if (only && !cast.includes(only)) continue
    await evaluate(cast)
  }
}

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
  const supervisor = new Supervisor(replay.pane, {
    settings,
    agentPrograms: [],
    counters: new Counters(),
    onError: raise,
  })
  const finished = []
  let changedAt = 0
  let shown = ''
  let second = 1
  let now = 0
  let stateId = 0
  const follow = (steps, t) => {
    supervisor.take(steps, t)
    for (const step of steps) {
      if (step.type !== 'look') continue
      const text = step.look.frame.lines.map(row => row.text).join('\n')
      if (text !== shown) changedAt = step.look.t
      shown = text
    }
    const state = supervisor.state(t)
    if (state.stateId !== stateId && (state.status === 'done' || state.status === 'failed') && state.exitCode != null)
      finished.push({ t, exit: state.exitCode, status: state.status })
    stateId = state.stateId
  }
  const until = t => {
    if (t < now) return
    now = t
    while (second <= t) {
      follow(replay.runTimers(second), second)
      supervisor.tick(second)
      second++
    }
    follow(replay.runTimers(t), t)
  }
  const pending = [...moments]
  /** A rest is believed 0.7 s after it began: so long the picture is looked at, unless something happens before. */
  const lookAt = (moment, nextAt) => {
    until(moment.t)
    follow(replay.force(moment.t), moment.t)
    const atOnce = {
      signalbox: verdictOf(supervisor.state(moment.t).status),
      'words on screen': { kind: wordsOnScreen(agent, shown.split('\n')) },
      'unchanged for 2 s': { kind: unchangedFor2s(moment.t, changedAt) },
    }
    const settledAt = Math.min(moment.t + SETTLE_S, nextAt - 0.001)
    if (settledAt > moment.t) until(settledAt)
    const t = Math.max(moment.t, settledAt)
    judge(cast, agent, moment, atOnce, {
      signalbox: verdictOf(supervisor.state(t).status),
      'words on screen': { kind: wordsOnScreen(agent, shown.split('\n')) },
      'unchanged for 2 s': { kind: unchangedFor2s(t, changedAt) },
    })
  }
  for (const event of events) {
    while (pending.length > 0 && pending[0].t < event.t)
      lookAt(pending.shift(), Math.min(event.t, pending[0]?.t ?? event.t))
    until(event.t)
    follow(replay.apply(event), event.t)
  }
  for (const moment of pending) lookAt(moment, Number.POSITIVE_INFINITY)
  if (side.integration === 'osc133') judgeEnds(cast, side.truth ?? [], finished)
}

function raise(error) {
  throw error
}

function verdictOf(status) {
  return { status, kind: classOf(status) }
}

function judge(cast, agent, moment, atOnce, verdicts) {
  const accepted = acceptedStatuses(moment)
  const classes = new Set(accepted.map(classOf))
  // A moment at which every answer is right tells nothing.
  if (classes.size === 3) {
    undecided++
    return
  }
  const isEither = EITHER.has(moment.view) || moment.view.startsWith('menu_')
  const isCall = needsPerson(moment)
  for (const rule of RULES) {
    const { kind, status } = verdicts[rule]
    const sum = ((totals[rule] ??= {})[agent] ??= {
      moments: 0,
      right: 0,
      atOnce: 0,
      falseCalls: 0,
      missedCalls: 0,
      falseEnds: 0,
    })
    const isRight = status === undefined ? classes.has(kind) : accepted.includes(status)
    sum.moments++
    if (isRight) sum.right++
    const first = atOnce[rule]
    if (first.status === undefined ? classes.has(first.kind) : accepted.includes(first.status)) sum.atOnce++
    if (!isEither && kind === 'asks' && !isCall) sum.falseCalls++
    if (!isEither && kind !== 'asks' && isCall) sum.missedCalls++
    if (kind === 'rest' && !classes.has('rest') && !isCall) sum.falseEnds++
    if (isShowingMisses && rule === 'signalbox' && !isRight)
      console.log(`${basename(dirname(cast))}/${basename(cast)} ${moment.t} ${moment.view} → ${status}`)
  }
}

/** Every command that the scenario ran must have ended once, with its exit code. */
function judgeEnds(cast, truth, finished) {
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
        `${basename(cast)}: end of "${command.line}" (exit ${event.exit}) at ${event.t} → ${JSON.stringify(left)}`,
      )
    command = null
  }
}

const percent = (part, whole) => (whole === 0 ? '–' : ((100 * part) / whole).toFixed(1))
console.log('rule               agent      moments  right %  at once %  false calls  missed calls  rest while working')
for (const rule of RULES) {
  const all = { moments: 0, right: 0, atOnce: 0, falseCalls: 0, missedCalls: 0, falseEnds: 0 }
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
  `right: within ${SETTLE_S} s, if nothing else happens before; at once: at the labelled instant. Left out: ${undecided} moments at which every answer is right.`,
)
console.log(`command ends with shell integration: ${ends.right} of ${ends.all} with the right exit code`)
