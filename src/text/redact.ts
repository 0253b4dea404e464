import { displayWidth } from './display-width.js'
import {
  isSecretField,
  type RedactionRule,
  rulesForCommandLines,
  rulesForText,
  SECRET_VARIABLE,
} from './redact-rules.js'

/**
 * The one redactor. It replaces each secret by `‹secret:kind:1a2b›`; the four digits are a hash of
 * the secret, so that equal secrets can be recognised. It keeps its own markers, so it may run
 * twice.
 *
 * It runs on requests and messages before they are stored (approvals/stored-request,
 * sessions/live/journal), on activities and files of runs (activity/, engine/agent-step), on titles
 * and commands of panes (supervision/), and on everything that the server sends over TCP or as
 * events (server/wire). Recordings are stored as the agent wrote them, because screens are read
 * from them again, and sent without secrets; prompts that wait are stored as they will be typed.
 *
 * Contract with callers that stream: a secret that is cut by a chunk boundary is not found. Redact
 * whole lines or blocks, or hold the last line back until it is complete.
 */
export interface Redactor {
  redact(text: string): string
  /** `redact`, and the rules for the arguments of a process. */
  redactCommandLine(text: string): string
  /** For rows of a terminal: every line keeps its width. */
  redactSameWidth(text: string): string
  /** Redacts keys and values of JSON in a copy; a secret's field loses its whole text. */
  redactValue(value: unknown): unknown
}

export interface SecretValue {
  /** The name in the marker, e.g. the name of the variable. */
  name: string
  value: string
}

/** Shorter values are ordinary words; replacing them would make the text unreadable. */
const SECRET_LENGTH_MIN = 8
const PASSES_MAX = 5
/** The last text of this length or more in which nothing was found is not searched again. */
const REMEMBER_FROM_CHARACTERS = 64 * 1024
/** Deeper than any request we accept (64), shallower than the stack. */
const DEPTH_MAX = 256

/** `encodeURIComponent` throws on these. */
const LONE_SURROGATE = /\p{Cs}/u

const MARKER = /‹secret:[a-z0-9-]{1,24}:[0-9a-f]{4}›·*|▒+/g

interface Range {
  start: number
  end: number
  kind: string
  priority: number
}

interface Needle {
  text: string
  kind: string
}

export function createRedactor(options: { secretValues?: readonly SecretValue[] } = {}): Redactor {
  const needles = (options.secretValues ?? []).flatMap(needlesOf)
  // A diff of megabytes is redacted by its route, and again as a part of the answer.
  let lastLong = ''
  const redact = (text: string) => {
    if (text.length >= REMEMBER_FROM_CHARACTERS && text === lastLong) return text
    const clean = replaceSecrets(text, needles, rulesForText(), marker)
    if (text.length >= REMEMBER_FROM_CHARACTERS && clean === text) lastLong = text
    return clean
  }
  const redactValue = (value: unknown, depth = 0): unknown => {
    if (typeof value === 'string') return redact(value)
    if (typeof value !== 'object' || value === null) return value
    if (depth >= DEPTH_MAX) return '⟦nested too deeply⟧'
    if (Array.isArray(value)) return value.map(item => redactValue(item, depth + 1))
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [
        redact(key),
        typeof item === 'string' && isSecretField(key) ? redactWhole(item) : redactValue(item, depth + 1),
      ]),
    )
  }
  return {
    redact,
    redactCommandLine: text => replaceSecrets(text, needles, rulesForCommandLines(), marker),
    redactSameWidth: text => replaceSecrets(text, needles, rulesForText(), sameWidthMarker),
    redactValue: value => redactValue(value),
  }
}

export function secretsFromEnvironment(environment: Readonly<Record<string, string | undefined>>): SecretValue[] {
  return Object.entries(environment)
    .filter((entry): entry is [string, string] => SECRET_VARIABLE.test(entry[0]) && entry[1] !== undefined)
    .filter(([, value]) => value.trim().length >= SECRET_LENGTH_MIN)
    .map(([name, value]) => ({ name, value }))
}

/** The forms of a known value: literal, in JSON, in a URL, each line of a long one. */
function needlesOf({ name, value }: SecretValue): Needle[] {
  const trimmed = value.trim()
  const forms = new Set([trimmed, JSON.stringify(trimmed).slice(1, -1), ...trimmed.split(/\r?\n/)])
  if (!LONE_SURROGATE.test(trimmed)) forms.add(encodeURIComponent(trimmed))
  const kind = slug(name)
  return [...forms].filter(text => text.length >= SECRET_LENGTH_MIN).map(text => ({ text, kind }))
}

