import { canonicalJson } from '../text/index.js'
import type { ApprovalRecord } from './record.js'

/** How the redactor marks what it took out (`text/redact.ts`). */
const REDACTED = '‹secret:'
const LONGEST = 64 * 1024

/**
 * What is wrong with an input that a person edited, or null. The tool's own schema is the agent's; what is checked here is that the edit
 * keeps the shape of what was asked: the same fields, each with the same kind of value.
 */
export function editProblem(record: ApprovalRecord, edited: unknown, isAllow: boolean): string | null {
  const { input } = record.request
  if (!isAllow) return 'only what is allowed can be edited'
  if (!record.source.can?.includes('edit')) return `the agent cannot take an edited input (${record.source.channel})`
  if (!isRecord(input)) return 'the agent gave no structured input that could be edited'
  if (!isRecord(edited)) return 'the edited input is not an object'
  let text: string
  try {
    text = canonicalJson(edited)
  } catch (error) {
    return `the edited input cannot be written: ${error instanceof Error ? error.message : String(error)}`
  }
  if (text.length > LONGEST) return `the edited input is longer than ${LONGEST} characters`
  if (text.includes(REDACTED)) return 'the input held a secret, which is not kept; edit it in the agent’s own dialog'
  for (const [name, value] of Object.entries(edited)) {
    if (!Object.hasOwn(input, name)) return `the request has no field "${name}"`
    if (typeOf(value) !== typeOf(input[name]))
      return `"${name}" is ${typeOf(input[name])} in the request and ${typeOf(value)} in the edit`
  }
  const missing = Object.keys(input).find(name => !Object.hasOwn(edited, name))
  return missing === undefined ? null : `the edit leaves out "${missing}"`
}

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'a list' : typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
