import type { AgentStatement } from '../../agents/index.js'
import { type Block, type BlockContent, parseMarkdown, renderMarkdown, type TodoItem } from '../../screen/index.js'
import type { ClosedMessage, MessageRef } from '../conversation/index.js'
import { commandLine } from './client/terminal-command.js'
import {
  isFinished,
  outputOf,
  type ShownTerminal,
  type ToolItem,
  terminalsOf,
  toolBlocks,
  toolInput,
  toolName,
  withUpdate,
} from './tool-item.js'
import {
  CLIENT,
  type ClientMethod,
  isClientMethod,
  isRecord,
  METHOD,
  type PromptResponse,
  type RequestPermissionRequest,
  type RpcError,
  type RpcMessage,
  type SessionNotification,
  type ToolCallUpdate,
} from './wire.js'

/** A question of the agent that waits for the answer to its call. */
export interface PermissionAsk {
  /** The agent's id of the call: the answer carries it. */
  rpc: number | string
  toolCallId: string
  tool: string
  input: Record<string, unknown>
  title: string
  options: RequestPermissionRequest['options']
  turn: string | null
}

/** A call of the agent that Signalbox carries out as its client: files and terminals. */
export interface ClientCall {
  /** The agent's id of the call: the answer carries it. */
  rpc: number | string
  method: ClientMethod
  params: Record<string, unknown>
  /**
   * The id of the terminal that the call creates. It is derived from the call, so every reader of
   * the recording gets the same id.
   */
  terminal?: string
  /** A daemon has started to perform it. */
  isStarted: boolean
}

export type TurnOutcome = 'done' | 'interrupted' | 'denied' | 'failed'

/** What a message of the protocol means for the session. */
export type AcpEvent =
  | { kind: 'initialized'; canLoad: boolean; canResume: boolean; version: string | undefined }
  | { kind: 'identified'; agentSession: string }
  | { kind: 'handshake-failed'; method: string; error: RpcError }
  | { kind: 'turn-opened'; turn: string; prompt: string }
  | { kind: 'said' }
  | { kind: 'message-closed'; closed: ClosedMessage; isEnd: boolean; outcome: TurnOutcome | null }
  | { kind: 'turn-closed'; turn: string; outcome: TurnOutcome; error?: RpcError }
  | { kind: 'asked'; ask: PermissionAsk }
  | { kind: 'answered'; ask: PermissionAsk; option: string | null }
  | { kind: 'called'; call: ClientCall }
  | { kind: 'call-answered'; call: ClientCall; error: RpcError | null }
  | { kind: 'unsupported'; rpc: number | string; method: string }
  | { kind: 'stated'; statement: AgentStatement }

type Item =
  | { kind: 'text'; text: string }
  | { kind: 'error'; text: string }
  | { kind: 'tool'; tool: ToolItem }
  | { kind: 'todo'; items: TodoItem[] }

/**
 * The conversation with an agent, folded from the messages in both directions. It has no clock and
 * no effect: the same messages give the same turns, messages and questions under the same names, so
 * that a later host reads them from the recording.
 *
 * A tool call that waits for an answer belongs to the message after the answer, together with its
 * result: a message is what the agent said between two points where it stopped.
 */
export class AcpConversation {
  readonly #session: string
  /** Calls of Signalbox that the agent has not answered. */
  readonly #calls = new Map<number | string, { method: string; params: unknown }>()
  readonly #asks = new Map<number | string, PermissionAsk>()
  /** Calls of the agent that wait for the answer of its client. */
  readonly #clientCalls = new Map<number | string, ClientCall>()
  readonly #terminals = new Map<string, ShownTerminal>()
  readonly #tools = new Map<string, ToolItem>()
  #agentSession: string | null = null
  #turns = 0
  #messages = 0
  #openedT = 0
  #prompt: string | null = null
  #items: Item[] = []
  #isMessageOpen = false
  #isCancelled = false
  /** The last thing that happened in the turn is that a person rejected a request. */
  #isRejected = false
  #blocks: { from: readonly Item[]; blocks: readonly Block[] } = { from: [], blocks: [] }
  /** The agent's own commands. */
  commands: readonly string[] = []

