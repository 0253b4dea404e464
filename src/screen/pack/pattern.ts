/**
 * Patterns of packs are JavaScript regular expressions with flag `u`, tested against one row, with two additions:
 * `{name}` inserts a glyph class of the pack, and a plain blank matches U+0020 and U+00A0 alike (agents mix them);
 * `\x20` and `\u00a0` still mean exactly one of them.
 */
export function compilePattern(source: string, glyphs: Readonly<Record<string, string>>): RegExp {
  const withGlyphs = source.replace(/\{([a-z_]+)\}/g, (whole, name: string) => {
    const glyph = glyphs[name]
    return glyph === undefined ? whole : escapeForClass(glyph)
  })
  const expression = blanksMatchBoth(withGlyphs)
  if (hasNestedQuantifier(expression)) throw new Error('a quantified group must not hold an unbounded quantifier')
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

/** `(a+)+`, `(\s*x)*` and their like: exponential on the wrong row. Bounded repeats (`{0,3}`) are fine. */
function hasNestedQuantifier(source: string): boolean {
  const unboundedInside: boolean[] = []
  let inClass = false
  for (let index = 0; index < source.length; index++) {
    const character = source[index]!
    if (character === '\\') {
      index++
      continue
    }
    if (inClass) {
      if (character === ']') inClass = false
      continue
    }
    if (character === '[') inClass = true
    else if (character === '(') unboundedInside.push(false)
    else if (character === ')') {
      const inner = unboundedInside.pop() ?? false
      const isRepeated = isUnboundedQuantifier(source, index + 1)
      if (inner && isRepeated) return true
      if ((inner || isRepeated) && unboundedInside.length > 0) unboundedInside[unboundedInside.length - 1] = true
    } else if (isUnboundedQuantifier(source, index) && unboundedInside.length > 0) unboundedInside[unboundedInside.length - 1] = true
  }
  return false
}

function isUnboundedQuantifier(source: string, index: number): boolean {
  const character = source[index]
  if (character === '*' || character === '+') return true
  return character === '{' && /^\{\d+,\}/.test(source.slice(index, index + 12))
}