function slug(name: string): string {
  const text = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
  return text.slice(0, 24) || 'value'
}

/**
 * A marker adds a word edge, so a rule may then match a token that was the inside of a word before.
 * Passes are repeated until one finds nothing; text without secrets takes one pass. The limit keeps
 * hostile text from taking more than a few.
 */
function replaceSecrets(
  text: string,
  needles: readonly Needle[],
  rules: readonly RedactionRule[],
  replacement: (kind: string, secret: string) => string,
): string {
  let current = text
  for (let pass = 0; pass < PASSES_MAX; pass += 1) {
    const ranges = findSecrets(current, needles, rules)
    if (ranges.length === 0) break
    let result = ''
    let position = 0
    for (const { start, end, kind } of mergeOverlaps(ranges)) {
      result += current.slice(position, start) + replacement(kind, current.slice(start, end))
      position = end
    }
    current = result + current.slice(position)
  }
  return current
}

function findSecrets(text: string, needles: readonly Needle[], rules: readonly RedactionRule[]): Range[] {
  const markers = text.includes('‹') || text.includes('▒') ? [...text.matchAll(MARKER)].map(rangeOfMatch) : []
  const ranges: Range[] = []
  const add = (start: number, end: number, kind: string, priority: number) => {
    if (end > start && !isCoveredBy(markers, start, end)) ranges.push({ start, end, kind, priority })
  }
  for (const { text: needle, kind } of needles) {
    for (let at = text.indexOf(needle); at >= 0; at = text.indexOf(needle, at + 1)) add(at, at + needle.length, kind, 0)
  }
  rules.forEach(({ kind, pattern, needs, isSecret }, index) => {
    if (needs !== undefined && !text.includes(needs)) return
    // Not `matchAll`, which creates a new expression on each call: most texts are one line, and
    // there are many lines.
    pattern.lastIndex = 0
    for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
      const secret = match[2] ?? match[0]
      const start = match.index + (match[2] === undefined ? 0 : (match[1] ?? '').length)
      if (!isSecret || isSecret(secret)) add(start, start + secret.length, kind, index + 1)
    }
  })
  return ranges
}

function rangeOfMatch(match: RegExpExecArray): { start: number; end: number } {
  return { start: match.index, end: match.index + match[0].length }
}

/** Whether the range contains only markers, so that it is redacted already. Markers are sorted. */
function isCoveredBy(markers: readonly { start: number; end: number }[], start: number, end: number): boolean {
  let low = 0
  let high = markers.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (markers[middle]!.end > start) high = middle
    else low = middle + 1
  }
  let position = start
  for (let index = low; position < end; index += 1) {
    const next = markers[index]
    if (!next || next.start > position) return false
    position = next.end
  }
  return true
}

/** One marker for overlapping matches of several rules, named by the first of these rules. */
function mergeOverlaps(ranges: Range[]): Range[] {
  const merged: Range[] = []
  for (const range of ranges.sort((a, b) => a.start - b.start || b.end - a.end)) {
    const last = merged.at(-1)
    if (!last || range.start >= last.end) {
      merged.push({ ...range })
      continue
    }
    last.end = Math.max(last.end, range.end)
    if (range.priority < last.priority) Object.assign(last, { kind: range.kind, priority: range.priority })
  }
  return merged
}

function redactWhole(text: string): string {
  if (text.length === 0 || isCoveredBy([...text.matchAll(MARKER)].map(rangeOfMatch), 0, text.length)) return text
  return marker('field', text)
}

function marker(kind: string, secret: string): string {
  return `‹secret:${kind}:${hash16(secret)}›`
}

/** The marker padded to the secret's width, or a bar; line ends stay in place. */
function sameWidthMarker(kind: string, secret: string): string {
  const full = marker(kind, secret)
  return secret
    .split(/(\r?\n)/)
    .map((part, index) => {
      if (index % 2 === 1) return part
      const width = displayWidth(part)
      return width < full.length ? '▒'.repeat(width) : full + '·'.repeat(width - full.length)
    })
    .join('')
}

/**
 * FNV-1a over UTF-16 units, folded to 16 bits: enough to distinguish a few secrets, too little to
 * find a secret by search. It is not a cryptographic hash and does not need to be: the marker must
 * be the same in every process and pure to compute.
 */
function hash16(text: string): string {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  }
  return (((hash >>> 16) ^ hash) & 0xffff).toString(16).padStart(4, '0')
}
