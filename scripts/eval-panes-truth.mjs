// Which statuses are right at a labelled moment. Every moment counts; where two answers are right,
// a comment says why.
import { needsPerson } from './score-moments.mjs'

const REST = ['idle', 'done', 'failed']
const WORK = ['running', 'long-running']
const ASKS = ['waiting-approval']

export const classOf = status => (WORK.includes(status) ? 'work' : ASKS.includes(status) ? 'asks' : 'idle')

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
  transcript: REST,
}
/**
 * Interactive programs inside a command: for the shell the command runs, for the person it is idle.
 * Neither needs the person.
 */
const INSIDE = new Set(['repl_prompt', 'pager', 'editor'])
/** A list that the person opened: it waits for them without needing them. */
const OPENED = new Set(['history_search', 'dialog', 'menu', 'overlay', 'auth_required', 'login_menu'])

/**
 * `accepted`: the right statuses. `isCall`: only a call for a person is right. `isCallWrong`: a
 * call for a person is wrong.
 */
export function truthOf(moment) {
  const { view, expect = {} } = moment
  const labels = [view, ...(expect.accept ?? [])]
  const accepted = [...new Set(acceptedBy(view, expect, labels, needsPerson(moment)))]
  const classes = new Set(accepted.map(classOf))
  return { accepted, classes, isCall: classes.size === 1 && classes.has('asks'), isCallWrong: !classes.has('asks') }
}

function acceptedBy(view, expect, labels, isNeeded) {
  if (INSIDE.has(view)) {
    // The report of the shell outranks everything else: its command runs until the shell reports
    // its end.
    if (expect.integration === 'osc133') return WORK
    return view === 'repl_prompt' ? REST : [...REST, ...WORK]
  }
  // A program without a login is idle and needs a person: unless the label decides, a call is right
  // as well.
  if (view === 'auth_required' && !isNeeded) return [...REST, ...ASKS]
  if (OPENED.has(view) || view.startsWith('menu_')) return isNeeded ? ASKS : REST
  if (isNeeded) return [...ASKS, ...labels.slice(1).flatMap(label => TRUTH[label] ?? [])]
  // With shell integration the shell reports how the command ended.
  const ended = expect.done
  if (view === 'shell_prompt' && ended && expect.integration === 'osc133')
    return ended.exit === 0 ? ['done'] : ['failed']
  const known = labels.flatMap(label => TRUTH[label] ?? [])
  return known.length > 0 ? known : ASKS
}
