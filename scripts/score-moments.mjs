// How one labelled recording is scored. A label says what the agent was really doing; a view is
// right if the label accepts it.
import { basename, dirname, join } from 'node:path'
import { root } from './setup.mjs'

const room = (...path) => import(join(root, 'dist', 'rooms', ...path, 'index.js'))
const { acceptedViews, mayNeedPerson, needsPerson } = await room('learning')
const { Replay } = await room('panes')
const { loadPack } = await room('agents')
const { readWholeRecording } = await room('terminal', 'recording')

export { acceptedViews, needsPerson }

const WORK = new Set([
  'user_message',
  'thinking',
  'response_content',
  'tool_running',
  'tool_result',
  'todo_list',
  'parallel_agents',
])
const REST = new Set(['idle_prompt', 'background_task', 'startup'])

/** What a label says about the state, apart from the view; null where it allows several. */
function stateOf(moment) {
  if (mayNeedPerson(moment)) return null
  if (needsPerson(moment)) return 'needs-you'
  if (['running', 'repl_busy', 'fullscreen'].includes(moment.view)) return 'busy'
  const views = [...acceptedViews(moment)]
  if (views.length === 0) return null
  if (views.every(view => WORK.has(view))) return 'busy'
  return views.every(view => REST.has(view)) ? 'idle' : null
}

/** What reading screens must reach on labelled recordings, as shares of all moments. */
const BARS = { views: 0.97, viewsOfAnAgent: 0.93, calls: 0.99 }
/** An agent with fewer moments proves nothing on its own. */
const FEWEST_MOMENTS = 20

/** One sentence for each bar that the results miss. `byAgent` maps an agent to its results. */
export function missedBars(byAgent) {
  const all = [...byAgent.values()].flat()
  const missed = []
  const check = (what, results, isRight, bar) => {
    const share = results.filter(isRight).length / results.length
    if (!(share >= bar)) missed.push(`${what}: ${(100 * share).toFixed(1)} % are right; the bar is ${100 * bar} %`)
  }
  check('views', all, result => result.isRight, BARS.views)
  for (const [agent, results] of byAgent)
    if (results.length >= FEWEST_MOMENTS)
      check(`views of ${agent}`, results, result => result.isRight, BARS.viewsOfAnAgent)
  check('calls for a person', all, result => result.isCallRight, BARS.calls)
  for (const { cast, t } of all.filter(result => result.gotCall && !result.isCallRight))
    missed.push(`false call for a person: ${cast ?? ''} at ${t}`)
  return missed
}

const packs = new Map()

export async function evaluateMoments(cast, side, { isGeneric = false } = {}) {
  const name = side.agent ?? (/claude/i.test(side.program ?? '') ? 'claude' : basename(dirname(cast)))
  const agent = name.replace(/-[\d.]+$/, '')
  const packName = isGeneric || agent === 'shell' ? null : agent
  if (!packs.has(packName)) packs.set(packName, await loadPack(packName, null))
  const moments = (side.moments ?? []).filter(
    moment => moment.view !== 'exited' && moment.t != null && moment.score !== false,
  )
  const { header, events } = await readWholeRecording(cast)
  const replay = new Replay({ pack: packs.get(packName), cols: header.cols, rows: header.rows })
  const times = [...new Set(moments.map(moment => moment.t))].sort((a, b) => a - b)
  const states = new Map()
  const readUntil = end => {
    for (; times[0] < end; times.shift()) {
      replay.endFrame(times[0])
      states.set(times[0], replay.pane.state(times[0]))
    }
  }
  for (const event of events) {
    readUntil(event.t)
    replay.apply(event)
  }
  readUntil(Number.POSITIVE_INFINITY)
  const results = moments.map(moment => judge(moment, states.get(moment.t)))
  return { agent: name, results }
}

/**
 * Every wanted label is there, in order; sidecars may list only some of the options and cut long
 * labels.
 */
function isWithin(wanted, labels) {
  let from = 0
  return wanted.every(label => {
    const at = labels.findIndex(
      (candidate, index) => index >= from && (candidate.startsWith(label) || label.startsWith(candidate)),
    )
    from = at + 1
    return at >= 0
  })
}

function judge(moment, state) {
  const isCall = needsPerson(moment)
  const gotCall =
    (state.awaiting !== null && state.awaiting !== 'picker' && state.awaiting !== 'exit_confirm') ||
    state.view === 'auth_required'
  const isRunning = ['running', 'repl_busy', 'fullscreen'].includes(moment.view)
  const isRight = isRunning ? state.busy === true : acceptedViews(moment).has(state.view)
  const isEither = mayNeedPerson(moment)
  const wantedState = stateOf(moment)
  const gotState = gotCall ? 'needs-you' : state.busy === true || WORK.has(state.view) ? 'busy' : 'idle'
  const wanted = moment.expect?.options
  const menu = state.payload?.menu
  const fold = text =>
    String(typeof text === 'object' ? text.label : text)
      .replace(/\s*\((?:[a-z]|esc|shift\+tab|Esc to stop)\)$/iu, '')
      .replace(/\s+/gu, ' ')
      .trim()
  const options =
    wanted && state.view === 'tool_menu'
      ? {
          isRight:
            menu != null &&
            isWithin(
              wanted.map(fold),
              menu.options.map(option => option.label),
            ),
          wanted: wanted.map(fold),
          got: menu?.options.map(option => option.label),
        }
      : null
  const isMenu = menu != null && state.view === 'tool_menu'
  const asked = moment.expect?.question?.text ?? moment.expect?.question
  const question =
    isMenu && asked !== undefined ? { isRight: menu.question === asked, wanted: asked, got: menu.question } : null
  const chosen = moment.expect?.selected
  const label = isMenu && menu.selected !== null ? menu.options[menu.selected].label : null
  const selected =
    isMenu && chosen !== undefined
      ? {
          isRight:
            typeof chosen === 'number' ? menu.selected === chosen : label !== null && isWithin([fold(chosen)], [label]),
          wanted: chosen,
          got: typeof chosen === 'number' ? menu.selected : label,
        }
      : null
  const { look, reading } = state
  return {
    t: moment.t,
    label: moment.view,
    got: state.view,
    isRight,
    isCallRight: isEither || gotCall === isCall,
    gotCall,
    ...(wantedState && { state: { wanted: wantedState, isRight: wantedState === gotState } }),
    rule: look?.observation.rule,
    screenView: look?.observation.view,
    authority: reading.authority,
    claim: reading.claim?.is,
    ...(options && !options.isRight && { options }),
    ...(options?.isRight && { options: { isRight: true } }),
    ...(question && { question }),
    ...(selected && { selected }),
  }
}
