import type { IncomingMessage, ServerResponse } from 'node:http'

/** The content of a request, in one shape for all model APIs. */
export interface ModelRequest {
  /** Names of the offered tools; calls for titles and summaries offer none. */
  tools: string[]
  /** All user messages, oldest first. */
  prompts: string[]
  /** Tool results since the last prompt. */
  results: string[]
  /** Earlier messages of the model. */
  answers: string[]
}

export interface ToolCall {
  name: string
  /** The group of the tool, for APIs that have groups. */
  namespace?: string
  input: unknown
  /** Free text instead of JSON, for APIs that have such tools. */
  isFreeform?: true
}

/** Writes one answer in the format of one API, as a stream of server-sent events. */
interface AnswerWriter {
  begin(): void
  text(piece: string): void
  tool(call: ToolCall): void
  end(): void
}

/** One model API: its requests, their content, and its answers. */
export interface Wire {
  /** Null for a request of another API. */
  read(request: IncomingMessage, body: unknown): ModelRequest | null
  write(response: ServerResponse, request: IncomingMessage, body: unknown): AnswerWriter
  /** The answer to a call that is not a turn: a title, a summary. */
  side(response: ServerResponse, request: IncomingMessage, body: unknown): void
}

export type Json = Readonly<Record<string, unknown>>

export function object(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {}
}

export function list(value: unknown): Json[] {
  return Array.isArray(value) ? value.map(object) : []
}

/** The text in a content field, which is a text or a list of parts. */
export function contentText(content: unknown): string {
  if (typeof content === 'string') return content
  return list(content)
    .map(part => (typeof part.text === 'string' ? part.text : ''))
    .join('\n')
}

/** Server-sent events on one response. */
export function eventStream(response: ServerResponse): (data: unknown, event?: string) => void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
  return (data, event) => {
    response.write(`${event === undefined ? '' : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`)
  }
}

export function sendJson(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}

let lastId = 0

export function newId(prefix: string): string {
  lastId += 1
  return `${prefix}_${String(lastId).padStart(24, '0')}`
}

/** A value that fits a JSON schema, for side calls that ask for structured output. */
export function sample(schema: unknown): unknown {
  const { type, properties, enum: choices } = object(schema)
  if (Array.isArray(choices)) return choices[0]
  if (properties !== undefined)
    return Object.fromEntries(Object.entries(object(properties)).map(([name, each]) => [name, sample(each)]))
  const simple: Readonly<Record<string, unknown>> = { number: 0, integer: 0, boolean: false, array: [] }
  const name = String(type).toLowerCase()
  return name in simple ? simple[name] : 'Test session'
}
