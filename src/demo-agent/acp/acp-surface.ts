import {
  type ToolKind as AcpToolKind,
  type AgentContext,
  methods,
  type PermissionOption,
  type RequestPermissionResponse,
  type SessionNotification,
  type ToolCallContent,
} from '@agentclientprotocol/sdk'
import type { MenuAnswer } from '../menu/menu-state.js'
import { orInterrupted } from '../pace.js'
import type { AskRequest, Failure, Surface, ToolCall, ToolResult } from '../player/surface.js'
import type { MenuOption, TodoItem, ToolKind } from '../scenario/types.js'

const KINDS: Readonly<Record<ToolKind, AcpToolKind>> = {
  shell: 'execute',
  read: 'read',
  write: 'edit',
  edit: 'edit',
  search: 'search',
  web: 'fetch',
  agent: 'other',
  other: 'other',
}

/** Plays a scenario as messages of the Agent Client Protocol. */
export class AcpSurface implements Surface {
  readonly #client: AgentContext
  readonly #sessionId: string
  #sending: Promise<unknown> = Promise.resolve()
  #hasSpoken = false
  #isInBlock = false
  #failure: Failure | null = null
  /** The client's terminals in which calls run. */
  readonly #terminals = new Map<string, string>()

  constructor(client: AgentContext, sessionId: string) {
    this.#client = client
    this.#sessionId = sessionId
  }

  /** The failure that ended the last turn. */
  get failure(): Failure | null {
    return this.#failure
  }

  /** Everything so far has been sent. */
  untilSent(): Promise<unknown> {
    return this.#sending
  }

  showPrompt(): void {
    this.#hasSpoken = false
    this.#failure = null
  }
  setWorking(): void {}
  setTokens(): void {}
  setTitle(): void {}
  setBackground(): void {}
  setAgents(): void {}
  addUsage(): void {}
  turnEnded(): void {}
  raw(): void {}

  /** Blocks of an answer are paragraphs of one text. */
  say(delta: string): void {
    const between = !this.#isInBlock && this.#hasSpoken ? '\n\n' : ''
    this.#isInBlock = true
    this.#hasSpoken = true
    this.#update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: `${between}${delta}` } })
  }

  finishSaying(): void {
    this.#isInBlock = false
  }

  sayLines(lines: string[]): void {
    this.say(lines.join('\n'))
    this.finishSaying()
  }

  thought(text: string): void {
    this.#update({ sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text } })
  }

  toolStarted(call: ToolCall): void {
    this.#hasSpoken = false
    this.#update({ sessionUpdate: 'tool_call', status: 'pending', ...describe(call) })
  }

  toolOutput(): void {}

  /** The client shows the terminal as part of the call. */
  toolRunsIn({ id: toolCallId }: ToolCall, terminalId: string): void {
    this.#terminals.set(toolCallId, terminalId)
    const content = [{ type: 'terminal' as const, terminalId }]
    this.#update({ sessionUpdate: 'tool_call_update', toolCallId, status: 'in_progress', content })
  }

  toolEnded(call: ToolCall, result: ToolResult): void {
    this.#update({
      sessionUpdate: 'tool_call_update',
      toolCallId: call.id,
      status: result.isOk ? 'completed' : 'failed',
      rawInput: call.input,
      content: [this.#printed(call, result), ...diffOf(result)],
    })
  }

  async ask({ menu, call, signal }: AskRequest): Promise<MenuAnswer> {
    await this.#sending
    const offered = menu.options ?? menu.pages?.flatMap(page => page.options) ?? []
    const options = offered.map(
      ({ label, meaning }, index): PermissionOption => ({
        optionId: String(index),
        name: label,
        kind: kindOf(meaning),
      }),
    )
    const toolCall = call
      ? describe(call)
      : { toolCallId: `question_${menu.question}`, title: menu.question, kind: 'other' as const }
    const params = { sessionId: this.#sessionId, toolCall, options }
    const { outcome } = await orInterrupted<RequestPermissionResponse>(
      this.#client.request(methods.client.session.requestPermission, params),
      signal,
    )
    this.#hasSpoken = false
    const chosen = outcome.outcome === 'selected' ? offered[Number(outcome.optionId)] : undefined
    if (!chosen)
      return { isCancelled: true, answers: [{ question: menu.question, labels: [], text: '' }], meaning: 'cancel' }
    return {
      isCancelled: chosen.meaning === 'cancel',
      answers: [{ question: menu.question, labels: [chosen.label], text: '' }],
      meaning: chosen.meaning ?? 'choice',
    }
  }

  setTodo(items: TodoItem[]): void {
    const entries = items.map(({ text, status: state }) => ({
      content: text,
      priority: 'medium' as const,
      status:
        state === 'done' ? ('completed' as const) : state === 'doing' ? ('in_progress' as const) : ('pending' as const),
    }))
    this.#update({ sessionUpdate: 'plan', entries })
  }

  notice(text: string): void {
    this.sayLines([text])
  }

  failed(failure: Failure): void {
    this.#failure = failure
  }

  showSurvey(): void {}

  #printed({ id }: ToolCall, { output }: ToolResult): ToolCallContent {
    const terminalId = this.#terminals.get(id)
    if (terminalId === undefined) return { type: 'content', content: { type: 'text', text: output } }
    this.#terminals.delete(id)
    return { type: 'terminal', terminalId }
  }

  #update(update: SessionNotification['update']): void {
    const params = { sessionId: this.#sessionId, update }
    this.#sending = this.#sending.then(() => this.#client.notify(methods.client.session.update, params))
  }
}

function describe(call: ToolCall) {
  const { path } = call.input
  return {
    toolCallId: call.id,
    title: call.summary || call.name,
    kind: KINDS[call.kind],
    rawInput: call.input,
    ...(typeof path === 'string' && { locations: [{ path }] }),
    _meta: { demo: { toolName: call.name } },
  }
}

function diffOf({ diff, change }: ToolResult): ToolCallContent[] {
  if (!diff || !change) return []
  const text = (without: 'added' | 'removed') =>
    diff.flatMap(row => (row.kind === without || row.kind === 'gap' ? [] : [row.text])).join('\n')
  return [{ type: 'diff', path: change.path, oldText: text('added'), newText: text('removed') }]
}

function kindOf(meaning: MenuOption['meaning']): PermissionOption['kind'] {
  if (meaning === 'allow-session' || meaning === 'allow-always') return 'allow_always'
  return meaning === 'deny' || meaning === 'deny-with-text' || meaning === 'cancel' ? 'reject_once' : 'allow_once'
}
