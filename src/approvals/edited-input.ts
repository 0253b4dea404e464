import { canonicalJson } from '../text/index.js'
import type { ApprovalRecord } from './record.js'

/** How the redactor marks a removed secret (`text/redact.ts`). */
const REDACTED = '‹secret:'
const INPUT_MAX_CHARACTERS = 64 * 1024

/**
 * What is wrong with an edited input, or null. Only the agent knows the tool's schema; checked here
 * is that the edit keeps the shape of the request: the same fields, each with the same type of
 * value.
 */
export function editProblem(record: ApprovalRecord, edited: unknown, isAllow: boolean): string | null {
  const { input } = record.request
  if (!isAllow) return 'only an option that allows can have an edited input'
  if (!record.source.can?.includes('edit'))
    return `the agent does not accept an edited input (${record.source.channel})`
  if (!isRecord(input)) return 'the request has no structured input to edit'
  if (!isRecord(edited)) return 'the edited input is not an object'
  let text: string
  try {
    text = canonicalJson(edited)
  } catch (error) {
    return `the edited input cannot be stored: ${error instanceof Error ? error.message : String(error)}`
  }
  if (text.length > INPUT_MAX_CHARACTERS) return `the edited input is longer than ${INPUT_MAX_CHARACTERS} characters`
  if (text.includes(REDACTED))
    return 'the input contained a secret, which is not stored; edit it in the agent’s own dialog'
  for (const [name, value] of Object.entries(edited)) {
    if (!Object.hasOwn(input, name)) return `the request has no field "${name}"`
    if (typeOf(value) !== typeOf(input[name]))
      return `"${name}" is ${typeOf(input[name])} in the request and ${typeOf(value)} in the edit`
  }
  const emptied = Object.entries(edited).find(([name, value]) => isBlank(value) && !isBlank(input[name]))
  if (record.source.channel === 'run' && emptied) return `"${emptied[0]}" is empty in the edit`
  const missing = Object.keys(input).find(name => !Object.hasOwn(edited, name))
  return missing === undefined ? null : `the edit lacks the field "${missing}"`
}

function isBlank(value: unknown): boolean {
  return typeof value === 'string' && value.trim() === ''
}

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'a list' : typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
