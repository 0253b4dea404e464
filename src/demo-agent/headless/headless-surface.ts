import type { MenuAnswer } from '../menu/menu-state.js'
import { orInterrupted } from '../pace.js'
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
import type { MenuOption, TodoItem } from '../scenario/types.js'
import type { LineInput } from './line-input.js'
import type { RecordWriter } from './record-writer.js'

const ERROR_CLASS: Record<Failure['kind'], string> = {
  api: 'overloaded',
  rate_limit: 'rate_limit',
  usage_limit: 'rate_limit',
  credit: 'budget',
  context_full: 'context_length',
  model: 'config',
  network: 'network',
  mcp: 'unknown',
  internal: 'unknown',
  auth: 'auth',
}

/** Plays a scenario as records on stdout; questions are answered by JSON lines on stdin. */
export class HeadlessSurface implements Surface {
  private blocks = 0
  private requests = 0
  private isBlockOpen = false
  private costUsd = 0
  /** A question was open when stdin ended: no answer can arrive. */
  isAbandoned = false

  constructor(
    private readonly out: RecordWriter,
    private readonly input: LineInput | null,
  ) {}

  showPrompt(): void {}
  setTokens(): void {}
  setTitle(): void {}
  setBackground(): void {}

  setWorking(working: Working | null): void {
    if (!working?.retry) return
    const { attempt, of, delayMs, reason, status } = working.retry
    this.out.write({ type: 'retry', attempt, max: of, delayMs, reason, ...(status !== undefined && { status }) })
  }

  say(delta: string): void {
    if (!this.isBlockOpen) this.blocks += 1
    this.isBlockOpen = true
    this.out.write({ type: 'text', block: `text_${this.blocks}`, delta: true, text: delta })
  }

  finishSaying(text: string): void {
    this.isBlockOpen = false
    this.out.write({ type: 'text', block: `text_${this.blocks}`, delta: false, text })
  }

  sayLines(lines: string[]): void {
    this.blocks += 1
    this.out.write({ type: 'text', block: `text_${this.blocks}`, delta: false, text: lines.join('\n') })
  }

  thought(text: string): void {
    this.out.write({ type: 'thought', delta: false, text })
  }

  toolStarted(call: ToolCall): void {
    this.out.write({
      type: 'tool_call',
      callId: call.id,
      tool: call.name,
      kind: call.kind === 'edit' ? 'write' : call.kind,
      input: call.input,
    })
  }

  toolOutput(call: ToolCall, chunk: string): void {
    this.out.write({ type: 'tool_progress', callId: call.id, text: chunk })
  }

  toolEnded(call: ToolCall, result: ToolResult): void {
    const exit = result.exitCode === undefined ? {} : { exitCode: result.exitCode }
    if (result.change) this.out.write({ type: 'file_change', ...result.change, callId: call.id })
    this.out.write({ type: 'tool_result', callId: call.id, ok: result.isOk, output: result.output, ...exit })
  }

  async ask({ menu, call, signal }: AskRequest): Promise<MenuAnswer> {
    const requestId = `request_${++this.requests}`
    const options = menu.options ?? menu.pages?.flatMap(page => page.options) ?? []
    const shown = options.map(({ label, detail, meaning }) => ({
      label,
      ...(detail && { detail }),
      ...(meaning && { meaning }),
    }))
    if (call)
      this.out.write({
        type: 'approval',
        requestId,
        tool: call.name,
        kind: call.kind,
        input: call.input,
        question: menu.question,
        options: shown,
      })
    else this.out.write({ type: 'question', questionId: requestId, text: menu.question, options: shown })
    const line =
      this.input &&
      (await orInterrupted(
        this.input.next(line => line.requestId === requestId || line.questionId === requestId),
        signal,
      ))
    if (line) return readAnswer(line, options, menu.question)
    this.isAbandoned = true
    return {
      isCancelled: true,
      answers: [{ question: menu.question, labels: [], text: 'no person is there to answer' }],
      meaning: call ? 'deny' : 'cancel',
    }
  }

  setTodo(items: TodoItem[]): void {
    this.out.write({ type: 'todo', items })
  }

  setAgents(agents: AgentState[]): void {
    if (agents.length > 0)
      this.out.write({
        type: 'agents',
        agents: agents.map(({ name, task, isRunning }) => ({ name, task, running: isRunning })),
      })
  }

  notice(text: string): void {
    this.out.write({ type: 'notice', level: 'info', text })
  }

  failed(failure: Failure): void {
    this.out.write({
      type: 'error',
      class: ERROR_CLASS[failure.kind],
      text: failure.message,
      ...(failure.status !== undefined && { status: failure.status }),
    })
  }

  addUsage(usage: { input: number; output: number; costUsd?: number }): void {
    this.out.write({ type: 'usage', scope: 'turn', ...usage })
    this.costUsd = this.costUsd + (usage.costUsd ?? 0)
  }

  turnEnded(end: TurnEnd): void {
    const { costUsd } = this
    this.out.write({
      type: 'usage',
      scope: 'run',
      input: 40 + end.tokens * 3,
      output: end.tokens,
      ...(costUsd > 0 && { costUsd }),
    })
    const structured = readObject(end.text)
    this.out.write({
      type: 'result',
      ok: end.outcome === 'done',
      reason: end.outcome,
      text: end.text,
      durationMs: end.durationMs,
      ...(structured && { structured }),
    })
  }

  showSurvey(question: string): void {
    this.notice(question)
  }

  raw(bytes: Uint8Array): void {
    this.out.bytes(bytes)
  }
}

/** `{"requestId", "decision", "option"?, "message"?}`; an option's label takes precedence. */
export function readAnswer(line: Record<string, unknown>, options: MenuOption[], question: string): MenuAnswer {
  const wanted = Array.isArray(line.labels) ? line.labels.map(String) : [String(line.option ?? '')]
  const chosen = options.filter(option => wanted.includes(option.label))
  const text = typeof line.message === 'string' ? line.message : typeof line.text === 'string' ? line.text : ''
  const byDecision =
    line.decision === 'allow' ? 'allow-once' : line.decision === 'deny' ? 'deny' : text === '' ? 'cancel' : 'text'
  const meaning = chosen[0] ? (chosen[0].meaning ?? 'choice') : byDecision
  return {
    isCancelled: meaning === 'cancel',
    answers: [{ question, labels: chosen.map(option => option.label), text }],
    meaning,
  }
}

function readObject(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null
  } catch {
    return null
  }
}
