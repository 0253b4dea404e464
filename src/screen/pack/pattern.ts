/**
 * Patterns of packs are JavaScript regular expressions with flag `u`, tested against one row, with
 * two additions: `{name}` inserts a glyph class of the pack, and a plain blank matches both U+0020
 * and U+00A0 (agents mix them); `\x20` and `\u00a0` still mean exactly one of them.
 */
export function compilePattern(source: string, glyphs: Readonly<Record<string, string>>): RegExp {
  const withGlyphs = source.replace(/\{([a-z_]+)\}/g, (whole, name: string) => {
    const glyph = glyphs[name]
    return glyph === undefined ? whole : escapeForClass(glyph)
  })
  const expression = blanksMatchBoth(withGlyphs)
  if (hasNestedQuantifier(expression)) throw new Error('a quantified group must not contain an unbounded quantifier')
  return new RegExp(expression, 'u')
}

function escapeForClass(glyphs: string): string {
  return [...glyphs].map(glyph => (/[\\\]^-]/.test(glyph) ? `\\${glyph}` : glyph)).join('')
}

function blanksMatchBoth(source: string): string {
  let inClass = false
  let result = ''
  for (let index = 0; index < source.length; index++) {
    const character = source[index]!
    if (character === '\\') {
      result += character + (source[++index] ?? '')
      continue
    }
    if (character === '[') inClass = true
    if (character === ']') inClass = false
    if (character !== ' ') result += character
    else result += inClass ? '\\x20\\u00a0' : '[\\x20\\u00a0]'
  }
  return result
}

/**
 * `(a+)+`, `(\s*x*)*` and similar patterns are exponential on the wrong row. `(\d+[hm] )*` is not:
 * each round must match a fixed atom that the inner repetition cannot. So an unbounded repetition
 * inside a repeated group is refused unless an unrepeated atom follows it in the group.
 */
function hasNestedQuantifier(source: string): boolean {
  const groups: { openRepeat: boolean }[] = []
  const top = () => groups.at(-1)
  let index = 0
  while (index < source.length) {
    const character = source[index]!
    if (character === '(') {
      groups.push({ openRepeat: false })
      index++
      continue
    }
    if (character === '|' || character === ')') {
      if (character === ')') {
        const group = groups.pop() ?? { openRepeat: false }
        index++
        const isRepeated = isUnbounded(source, index)
        if (group.openRepeat && isRepeated) return true
        const outer = top()
        if (outer) outer.openRepeat = isRepeated || group.openRepeat
        index += quantifierLength(source, index)
        continue
      }
      index++
      continue
    }
    index += atomLength(source, index)
    const outer = top()
    if (outer) outer.openRepeat = isUnbounded(source, index)
    index += quantifierLength(source, index)
  }
  return false
}

function atomLength(source: string, index: number): number {
  if (source[index] === '\\') return 2
  if (source[index] !== '[') return 1
  let end = index + 1
  while (end < source.length && source[end] !== ']') end += source[end] === '\\' ? 2 : 1
  return end - index + 1
}

function isUnbounded(source: string, index: number): boolean {
  const character = source[index]
  return (
    character === '*' || character === '+' || (character === '{' && /^\{\d+,\}/.test(source.slice(index, index + 12)))
  )
}

function quantifierLength(source: string, index: number): number {
  const match = /^(?:[*+?]|\{\d+(?:,\d*)?\})\??/.exec(source.slice(index, index + 14))
  return match?.[0].length ?? 0
}
