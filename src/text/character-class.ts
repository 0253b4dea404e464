/*
 * The terminal columns of a code point, by Unicode 15.1: the one table of widths in the program.
 *
 * The JavaScript engine knows the general category and the emoji properties, but not
 * East_Asian_Width, so only that property is written down here (EastAsianWidth-15.1.0.txt: W and F
 * without the emoji, which come from Emoji_Presentation, and A). A code point is classified when it
 * is first met, so loading this file costs nothing.
 */

export const CharClass = {
  /** Not classified yet: an empty entry of `characterClasses`. */
  unseen: 0,
  narrow: 1,
  wide: 2,
  /** Joins the cluster before it and takes no column: marks, format characters, inner Hangul. */
  extend: 3,
  joiner: 4,
  emojiSelector: 5,
  /** A pictograph shown as text unless U+FE0F follows: `❤`, `⚠`; also the bases of keycaps. */
  textEmoji: 6,
  emoji: 7,
  /** A skin tone. */
  modifier: 8,
  regional: 9,
} as const

export type CharClass = (typeof CharClass)[keyof typeof CharClass]

/** Columns of characters whose East_Asian_Width is ambiguous: `●`, `─`, `…`. */
export type AmbiguousWidth = 1 | 2

const WIDE = ranges(`1100-115f 2329-232a 2e80-2e99 2e9b-2ef3 2f00-2fd5 2ff0-303e 3041-3096 3099-30ff 3105-312f 3131-318e
  3190-31e3 31ef-321e 3220-3247 3250-4dbf 4e00-a48c a490-a4c6 a960-a97c ac00-d7a3 f900-faff fe10-fe19 fe30-fe52 fe54-fe66
  fe68-fe6b ff01-ff60 ffe0-ffe6 16fe0-16fe4 16ff0-16ff1 17000-187f7 18800-18cd5 18d00-18d08 1aff0-1aff3 1aff5-1affb
  1affd-1affe 1b000-1b122 1b132 1b150-1b152 1b155 1b164-1b167 1b170-1b2fb 1f200-1f202 1f210-1f23b 1f240-1f248 1f250-1f251
  1f260-1f265 20000-2fffd 30000-3fffd`)

const AMBIGUOUS =
  ranges(`a1 a4 a7-a8 aa ae b0-b4 b6-ba bc-bf c6 d0 d7-d8 de-e1 e6 e8-ea ec-ed f0 f2-f3 f7-fa fc fe 101 111
  113 11b 126-127 12b 131-133 138 13f-142 144 148-14b 14d 152-153 166-167 16b 1ce 1d0 1d2 1d4 1d6 1d8 1da 1dc 251 261 2c4 2c7
  2c9-2cb 2cd 2d0 2d8-2db 2dd 2df 391-3a1 3a3-3a9 3b1-3c1 3c3-3c9 401 410-44f 451 2010 2013-2016 2018-2019 201c-201d 2020-2022
  2024-2027 2030 2032-2033 2035 203b 203e 2074 207f 2081-2084 20ac 2103 2105 2109 2113 2116 2121-2122 2126 212b 2153-2154
  215b-215e 2160-216b 2170-2179 2189 2190-2199 21b8-21b9 21d2 21d4 21e7 2200 2202-2203 2207-2208 220b 220f 2211 2215 221a
  221d-2220 2223 2225 2227-222c 222e 2234-2237 223c-223d 2248 224c 2252 2260-2261 2264-2267 226a-226b 226e-226f 2282-2283
  2286-2287 2295 2299 22a5 22bf 2312 2460-24e9 24eb-254b 2550-2573 2580-258f 2592-2595 25a0-25a1 25a3-25a9 25b2-25b3 25b6-25b7
  25bc-25bd 25c0-25c1 25c6-25c8 25cb 25ce-25d1 25e2-25e5 25ef 2605-2606 2609 260e-260f 261c 261e 2640 2642 2660-2661 2663-2665
  2667-266a 266c-266d 266f 269e-269f 26bf 26c6-26cd 26cf-26d3 26d5-26e1 26e3 26e8-26e9 26eb-26f1 26f4 26f6-26f9 26fb-26fc
  26fe-26ff 273d 2776-277f 2b56-2b59 3248-324f e000-f8ff fffd 1f100-1f10a 1f110-1f12d 1f130-1f169 1f170-1f18d 1f18f-1f190
  1f19b-1f1ac f0000-ffffd 100000-10fffd`)

/** Hangul vowels and final consonants, which belong to the syllable of a leading consonant. */
const HANGUL_INNER = ranges('1160-11ff d7b0-d7ff')

const SOFT_HYPHEN = 0xad

const TABLE_SIZE = 0x20000

/** A class does not depend on the terminal, so all terminals of the process share these tables. */
const tables: Record<AmbiguousWidth, Uint8Array> = {
  1: new Uint8Array(TABLE_SIZE),
  2: new Uint8Array(TABLE_SIZE),
}

/** The class of every code point met so far; `CharClass.unseen` for the others. */
export function characterClasses(ambiguous: AmbiguousWidth): Uint8Array {
  return tables[ambiguous]
}

export function characterClass(codePoint: number, ambiguous: AmbiguousWidth = 1): CharClass {
  const table = tables[ambiguous]
  const known = table[codePoint]
  if (known) return known as CharClass
  let found = classifyCodePoint(codePoint)
  if (ambiguous === 2 && found === CharClass.narrow && contains(AMBIGUOUS, codePoint)) found = CharClass.wide
  if (codePoint < TABLE_SIZE) table[codePoint] = found
  return found
}

function classifyCodePoint(codePoint: number): CharClass {
  if (codePoint === 0x200d) return CharClass.joiner
  if (codePoint === 0xfe0f) return CharClass.emojiSelector
  if (codePoint >= 0x1f3fb && codePoint <= 0x1f3ff) return CharClass.modifier
  if (codePoint >= 0x1f1e6 && codePoint <= 0x1f1ff) return CharClass.regional
  const char = String.fromCodePoint(codePoint)
  // Marks come before wide: the voiced sound marks U+3099 and U+309A are both, and combine.
  if (/^\p{M}$/u.test(char) || contains(HANGUL_INNER, codePoint)) return CharClass.extend
  if (/^[\p{Cf}\p{Default_Ignorable_Code_Point}]$/u.test(char)) {
    const isShown = codePoint === SOFT_HYPHEN || /^[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2]$/.test(char)
    return isShown ? CharClass.narrow : CharClass.extend
  }
  if (/^\p{Emoji_Presentation}$/u.test(char)) return CharClass.emoji
  if (contains(WIDE, codePoint)) return CharClass.wide
  return /^\p{Emoji}$/u.test(char) ? CharClass.textEmoji : CharClass.narrow
}

function ranges(text: string): Uint32Array {
  const bounds = text.split(/\s+/).flatMap(part => {
    const [first, last] = part.split('-')
    return [Number.parseInt(first!, 16), Number.parseInt(last ?? first!, 16)]
  })
  return Uint32Array.from(bounds)
}

function contains(bounds: Uint32Array, codePoint: number): boolean {
  let low = 0
  let high = bounds.length / 2 - 1
  while (low <= high) {
    const middle = (low + high) >> 1
    if (codePoint < bounds[middle * 2]!) high = middle - 1
    else if (codePoint > bounds[middle * 2 + 1]!) low = middle + 1
    else return true
  }
  return false
}
