import { pressMenuKey } from '../menu/menu-keys.js'
import { cancelledAnswer, type MenuAnswer, type MenuState, openMenu } from '../menu/menu-state.js'
import { Interrupted } from '../pace.js'
import type {
  AgentState,
  AskRequest,
  Failure,
  Surface,
  ToolCall,
  ToolResult,
  TurnEnd,
  Working,
} from '../player/surface.js'
import type { TodoItem } from '../scenario/types.js'
import { stableLength } from '../text/markdown.js'
import type { Key } from './input-decoder.js'
import type { Status } from './program-status.js'
import type { Screen } from './screen.js'
import type { Entry, ToolEntry, ViewModel } from './view-model.js'

/** Enter is ignored this long after a menu appeared: it was meant for what was there before. */
const MENU_GUARD_MS = 100

export interface TuiSignals {
  status(status: Status): void
  setTopic(text: string): void
  raw(bytes: Uint8Array): void
}

/** Plays a scenario on the screen: every call changes the model, the screen draws it. */
export class TuiSurface implements Surface {
  private saying: { rest: string; isLead: boolean } | null = null
  private hasPoured = false
  private answerMenu: ((answer: MenuAnswer) => void) | null = null
  private menuSince = 0
  private lostEnters = 0

  constructor(
    private readonly screen: () => Screen,
    private readonly signals: TuiSignals,
    private readonly now: () => number,
  ) {}

  private get model(): ViewModel {
    return this.screen().model
  }

  showPrompt(text: string): void {
    this.hasPoured = false
    this.screen().change({ turnSince: this.now(), tokens: 0, todo: [], scrolledBy: 0, placeholder: 'What next?' })
    this.commit({ kind: 'user', text })
    this.setWorking({ label: 'Starting' })
  }

  setWorking(working: Working | null): void {
    if (working) this.signals.status({ state: 'working' })
    this.screen().change({ working: working && { ...working, since: this.now() } })
  }

  setTokens(total: number): void {
    this.screen().change({ tokens: total })
  }

  say(delta: string): void {
    this.saying ??= { rest: '', isLead: true }
    this.saying.rest += delta
    const stable = stableLength(this.saying.rest)
    if (stable > 0 && this.saying.rest.slice(0, stable).trim() !== '') {
      this.commit({ kind: 'prose', markdown: this.saying.rest.slice(0, stable), isLead: this.saying.isLead })
      this.saying = { rest: this.saying.rest.slice(stable), isLead: false }
    }
    this.showSaying()
  }

  finishSaying(): void {
    const saying = this.saying
    this.saying = null
    this.withoutOpenProse()
    if (saying && saying.rest.trim() !== '')
      this.commit({ kind: 'prose', markdown: saying.rest, isLead: saying.isLead })
  }

  sayLines(lines: string[]): void {
    this.commit({ kind: 'plain', lines, isLead: !this.hasPoured })
    this.hasPoured = true
  }

  thought(_text: string, durationMs: number): void {
    this.commit({ kind: 'thought', durationMs })
  }

  toolStarted(call: ToolCall): void {
    this.screen().change({
      open: [...this.model.open, { kind: 'tool', call, state: 'running', output: '', exitCode: null, diff: null }],
    })
  }

  toolOutput(call: ToolCall, chunk: string): void {
    this.changeTool(call, tool => ({ ...tool, output: (tool.output + chunk).slice(-20_000) }))
  }

  toolEnded(call: ToolCall, result: ToolResult): void {
    const state = result.isDeclined ? 'declined' : result.isOk ? 'ok' : 'failed'
    const entry: ToolEntry = {
      kind: 'tool',
      call,
      state,
      output: result.output,
      exitCode: result.exitCode ?? null,
      diff: result.diff ?? null,
    }
    this.screen().change({ open: this.model.open.filter(open => open.kind !== 'tool' || open.call.id !== call.id) })
    this.commit(entry)
  }

  ask(request: AskRequest): Promise<MenuAnswer> {
    if (request.call) this.changeTool(request.call, tool => ({ ...tool, state: 'waiting' }))
    const menu = openMenu(request.menu)
    this.menuSince = this.now()
    this.lostEnters = request.menu.lostEnters ?? 0
    const kind = request.menu.kind === 'permission' ? 'permission' : request.menu.kind === 'auth' ? 'auth' : 'question'
    const what = request.call
      ? `approve ${request.call.name}: ${request.call.summary}`
      : `answer: ${request.menu.question}`
    this.signals.status({ state: 'blocked', kind, msg: what })
    this.screen().change({ menu, scrolledBy: 0 })
    return new Promise((resolve, reject) => {
      const close = () => {
        request.signal.removeEventListener('abort', withdrawn)
        this.answerMenu = null
        if (request.call) this.changeTool(request.call, tool => ({ ...tool, state: 'running' }))
        this.screen().change({ menu: null })
        this.signals.status({ state: 'working' })
      }
      const withdrawn = () => {
        close()
        reject(new Interrupted())
      }
      request.signal.addEventListener('abort', withdrawn, { once: true })
      this.answerMenu = answer => {
        close()
        if (!request.call) this.commit(answerEntry(menu, answer))
        resolve(answer)
      }
    })
  }

