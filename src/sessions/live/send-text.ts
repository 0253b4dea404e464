import type { Pack } from '../../screen/index.js'

/**
 * How to read a text: as a prompt, as a command of the agent's own, or as whichever it looks like.
 */
export type TextMeaning = 'auto' | 'text' | 'command'

export const TEXT_MAX = 100_000
/** Longer text, and text with a line break, is sent as one bracketed paste. */
const TYPED_MAX = 400

export interface Typing {
  /** The text as it is sent to the agent. */
  text: string
  way: 'paste' | 'bulk' | 'typed'
}

/** Line breaks become LF; control characters and paste markers go: a prompt is text. */
export function cleanText(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(/\u001b\[20[01]~/g, '')
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '')
    .trim()
}

/** One word after a slash is a command; a path is not. */
export function isCommand(text: string, meaning: TextMeaning = 'auto'): boolean {
  if (meaning !== 'auto') return meaning === 'command'
  return /^\/[\w-][\w:.-]*(?: [^\n]*)?$/u.test(text)
}

/**
 * How a text gets into the box. Typed, a leading `/ ! @ # ?` is a command and a tab is a key;
 * pasted, they are text. If the program accepts no paste, a blank in front removes the meaning.
 * Some programs check what they drew last to decide whether a `?` or a `!` is the first character
 * of the box: while they lag behind, any of them may open a panel or a shell. For these, everything
 * but a command is pasted. Null: this text cannot be typed, because the agent would read its line
 * breaks as Enter.
 */
export function typingOf(
  text: string,
  { pack, isBracketedPaste, meaning }: { pack: Pack; isBracketedPaste: boolean; meaning: TextMeaning },
): Typing | null {
  const isLong = text.length > TYPED_MAX || text.includes('\n')
  const isMarked = /^[/!@#?]/u.test(text) && !isCommand(text, meaning)
  const isPasted = pack.input.mode === 'paste' && !isCommand(text, meaning)
  // Typed one by one, the parts of a character get apart: an accent ends up after the last letter.
  const isComposed = /[\p{M}\u200d]/u.test(text)
  if ((isLong || isMarked || isPasted || isComposed || text.includes('\t')) && isBracketedPaste)
    return { text: isMarked ? `${literalOf(text, pack)}${text}` : text, way: 'paste' }
  if (isLong && pack.agent === 'generic') return null
  const way = pack.input.mode === 'bulk' || pack.input.paceMs === 0 ? 'bulk' : 'typed'
  return { text: isMarked ? ` ${text}` : text, way }
}

/** Some programs give even a pasted `!` or `/word` its meaning. A path is none. */
function literalOf(text: string, { input }: Pack): string {
  if (text.startsWith('!')) return input.literal['!']
  return /^\/(?:\s|[\w-]+(?:\s|$))/u.test(text) ? input.literal['/'] : ''
}