  constructor(session: string) {
    this.#session = session
  }

  get agentSession(): string | null {
    return this.#agentSession
  }

  get isReady(): boolean {
    return this.#agentSession !== null && !this.isCalling(METHOD.loadSession, METHOD.resumeSession)
  }

  isCalling(...methods: readonly string[]): boolean {
    return [...this.#calls.values()].some(({ method }) => methods.includes(method))
  }

  /** The last call of Signalbox; the next one has the next number. */
  #lastCall = 0
  get nextCall(): number {
    return this.#lastCall + 1
  }

  get lastTurn(): string | null {
    return this.#turns === 0 ? null : `${this.#session}.${this.#turns}`
  }

  get turn(): string | null {
    return this.#prompt === null ? null : this.lastTurn
  }

  get asks(): readonly PermissionAsk[] {
    return [...this.#asks.values()]
  }

  get clientCalls(): readonly ClientCall[] {
    return [...this.#clientCalls.values()]
  }

  get openMessage(): MessageRef | null {
    const { turn } = this
    if (turn === null || !this.#isMessageOpen) return null
    return { session: this.#session, turn, message: `${turn}.${this.#messages}` }
  }

  /** Blocks of the open message; the list is the same object until it changes. */
  get blocks(): readonly Block[] {
    const ref = this.openMessage
    if (!ref) return []
    if (this.#blocks.from !== this.#items)
      this.#blocks = { from: this.#items, blocks: blocksOf(ref.message, this.#items, true) }
    return this.#blocks.blocks
  }

  /** A message that Signalbox sends; `t`: seconds since the start. */
  sent(message: RpcMessage, t: number): AcpEvent[] {
    const { id, method, params } = message
    if (method !== undefined && id !== undefined) {
      this.#calls.set(id, { method, params })
      if (typeof id === 'number') this.#lastCall = Math.max(this.#lastCall, id)
      return method === METHOD.prompt ? this.#promptSent(params, t) : []
    }
    if (method === METHOD.cancel) this.#isCancelled = true
    if (method !== undefined || id === undefined) return []
    const call = this.#clientCalls.get(id)
    if (call) return this.#callAnswered(call, message)
    const ask = this.#asks.get(id)
    if (!ask) return []
    this.#asks.delete(id)
    const option = chosenOption(message.result)
    const kind = ask.options.find(({ optionId }) => optionId === option)?.kind
    this.#isRejected = kind === undefined || kind.startsWith('reject')
    const result = this.#isRejected ? ('denied' as const) : ('allowed' as const)
    return [
      { kind: 'answered', ask, option },
      { kind: 'stated', statement: { kind: 'answered', key: ask.toolCallId, result } },
    ]
  }

  /** A message of the agent. */
  received(message: RpcMessage, t: number): AcpEvent[] {
    const { id, method, params } = message
    if (method === METHOD.update) return this.#updated(params as SessionNotification)
    if (method === METHOD.requestPermission && id !== undefined)
      return this.#asked(id, params as RequestPermissionRequest, t)
    if (method !== undefined && id !== undefined && isClientMethod(method)) return this.#called(id, method, params)
    if (method !== undefined) return id === undefined ? [] : [{ kind: 'unsupported', rpc: id, method }]
    const call = id === undefined ? undefined : this.#calls.get(id)
    if (!call || id === undefined) return []
    this.#calls.delete(id)
    return this.#answered(call, message, t)
  }

  /** A daemon is about to carry out a call of the agent. */
  callStarted(rpc: number | string): void {
    const call = this.#clientCalls.get(rpc)
    if (call) call.isStarted = true
  }

  /** How many bytes of a terminal's output the agent asked to keep. */
  outputLimit(terminal: string): number | undefined {
    return this.#terminals.get(terminal)?.limit
  }

  /** A command has printed this so far. */
  printed(terminal: string, output: string): AcpEvent[] {
    const known = this.#terminals.get(terminal)
    if (!known || known.output === output) return []
    known.output = output
    if (!this.#items.some(item => item.kind === 'tool' && terminalsOf(item.tool).includes(terminal))) return []
    this.#setItems([...this.#items])
    return [{ kind: 'said' }]
  }

  /** The agent's process has ended. */
  exited(t: number): AcpEvent[] {
    return this.#prompt === null ? [] : this.#endTurn(this.#isCancelled ? 'interrupted' : 'failed', t)
  }

  #called(rpc: number | string, method: ClientMethod, given: unknown): AcpEvent[] {
    const params = isRecord(given) ? given : {}
    const call: ClientCall = { rpc, method, params, isStarted: false }
    if (method === CLIENT.createTerminal) {
      call.terminal = `terminal-${this.#terminals.size + 1}`
      const limit = typeof params.outputByteLimit === 'number' ? params.outputByteLimit : undefined
      this.#terminals.set(call.terminal, { command: commandOf(params), output: '', limit })
    }
    this.#clientCalls.set(rpc, call)
    return [{ kind: 'called', call }]
  }

  #callAnswered(call: ClientCall, { result, error }: RpcMessage): AcpEvent[] {
    this.#clientCalls.delete(call.rpc)
    const { terminalId } = call.params
    const isOutput = call.method === CLIENT.terminalOutput && isRecord(result) && typeof result.output === 'string'
    return [
      { kind: 'call-answered', call, error: error ?? null },
      ...(isOutput ? this.printed(String(terminalId), String(result.output)) : []),
    ]
  }

  #answered({ method, params }: { method: string; params: unknown }, message: RpcMessage, t: number): AcpEvent[] {
    const { result, error } = message
    const fields = isRecord(result) ? result : {}
    if (method === METHOD.prompt) {
      if (error) return this.#endTurn(this.#isCancelled ? 'interrupted' : 'failed', t, error)
      const response = fields as unknown as PromptResponse & { usage?: Record<string, unknown> }
      return [...usageOf(response.usage), ...this.#endTurn(this.#outcomeOf(response.stopReason), t)]
    }
    if (error) return [{ kind: 'handshake-failed', method, error }]
    if (method === METHOD.initialize) {
      const capabilities = isRecord(fields.agentCapabilities) ? fields.agentCapabilities : {}
      const sessions = isRecord(capabilities.sessionCapabilities) ? capabilities.sessionCapabilities : {}
      const info = isRecord(fields.agentInfo) ? fields.agentInfo : {}
      const version = typeof info.version === 'string' ? info.version : undefined
      return [
        {
          kind: 'initialized',
          canLoad: capabilities.loadSession === true,
          canResume: isRecord(sessions.resume),
          version,
        },
      ]
    }
    if (method === METHOD.newSession && typeof fields.sessionId === 'string') return this.#identified(fields.sessionId)
    const isResumed = method === METHOD.loadSession || method === METHOD.resumeSession
    if (isResumed && isRecord(params)) return this.#identified(String(params.sessionId))
    return []
  }

  #identified(agentSession: string): AcpEvent[] {
    this.#agentSession = agentSession
    return [
      { kind: 'identified', agentSession },
      { kind: 'stated', statement: { kind: 'session', agentSession } },
      { kind: 'stated', statement: { kind: 'waiting', waitsFor: 'idle' } },
    ]
  }

  #promptSent(params: unknown, t: number): AcpEvent[] {
    const parts = isRecord(params) && Array.isArray(params.prompt) ? params.prompt : []
    const prompt = parts.map(part => (isRecord(part) && typeof part.text === 'string' ? part.text : '')).join('\n')
    this.#turns++
    this.#messages = 0
    this.#prompt = prompt
    this.#openedT = t
    this.#setItems([])
    this.#isMessageOpen = false
    this.#isCancelled = false
    this.#isRejected = false
    return [
      { kind: 'turn-opened', turn: this.lastTurn!, prompt },
      { kind: 'stated', statement: { kind: 'prompt', text: prompt } },
    ]
  }

  #updated(params: SessionNotification): AcpEvent[] {
    if (!isRecord(params) || !isRecord(params.update)) return []
    const { update } = params
    if (update.sessionUpdate === 'available_commands_update') {
      this.commands = update.availableCommands.map(({ name }) => name)
      return []
    }
    // While a conversation is loaded, the agent repeats it: the log has it.
    if (this.#prompt === null) return []
    switch (update.sessionUpdate) {
      case 'agent_message_chunk':
        return update.content.type === 'text' ? this.#addText(update.content.text) : []
      case 'tool_call':
      case 'tool_call_update':
        return this.#useTool(update)
      case 'plan': {
        const items = update.entries.map(
          ({ content, status }): TodoItem => ({
            text: content,
            status: status === 'completed' ? 'done' : openState(status),
          }),
        )
        return this.#add({ kind: 'todo', items }, item => item.kind === 'todo')
      }
      case 'agent_thought_chunk':
        return [{ kind: 'stated', statement: { kind: 'working' } }]
      default:
        return []
    }
  }

  #addText(text: string): AcpEvent[] {
    this.#isRejected = false
    const last = this.#items.at(-1)
    const isOpen = this.#isMessageOpen && last?.kind === 'text'
    this.#setItems(
      isOpen
        ? [...this.#items.slice(0, -1), { kind: 'text', text: last.text + text }]
        : [...this.#items, { kind: 'text', text }],
    )
    this.#openMessage()
    return [{ kind: 'said' }, ...(isOpen ? [] : [{ kind: 'stated' as const, statement: { kind: 'working' as const } }])]
  }

  #useTool(update: ToolCallUpdate): AcpEvent[] {
    const known = this.#tools.get(update.toolCallId)
    const tool = withUpdate(known, update, this.#terminals)
    this.#tools.set(tool.id, tool)
    const added = this.#add({ kind: 'tool', tool }, item => item.kind === 'tool' && item.tool.id === tool.id)
    const about = { kind: 'tool' as const, key: tool.id, tool: toolName(tool), input: toolInput(tool) }
    if (isFinished(tool)) {
      const state = tool.call.status === 'completed' ? ('done' as const) : ('failed' as const)
      this.#tools.delete(tool.id)
      return [...added, { kind: 'stated', statement: { ...about, state, output: outputOf(tool) } }]
    }
    return known ? added : [...added, { kind: 'stated', statement: { ...about, state: 'started' } }]
  }

  #add(item: Item, replaces: (item: Item) => boolean): AcpEvent[] {
    const index = this.#items.findIndex(replaces)
    this.#setItems(index < 0 ? [...this.#items, item] : this.#items.map((old, at) => (at === index ? item : old)))
    this.#openMessage()
    return [{ kind: 'said' }]
  }

  #asked(rpc: number | string, params: RequestPermissionRequest, t: number): AcpEvent[] {
    if (!isRecord(params) || !isRecord(params.toolCall) || !Array.isArray(params.options)) return []
    const tool = withUpdate(this.#tools.get(params.toolCall.toolCallId), params.toolCall, this.#terminals)
    if (this.#prompt !== null) this.#tools.set(tool.id, tool)
    const { options } = params
    const ask: PermissionAsk = {
      rpc,
      toolCallId: tool.id,
      tool: toolName(tool),
      input: toolInput(tool),
      title: tool.call.title ?? '',
      options,
      turn: this.turn,
    }
    this.#asks.set(rpc, ask)
    const about = { key: tool.id, tool: ask.tool, input: ask.input }
    return [
      ...this.#closeMessage(t, null),
      { kind: 'asked', ask },
      { kind: 'stated', statement: { kind: 'request', ...about } },
    ]
  }

  #outcomeOf(stopReason: string): TurnOutcome {
    if (this.#isCancelled) return 'interrupted'
    if (this.#isRejected) return 'denied'
    if (stopReason === 'cancelled') return 'interrupted'
    return stopReason === 'end_turn' ? 'done' : 'failed'
  }

  #endTurn(outcome: TurnOutcome, t: number, error?: RpcError): AcpEvent[] {
    const turn = this.turn!
    if (error) this.#add({ kind: 'error', text: error.message }, () => false)
    const closed = this.#closeMessage(t, outcome)
    this.#prompt = null
    this.#tools.clear()
    for (const terminal of this.#terminals.values()) terminal.output = ''
    const ended = outcome === 'denied' ? 'interrupted' : outcome
    const text = error === undefined ? {} : { text: error.message }
    return [
      ...closed,
      { kind: 'turn-closed', turn, outcome, ...(error && { error }) },
      { kind: 'stated', statement: { kind: 'turn-ended', outcome: ended, ...text } },
    ]
  }

  /** Closes the open message; at a question, running tool calls belong to the next one. */
  #closeMessage(t: number, outcome: TurnOutcome | null): AcpEvent[] {
    const isEnd = outcome !== null
    const isKept = (item: Item) => !isEnd && item.kind === 'tool' && !isFinished(item.tool)
    const kept = this.#items.filter(isKept)
    const spoken = this.#items.filter(item => !isKept(item))
    const ref = this.openMessage
    if (!ref || (spoken.length === 0 && !isEnd)) return []
    const blocks = blocksOf(ref.message, spoken, false)
    this.#setItems(kept)
    this.#isMessageOpen = false
    if (kept.length > 0) this.#openMessage()
    const { turn, message } = ref
    const closed: ClosedMessage = {
      turn,
      message,
      screenBlocks: blocks,
      reported: [],
      blocks,
      continues: false,
      prompt: null,
      isConfirmed: true,
      openedT: this.#openedT,
      closedT: t,
    }
    return [
      { kind: 'message-closed', closed, isEnd, outcome },
      { kind: 'stated', statement: { kind: 'said', id: message, markdown: renderMarkdown(blocks) } },
    ]
  }

  #openMessage(): void {
    if (this.#isMessageOpen) return
    this.#isMessageOpen = true
    this.#messages++
  }

  #setItems(items: Item[]): void {
    this.#items = items
  }
}

function openState(status: string): 'open' | 'in_progress' {
  return status === 'in_progress' ? 'in_progress' : 'open'
}

function chosenOption(result: unknown): string | null {
  const outcome = isRecord(result) && isRecord(result.outcome) ? result.outcome : {}
  return outcome.outcome === 'selected' && typeof outcome.optionId === 'string' ? outcome.optionId : null
}

function commandOf({ command, args }: Record<string, unknown>): string {
  return commandLine({ command: String(command), args: Array.isArray(args) ? args.map(String) : [] })
}

function usageOf(usage: Record<string, unknown> | undefined): AcpEvent[] {
  const { inputTokens: input, outputTokens: output } = usage ?? {}
  if (typeof input !== 'number' || typeof output !== 'number') return []
  return [{ kind: 'stated', statement: { kind: 'usage', input, output } }]
}

function blocksOf(message: string, items: readonly Item[], isOpen: boolean): Block[] {
  const contents = items.flatMap(contentOf)
  return contents.map((content, index) => ({
    id: `${message}.${index}`,
    rows: [-1, -1],
    provisional: isOpen && index === contents.length - 1,
    missing: false,
    source: 'acp',
    ...content,
  }))
}

function contentOf(item: Item): BlockContent[] {
  if (item.kind === 'text') return parseMarkdown(item.text)
  if (item.kind === 'error') return [{ kind: 'error', text: item.text }]
  return item.kind === 'tool' ? toolBlocks(item.tool) : [{ kind: 'todo', items: item.items }]
}