  /** True if there is a menu, which has then handled the key. */
  takeMenuKey(key: Key): boolean {
    const { menu } = this.model
    if (!menu || !this.answerMenu) return false
    if (key.name === 'enter' && (this.now() - this.menuSince < MENU_GUARD_MS || this.lostEnters-- > 0)) return true
    const { state, answer } = pressMenuKey(menu, key)
    this.screen().change({ menu: state })
    if (answer) this.answerMenu(answer)
    return true
  }

  /** A menu of the program itself, outside any turn (`/model`). */
  pick(menu: MenuState): Promise<MenuAnswer> {
    const never = new AbortController()
    return this.ask({ menu: menu.spec, call: null, signal: never.signal }).catch(() => cancelledAnswer(menu))
  }

  setTodo(items: TodoItem[]): void {
    this.screen().change({ todo: items })
  }

  setAgents(agents: AgentState[]): void {
    agents.forEach((agent, index) => {
      const was = this.model.agents[index]
      if (was?.isRunning !== agent.isRunning)
        this.signals.status({
          state: agent.isRunning ? 'working' : 'done',
          id: `agent/${agent.path}`,
          title: agent.name,
          msg: agent.task,
        })
    })
    if (agents.length === 0 && this.model.agents.length > 0) this.signals.status({ state: 'clear', id: 'agent' })
    this.screen().change({ agents })
  }

  setBackground(labels: string[]): void {
    this.screen().change({ background: labels })
  }

  notice(text: string): void {
    this.commit({ kind: 'notice', text })
  }

  /** The program answers a command of its own at once, without a turn. */
  answerCommand(text: string, output: Entry): void {
    this.commit({ kind: 'user', text })
    this.commit(output)
  }

  failed(failure: Failure): void {
    this.commit({ kind: 'error', text: `${failure.status ? `${failure.status} · ` : ''}${failure.message}` })
  }

  addUsage(): void {
    // The screen counts tokens itself; usage records are for streams.
  }

  turnEnded(end: TurnEnd): void {
    this.finishSaying()
    for (const entry of this.model.open) this.commit(entry.kind === 'tool' ? { ...entry, state: 'failed' } : entry)
    const isAllDone = this.model.todo.every(item => item.status === 'done')
    this.screen().change({ open: [], working: null, ...(isAllDone && { todo: [] }) })
    this.commit({ kind: 'end', outcome: end.outcome, durationMs: end.durationMs, tokens: end.tokens })
    if (end.outcome === 'failed') this.signals.status({ state: 'error', msg: end.failure?.message ?? 'failed' })
    else this.signals.status({ state: end.outcome === 'done' ? 'done' : 'idle' })
  }

  showSurvey(question: string): void {
    this.screen().change({ survey: question })
  }

  setTitle(text: string): void {
    this.signals.setTopic(text)
  }

  raw(bytes: Uint8Array): void {
    this.screen().drawNow()
    this.signals.raw(bytes)
  }

  commit(entry: Entry): void {
    this.model.committed.push(entry)
    this.screen().invalidate()
  }

  private showSaying(): void {
    const open: Entry[] = this.model.open.filter(entry => entry.kind !== 'prose')
    const rest = this.saying!.rest
    const markdown = rest.slice(0, /\n\s*\|[^\n]*$/.exec(`\n${rest}`)?.index ?? rest.length)
    if (markdown.trim() !== '') open.push({ kind: 'prose', markdown, isLead: this.saying!.isLead })
    this.screen().change({ open })
  }

  private withoutOpenProse(): void {
    this.screen().change({ open: this.model.open.filter(entry => entry.kind !== 'prose') })
  }

  private changeTool(call: ToolCall, change: (tool: ToolEntry) => ToolEntry): void {
    this.screen().change({
      open: this.model.open.map(entry => (entry.kind === 'tool' && entry.call.id === call.id ? change(entry) : entry)),
    })
  }
}

function answerEntry(menu: MenuState, answer: MenuAnswer): Entry {
  const labels = answer.answers.map(part => part.labels.join(', ')).filter(Boolean)
  const text =
    menu.layout === 'password' ? '••••••••' : labels.join(' · ') || answer.answers.map(part => part.text).join(' ')
  return { kind: 'answer', question: menu.spec.question, answer: answer.isCancelled ? 'cancelled' : text }
}
