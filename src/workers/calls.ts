import { type ErrorCode, SignalboxError, toSignalboxError } from '../errors/index.js'

export interface CallMessage {
  type: 'call'
  id: number
  method: string
  params: unknown
  again?: true
}
export interface AnswerMessage {
  type: 'answer'
  id: number
  result?: unknown
  error?: unknown
}

interface PendingCall {
  method: string
  params: Record<string, unknown>
  resolve(result: unknown): void
  reject(error: unknown): void
}

/** The calls that one end has sent and that wait for their answers. */
export class PendingCalls {
  readonly #pending = new Map<number, PendingCall>()
  #next = 1

  /** Remembers a call, and returns its id and its answer. */
  add(method: string, params: Record<string, unknown>): { id: number; answer: Promise<unknown> } {
    const id = this.#next++
    const answer = new Promise<unknown>((resolve, reject) => {
      this.#pending.set(id, { method, params, resolve, reject })
    })
    return { id, answer }
  }

  answered({ id, result, error }: AnswerMessage): void {
    const pending = this.#pending.get(id)
    if (!this.#pending.delete(id)) return
    if (error === undefined) pending!.resolve(result)
    else pending!.reject(fromWire(error))
  }

  /** @returns false if the call was answered already. */
  drop(id: number, reason: unknown): boolean {
    const pending = this.#pending.get(id)
    if (!this.#pending.delete(id)) return false
    pending!.reject(reason)
    return true
  }

  dropAll(reason: unknown): void {
    for (const id of [...this.#pending.keys()]) this.drop(id, reason)
  }

  /** The calls without an answer, to be sent again. */
  *messages(): Iterable<CallMessage> {
    for (const [id, { method, params }] of this.#pending) yield { type: 'call', id, method, params, again: true }
  }
}

/** Carries a call out, and makes its answer. */
export async function answerCall(id: number, work: () => Promise<unknown>): Promise<AnswerMessage> {
  try {
    return { type: 'answer', id, result: await work() }
  } catch (error) {
    const { code, message, next, details } = toSignalboxError(error)
    return { type: 'answer', id, error: { code, message, next, details } }
  }
}

function fromWire(error: unknown): SignalboxError {
  const { code, message, next, details } = error as {
    code: ErrorCode
    message: string
    next?: string
    details?: Record<string, unknown>
  }
  return new SignalboxError(code, message, { ...(next !== undefined && { next }), ...(details && { details }) })
}
