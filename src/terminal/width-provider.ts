import { type AmbiguousWidth, CharClass, classifyCodePoint, isAmbiguous } from './width-table.js'

/*
 * Grapheme clusters for xterm.js. For every character xterm asks for its properties and passes those of the character
 * before it (0 after a cursor move or at a line's start); the answer says how wide the whole cluster is now and whether
 * the character joins it. So the cluster rules are a small state machine whose state travels inside the answer:
 *
 *   bits 0     joins the cell before
 *   bits 1-2   columns of the cluster so far
 *   bits 3-5   what the cluster can still take (`Open`)
 *   bits 6-11  how many characters have joined
 *
 * Rules (UAX #29, as far as it changes columns): marks and format characters join; emoji join behind ZWJ; a skin tone
 * joins an emoji; two regional indicators are one flag; U+FE0F makes a text pictograph two columns wide.
 *
 * A mark with nothing to join, and the 33rd of a cell, gets a column of its own: text can then not grow without moving on.
 */

const Open = {
  nothing: 0,
  /** An emoji: takes ZWJ, skin tone. */
  emoji: 1,
  /** An emoji and ZWJ: takes another emoji. */
  joined: 2,
  /** Half a flag. */
  regional: 3,
  /** A pictograph shown as text: takes U+FE0F as well. */
  textEmoji: 4,
} as const

type Open = (typeof Open)[keyof typeof Open]

export const JOINED_MAX = 32

const LATIN_LIMIT = 0x7f
const TABLE_SIZE = 0x20000

export interface WidthProvider {
  readonly version: string
  /** The class of every code point met so far; `CharClass.unseen` for the others. */
  readonly classes: Uint8Array
  wcwidth(codePoint: number): 0 | 1 | 2
  charProperties(codePoint: number, preceding: number): number
}

export const WIDTH_VERSION = 'signalbox'

/** What is learned about a code point holds for every terminal of the process, so all of them share a table. */
const sharedClasses: Record<AmbiguousWidth, Uint8Array> = {
  1: new Uint8Array(TABLE_SIZE),
  2: new Uint8Array(TABLE_SIZE),
}

export function createWidthProvider(ambiguous: AmbiguousWidth = 1): WidthProvider {
  const classes = sharedClasses[ambiguous]
  const latin = Uint16Array.from({ length: LATIN_LIMIT }, (_, code) =>
    properties(isKeycapBase(code) ? Open.textEmoji : Open.nothing, 1, false, 0),
  )

  function classOf(codePoint: number): CharClass {
    const known = classes[codePoint]
    if (known) return known as CharClass
    let found = classifyCodePoint(codePoint)
    if (ambiguous === 2 && found === CharClass.narrow && isAmbiguous(codePoint)) found = CharClass.wide
    if (codePoint < TABLE_SIZE) classes[codePoint] = found
    return found
  }

  return {
    version: WIDTH_VERSION,
    classes,
    wcwidth: codePoint => columnsOf(classOf(codePoint)),
    charProperties(codePoint, preceding) {
      if (codePoint < LATIN_LIMIT) return latin[codePoint]!
      const found = classOf(codePoint)
      return joinCluster(found, preceding) ?? properties(openedBy(found), columnsOf(found) || 1, false, 0)
    },
  }
}

/** The properties if the character joins the cluster before it, or null if it starts a new one. */
function joinCluster(found: CharClass, preceding: number): number | null {
  const width = (preceding >> 1) & 3
  const open = ((preceding >> 3) & 7) as Open
  const joined = preceding >> 6
  if (width === 0 || joined >= JOINED_MAX) return null
  switch (found) {
    case CharClass.extend:
      return properties(open, width, true, joined + 1)
    case CharClass.joiner: {
      const takesEmoji = open === Open.emoji || open === Open.textEmoji
      return properties(takesEmoji ? Open.joined : open, width, true, joined + 1)
    }
    case CharClass.emojiSelector:
      if (open === Open.textEmoji) return properties(Open.emoji, 2, true, joined + 1)
      return properties(open, width, true, joined + 1)
    case CharClass.modifier:
      return open === Open.emoji || open === Open.textEmoji ? properties(Open.emoji, 2, true, joined + 1) : null
    case CharClass.emoji:
    case CharClass.textEmoji:
      return open === Open.joined ? properties(Open.emoji, 2, true, joined + 1) : null
    case CharClass.regional:
      return open === Open.regional ? properties(Open.nothing, 2, true, joined + 1) : null
    default:
      return null
  }
}

function openedBy(found: CharClass): Open {
  if (found === CharClass.emoji || found === CharClass.modifier) return Open.emoji
  if (found === CharClass.textEmoji) return Open.textEmoji
  return found === CharClass.regional ? Open.regional : Open.nothing
}

function columnsOf(found: CharClass): 0 | 1 | 2 {
  if (found === CharClass.wide || found === CharClass.emoji || found === CharClass.modifier) return 2
  const isZero = found === CharClass.extend || found === CharClass.joiner || found === CharClass.emojiSelector
  return isZero ? 0 : 1
}

function isKeycapBase(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || code === 0x23 || code === 0x2a
}

function properties(open: Open, width: number, joins: boolean, joined: number): number {
  return (joined << 6) | (open << 3) | (width << 1) | (joins ? 1 : 0)
}
