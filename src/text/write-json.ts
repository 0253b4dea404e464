/** From this length on, a string is searched as a whole instead of character by character. */
const LONG_STRING = 256

/** What JSON must escape besides quote and backslash; and halves of surrogate pairs. */
const ESCAPED = /[\u0000-\u001f\ud800-\udfff]/

/** More parts than this go to the built-in writer, which also detects cycles. */
const PARTS_MAX = 2_000

/**
 * Writes the same text as `JSON.stringify`, faster for data with long strings: the built-in writer
 * copies strings character by character, but most need no escapes and can be copied as a whole.
 * Everything that is not plain data (dates, `toJSON`, boxed values, very many parts) goes to the
 * built-in writer. Returns undefined, as the built-in writer does, for values that JSON cannot
 * represent.
 */
export function writeJson(value: unknown): string | undefined {
  const found = { parts: 0, isLong: false }
  scan(value, found)
  return found.isLong && found.parts < PARTS_MAX ? write(value) : JSON.stringify(value)
}

/** Visits everything that will be written, up to `PARTS_MAX` parts. */
function scan(value: unknown, found: { parts: number; isLong: boolean }): void {
  if (typeof value === 'string') found.isLong ||= value.length >= LONG_STRING
  if (typeof value !== 'object' || value === null) return
  for (const key in value) {
    if (++found.parts >= PARTS_MAX) return
    scan((value as Record<string, unknown>)[key], found)
  }
}

function write(value: unknown): string | undefined {
  if (typeof value === 'string') return quote(value)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) {
    if ('toJSON' in value) return JSON.stringify(value)
    let parts = ''
    for (let index = 0; index < value.length; index++)
      parts += `${index > 0 ? ',' : ''}${write(value[index]) ?? 'null'}`
    return `[${parts}]`
  }
  const kind: unknown = Object.getPrototypeOf(value)
  if ((kind !== Object.prototype && kind !== null) || 'toJSON' in value) return JSON.stringify(value)
  let parts = ''
  for (const key of Object.keys(value)) {
    const text = write((value as Record<string, unknown>)[key])
    if (text !== undefined) parts += `${parts === '' ? '' : ','}${quote(key)}:${text}`
  }
  return `{${parts}}`
}

function quote(text: string): string {
  const isPlain = text.length >= LONG_STRING && !text.includes('"') && !text.includes('\\') && !ESCAPED.test(text)
  return isPlain ? `"${text}"` : JSON.stringify(text)
}
