import { CharClass } from './character-class.js'

/*
 * Grapheme clusters and their columns, one code point at a time. The state of the cluster is a
 * number in the layout that xterm.js uses for the properties of a character, so that its width
 * provider can pass the state through:
 *
 *   bit 0      the code point joined the cluster before it
 *   bits 1-2   columns of the cluster so far
 *   bits 3-5   what the cluster can still take (`Open`)
 *   bits 6-11  how many code points have joined
 *
 * 0 means that there is no cluster to join: after a cursor move, or at the start of a text.
 *
 * Rules (UAX #29, as far as it changes columns): marks and format characters join; emoji join after
 * ZWJ; a skin tone joins an emoji; two regional indicators are one flag; U+FE0F makes a text
 * pictograph two columns wide.
 *
 * A mark that has nothing to join starts a cluster of one column, and so does the 33rd code point
 * of a cluster: without that limit a program could fill one cell without end.
 */

const Open = {
  nothing: 0,
  /** An emoji: takes ZWJ, skin tone. */
  emoji: 1,
  /** An emoji and ZWJ: takes another emoji. */
  joined: 2,
  /** Half of a flag. */
  regional: 3,
  /** A pictograph shown as text: takes U+FE0F as well. */
  textEmoji: 4,
} as const

type Open = (typeof Open)[keyof typeof Open]

/** How many code points may join the first one of a cluster. */
const JOINED_MAX = 32

/** Code points below it start a cluster, whatever precedes them. */
export const ASCII_END = 0x7f

const asciiClusters = Uint16Array.from({ length: ASCII_END }, (_, code) =>
  packCluster(isKeycapBase(code) ? Open.textEmoji : Open.nothing, 1, false, 0),
)

export function asciiCluster(code: number): number {
  return asciiClusters[code]!
}

/**
 * The cluster after a code point of a class: that of `preceding` with the code point, or a new one.
 */
export function nextCluster(found: CharClass, preceding: number): number {
  return joinCluster(found, preceding) ?? packCluster(openedBy(found), columnsOf(found) || 1, false, 0)
}

export function clusterColumns(cluster: number): number {
  return (cluster >> 1) & 3
}

export function hasJoined(cluster: number): boolean {
  return (cluster & 1) === 1
}

/** Columns of a code point outside a cluster. */
export function columnsOf(found: CharClass): 0 | 1 | 2 {
  if (found === CharClass.wide || found === CharClass.emoji || found === CharClass.modifier) return 2
  const isZero = found === CharClass.extend || found === CharClass.joiner || found === CharClass.emojiSelector
  return isZero ? 0 : 1
}

function joinCluster(found: CharClass, preceding: number): number | null {
  const columns = clusterColumns(preceding)
  const open = ((preceding >> 3) & 7) as Open
  const joined = preceding >> 6
  if (columns === 0 || joined >= JOINED_MAX) return null
  switch (found) {
    case CharClass.extend:
      return packCluster(open, columns, true, joined + 1)
    case CharClass.joiner: {
      const takesEmoji = open === Open.emoji || open === Open.textEmoji
      return packCluster(takesEmoji ? Open.joined : open, columns, true, joined + 1)
    }
    case CharClass.emojiSelector:
      if (open === Open.textEmoji) return packCluster(Open.emoji, 2, true, joined + 1)
      return packCluster(open, columns, true, joined + 1)
    case CharClass.modifier:
      return open === Open.emoji || open === Open.textEmoji ? packCluster(Open.emoji, 2, true, joined + 1) : null
    case CharClass.emoji:
    case CharClass.textEmoji:
      return open === Open.joined ? packCluster(Open.emoji, 2, true, joined + 1) : null
    case CharClass.regional:
      return open === Open.regional ? packCluster(Open.nothing, 2, true, joined + 1) : null
    default:
      return null
  }
}

function openedBy(found: CharClass): Open {
  if (found === CharClass.emoji || found === CharClass.modifier) return Open.emoji
  if (found === CharClass.textEmoji) return Open.textEmoji
  return found === CharClass.regional ? Open.regional : Open.nothing
}

function isKeycapBase(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || code === 0x23 || code === 0x2a
}

function packCluster(open: Open, columns: number, hasJoined: boolean, joined: number): number {
  return (joined << 6) | (open << 3) | (columns << 1) | (hasJoined ? 1 : 0)
}
