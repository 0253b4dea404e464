import type { ActivityBody } from '../../activity/index.js'
import { isRecord, type JsonRecord, textOf } from '../json-lines.js'
import { errorOf, usageOf } from './records.js'

/**
 * Converts the server-sent events of an OpenAI-compatible endpoint to activities. Pure: takes text
 * in arbitrary chunks. The answer comes as deltas, then once as a whole; the finish reason says
 * whether it is complete.
 */
export class DirectStream {
  #rest = ''
  #answer = ''
  #thought = ''
  #finish: string | null = null
  #usage: ActivityBody | null = null
  #failure: ActivityBody | null = null
  #hasModel = false

  push(text: string): ActivityBody[] {
    const lines = (this.#rest + text).split(/\r\n|\n|\r/)
    this.#rest = lines.pop()!
    return lines.flatMap(line => this.#line(line))
  }

  /** At the end of the body. Without a finish reason the answer was cut off. */
  end(): ActivityBody[] {
    const bodies = this.#line(this.#rest)
    this.#rest = ''
    if (this.#thought !== '') bodies.push({ type: 'thought', text: this.#thought, delta: false, block: 'thought' })
    if (this.#answer !== '') bodies.push({ type: 'text', text: this.#answer, delta: false, block: 'answer' })
    if (this.#usage) bodies.push(this.#usage)
    if (this.#failure) {
      const { text } = this.#failure as { text: string }
      return [...bodies, this.#failure, { type: 'result', ok: false, reason: 'error', text }]
    }
    if (this.#finish === null) return [...bodies, errorOf('the answer was cut off', { class: 'network' })]
    const ok = this.#finish === 'stop'
    if (!ok) {
      const isLong = this.#finish === 'length'
      bodies.push(
        errorOf(isLong ? 'the answer reached the maximum length' : `the answer ended with ${this.#finish}`, {
          class: isLong ? 'context_length' : 'refused',
        }),
      )
    }
    return [...bodies, { type: 'result', ok, reason: this.#finish, text: this.#answer }]
  }

  #line(line: string): ActivityBody[] {
    if (!line.startsWith('data:')) return []
    const data = line.slice('data:'.length).trim()
    if (data === '' || data === '[DONE]') return []
    let value: unknown
    try {
      value = JSON.parse(data)
    } catch {
      return [{ type: 'raw', text: line, malformed: true }]
    }
    return isRecord(value) ? this.#chunk(value) : []
  }

  #chunk(chunk: JsonRecord): ActivityBody[] {
    const bodies: ActivityBody[] = []
    if (isRecord(chunk.error)) {
      const { message, code } = chunk.error
      this.#failure = errorOf(textOf(message) ?? 'unknown error', typeof code === 'number' ? { status: code } : {})
    }
    const id = textOf(chunk.id)
    const model = textOf(chunk.model)
    if (!this.#hasModel && id !== undefined) {
      this.#hasModel = true
      bodies.push({ type: 'session', sessionId: id, ...(model !== undefined && { model }) })
    }
    if (isRecord(chunk.usage)) this.#usage = usageIn(chunk.usage, model)
    const choice = Array.isArray(chunk.choices) && isRecord(chunk.choices[0]) ? chunk.choices[0] : {}
    const delta = isRecord(choice.delta) ? choice.delta : {}
    const thought = textOf(delta.reasoning_content) ?? textOf(delta.reasoning)
    if (thought !== undefined) {
      this.#thought += thought
      bodies.push({ type: 'thought', text: thought, delta: true, block: 'thought' })
    }
    const text = textOf(delta.content)
    if (text !== undefined) {
      this.#answer += text
      bodies.push({ type: 'text', text, delta: true, block: 'answer' })
    }
    this.#finish = textOf(choice.finish_reason) ?? this.#finish
    return bodies
  }
}

function usageIn(usage: JsonRecord, model: string | undefined): ActivityBody {
  const given = isRecord(usage.prompt_tokens_details) ? usage.prompt_tokens_details : {}
  const made = isRecord(usage.completion_tokens_details) ? usage.completion_tokens_details : {}
  return usageOf(
    'run',
    {
      input: usage.prompt_tokens,
      output: usage.completion_tokens,
      cacheRead: given.cached_tokens,
      reasoning: made.reasoning_tokens,
      costUsd: usage.cost,
    },
    model,
  )
}
