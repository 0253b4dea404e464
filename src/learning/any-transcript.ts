import type { AgentStatement } from '../agents/index.js'

export type DatedStatement = AgentStatement & { at: number }

/*
 * The transcript of an agent that has no adapter. Agents store what they send to the model, so
 * their files agree on more than their formats: records with a role, a content that is a text or a
 * list of parts, calls of tools and their results, and a time. That is enough to know what was
 * happening when.
 */
type Json = Record<string, unknown>

const ASSISTANT = new Set(['assistant', 'model', 'agent', 'ai', 'gemini', 'bot'])
const CALL = /^(?:tool_?use|tool_?call|function_?call|call)$/i
const RESULT = /^(?:tool_?result|tool_?response|function_?call_?output|function_?response|tool_?output|output)$/i

/** Statements in the order of their times; records without a time or a role give none. */
export function readAnyTranscript(text: string): DatedStatement[] {
  const statements = records(text).flatMap(statementsOf)
  return statements.sort((a, b) => a.at - b.at)
}

function records(text: string): Json[] {
  const whole = parse(text)
  if (whole !== undefined) return listIn(whole)
  return text.split('\n').flatMap(line => {
    const value = line.trim() === '' ? undefined : parse(line)
    return isObject(value) ? [value] : []
  })
}

/** The records of a file that is one JSON value: a list, or an object that has one. */
function listIn(value: unknown): Json[] {
  if (Array.isArray(value)) return value.filter(isObject)
  if (!isObject(value)) return []
  const list = ['messages', 'history', 'conversation', 'items', 'events', 'turns'].map(key => value[key])
  const found = list.find(Array.isArray)
  return found ? found.filter(isObject) : [value]
}

function statementsOf(record: Json): DatedStatement[] {
  const message = isObject(record.message) ? record.message : isObject(record.payload) ? record.payload : record
  const at = timeOf(record) ?? timeOf(message)
  if (at === null) return []
  const role = String(message.role ?? record.role ?? record.type ?? message.type ?? '').toLowerCase()
  const parts = partsOf(message.content ?? message.parts ?? record.content ?? message.text)
  const own = CALL.test(role) || RESULT.test(role) ? [{ ...message, type: role }] : []
  const calls = [...parts, ...own, ...listOf(message.tool_calls ?? message.toolCalls)].filter(isCallPart)
  const results = [...parts, ...own].filter(isResultPart)
  const words = parts
    .map(part => (typeof part.text === 'string' && !isCallPart(part) && !isResultPart(part) ? part.text : ''))
    .join('\n')
    .trim()
  const statements: DatedStatement[] = []
  if (results.length > 0 || role === 'tool')
    statements.push({ kind: 'tool', state: 'done', key: null, tool: '', input: null, at })
  else if (role === 'user' && words !== '') statements.push({ kind: 'prompt', text: words, at })
  else if (ASSISTANT.has(role) && words !== '') statements.push({ kind: 'said', id: String(at), markdown: words, at })
  if (calls.length > 0)
    statements.push({ kind: 'tool', state: 'started', key: null, tool: nameOf(calls[0]!), input: null, at })
  return statements
}

function isCallPart(part: Json): boolean {
  return CALL.test(String(part.type ?? '')) || isObject(part.functionCall) || isObject(part.function)
}

function isResultPart(part: Json): boolean {
  return RESULT.test(String(part.type ?? '')) || isObject(part.functionResponse)
}

function nameOf(call: Json): string {
  const inner = isObject(call.functionCall) ? call.functionCall : isObject(call.function) ? call.function : call
  return String(inner.name ?? inner.tool ?? '')
}

function partsOf(content: unknown): Json[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content)
}

function listOf(value: unknown): Json[] {
  return Array.isArray(value)
    ? value.map(part => (typeof part === 'string' ? { text: part } : part)).filter(isObject)
    : []
}

const TIMES = ['timestamp', 'time', 'ts', 'at', 'created_at', 'createdAt', 'created', 'date']

/** Milliseconds since the epoch, from a date or a number of seconds or milliseconds. */
function timeOf(record: Json): number | null {
  for (const name of TIMES) {
    const value = record[name]
    if (typeof value === 'number' && value > 1e9) return value < 1e11 ? value * 1000 : value
    if (typeof value !== 'string') continue
    const parsed = Date.parse(value)
    if (!Number.isNaN(parsed)) return parsed
  }
  return null
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
