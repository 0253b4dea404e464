import { canonicalJson, visibleText, visibleValue } from '../text/index.js'
import { sha256 } from './fingerprint.js'
import type { ApprovalRequest } from './record.js'

type Display = ApprovalRequest['display']

/** Only the beginning and the end of a longer value are kept; the agent's dialog has all. */
const VALUE_MAX_CHARACTERS = 64 * 1024
const END_CHARACTERS = 4 * 1024
const TITLE_MAX_CHARACTERS = 200

export interface Displayed {
  tool: string
  input: unknown
  text: string | null
  questions: readonly { text: string }[]
  mismatch?: string | undefined
  /** The real paths behind the given ones. */
  targets?: ApprovalRequest['request']['targets']
  /** The question for the title; by default the first one. */
  title?: string
}

interface Part {
  label: string
  value: string
}

/** The most important fields come first, the others in the agent's order. */
const FIRST_FIELDS = ['command', 'cmd', 'file_path', 'path', 'url', 'old_string', 'new_string', 'content']

/**
 * The one rendering of a request that every surface shows: Signalbox's labels and the agent's
 * values, kept apart, with hidden characters made visible. Its hash identifies exactly what was
 * shown; a decision about anything risky must carry it.
 */
export function displayOf(request: Displayed): Display {
  const asked = request.title ?? request.questions[0]?.text ?? ''
  const title = oneLine([request.tool, asked].filter(part => part !== '').join(': '))
  const counts = new Map<string, number>()
  let isCut = false as boolean
  const blocks = partsOf(request).flatMap(({ label, value }) => {
    const kept = value.length > VALUE_MAX_CHARACTERS ? cut(value) : value
    isCut ||= kept !== value
    const shown = visibleValue(kept)
    for (const { what, count } of shown.findings) counts.set(what, (counts.get(what) ?? 0) + count)
    return [
      ...(label === '' ? [] : [{ kind: 'label', text: label }]),
      ...shown.pieces.map(piece => ({ ...piece, kind: 'value' })),
    ]
  })
  return {
    title,
    blocks,
    findings: [...counts].map(([what, count]) => ({ what, count })),
    hash: sha256(JSON.stringify({ title, blocks })),
    ...(isCut && { isCut }),
  }
}

function partsOf({ input, text, questions, mismatch, targets }: Displayed): Part[] {
  const parts: Part[] = []
  if (mismatch) parts.push({ label: 'report and screen differ', value: mismatch })
  if (typeof input === 'object' && input !== null && !Array.isArray(input)) {
    const entries = Object.entries(input as Record<string, unknown>)
    const rank = (name: string) => (FIRST_FIELDS.indexOf(name) + FIRST_FIELDS.length + 1) % (FIRST_FIELDS.length + 1)
    entries.sort(([a], [b]) => rank(a) - rank(b))
    for (const [name, value] of entries) parts.push({ label: oneLine(name), value: valueText(value) })
  } else if (input !== null && input !== undefined) parts.push({ label: 'input', value: valueText(input) })
  for (const { path, real } of targets ?? []) {
    if (path !== real && !real.endsWith(`/${path}`)) parts.push({ label: 'real path', value: real })
  }
  if (input !== null && input !== undefined)
    for (const { text: question } of questions) parts.push({ label: 'asks', value: question })
  if (text !== null) parts.push({ label: parts.length > 0 ? 'on screen' : '', value: text })
  return parts
}

function valueText(value: unknown): string {
  if (typeof value === 'string') return value
  try {
    return JSON.stringify(value, null, 2) ?? ''
  } catch {
    return canonicalJson(value)
  }
}

function cut(value: string): string {
  const head = value.slice(0, END_CHARACTERS)
  const tail = value.slice(-END_CHARACTERS)
  const lines = value.split('\n').length - head.split('\n').length - tail.split('\n').length
  return `${head}\n… ${Math.max(0, lines)} more lines, ${Buffer.byteLength(value)} bytes in total, SHA-256 ${sha256(value)} …\n${tail}`
}

function oneLine(text: string): string {
  const line = visibleText(text, { newlines: 'blank', tabs: 'blank' }).trim()
  return line.length > TITLE_MAX_CHARACTERS ? `${line.slice(0, TITLE_MAX_CHARACTERS)}…` : line
}

/** The whole display as one text, for surfaces without a layout of their own. */
export function displayText({ blocks }: Pick<Display, 'blocks'>): string {
  return blocks
    .map(block => (block.kind === 'label' ? `\n${String(block.text)}:\n` : String(block.text ?? '')))
    .join('')
}
