/**
 * Characters that change or hide what a person sees. Unicode's own property covers bidi controls,
 * zero-width characters, soft hyphen, tags, fillers and variation selectors. Added are the
 * interlinear marks and the line separators, at which only some programs break.
 */
const HIDDEN = /[\p{Default_Ignorable_Code_Point}\ufff9-\ufffb\u2028\u2029\p{Cs}]/u

const CONTROL = /[\u0000-\u001f\u007f-\u009f]/

/** Every character that may need a mark. Ordinary text is recognised by this one test. */
const SUSPECT = /[\u0000-\u001f\u007f-\u009f\p{Default_Ignorable_Code_Point}\ufff9-\ufffb\u2028\u2029\p{Cs}]/u

const PICTOGRAPH = /\p{Extended_Pictographic}/u
const ZERO_WIDTH_JOINER = '\u200d'
const KEYCAP = '\u20e3'

export function hasSuspects(text: string): boolean {
  return SUSPECT.test(text)
}

export function isControl(character: string): boolean {
  return CONTROL.test(character)
}

/** `⟦U+202E⟧` */
export function codePointMark(character: string): string {
  return `⟦U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}⟧`
}

export function controlMark(character: string): string {
  if (character === '\u001b') return '␛'
  if (character === '\r') return '␍'
  return codePointMark(character)
}

/** Whether the character is hidden. Selectors and joiners inside one emoji are not. */
export function isHidden(characters: readonly string[], index: number): boolean {
  const character = characters[index]!
  return HIDDEN.test(character) && !isPartOfEmoji(characters, index)
}

function isPartOfEmoji(characters: readonly string[], index: number): boolean {
  const character = characters[index]!
  const before = characters[index - 1] ?? ''
  const after = characters[index + 1] ?? ''
  if (character === '\ufe0e' || character === '\ufe0f') {
    return PICTOGRAPH.test(before) || (/[0-9#*]/.test(before) && after === KEYCAP)
  }
  if (character !== ZERO_WIDTH_JOINER || !PICTOGRAPH.test(after)) return false
  const isSelectorOrSkin = before === '\ufe0f' || /\p{Emoji_Modifier}/u.test(before)
  return PICTOGRAPH.test(isSelectorOrSkin ? (characters[index - 2] ?? '') : before)
}
