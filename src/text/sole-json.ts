/**
 * Finds the one JSON object that a text gives as its answer: the whole trimmed text, else the only
 * fenced block tagged `json`, else the only object at the top level of the text. Two candidates are
 * an error: the reader must not choose between them.
 */
export function soleJsonObject(text: string): { value: Record<string, unknown> } | { problem: string } {
  const whole = parseObject(text.trim())
  if (whole) return { value: whole }
  if (isJson(text.trim())) return { problem: 'the answer is JSON, but not an object' }
  const fenced = [...text.matchAll(/^```json[ \t]*\r?\n([\s\S]*?)^```[ \t]*$/gm)].map(match => match[1]!)
  if (fenced.length === 1) {
    const value = parseObject(fenced[0]!.trim())
    return value ? { value } : { problem: 'the block tagged json does not contain a JSON object' }
  }
  if (fenced.length > 1) return { problem: `there are ${fenced.length} blocks tagged json; there must be one` }
  const objects = topLevelObjects(text)
  if (objects.length === 1) return { value: objects[0]! }
  return {
    problem:
      objects.length === 0
        ? 'there is no JSON object in the answer'
        : `there are ${objects.length} JSON objects; there must be one`,
  }
}

/** A list, a string, a number: an object inside of it is not the answer. */
function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Braces that open no object. A text with more is not an answer, and slow to search. */
const STRAY_MAX = 200

/** Every part from a `{` to its `}` that parses; braces inside strings do not count. */
function topLevelObjects(text: string): Record<string, unknown>[] {
  const found: Record<string, unknown>[] = []
  let from = 0
  for (let stray = 0; stray < STRAY_MAX; ) {
    const start = text.indexOf('{', from)
    if (start < 0) break
    const end = closingBrace(text, start)
    const value = end < 0 ? null : parseObject(text.slice(start, end + 1))
    if (value) found.push(value)
    else stray++
    // A brace that starts no object is an ordinary character; the text after it is searched again.
    from = value ? end + 1 : start + 1
  }
  return found
}

function closingBrace(text: string, start: number): number {
  let depth = 0
  let isString = false
  for (let at = start; at < text.length; at++) {
    const character = text[at]
    if (isString) {
      if (character === '\\') at++
      else if (character === '"') isString = false
    } else if (character === '"') isString = true
    else if (character === '{') depth++
    else if (character === '}' && --depth === 0) return at
  }
  return -1
}

function parseObject(text: string): Record<string, unknown> | null {
  if (!text.startsWith('{')) return null
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null
  } catch {
    return null
  }
}
