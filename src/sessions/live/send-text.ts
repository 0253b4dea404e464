import type { Pack } from '../../screen/index.js'

/** What a text is meant as: a prompt, a command of the agent's own, or whichever it looks like. */
export type TextMeaning = 'auto' | 'text' | 'command'

export const TEXT_MAX = 100_000
/** Beyond this, or with a line break, text goes as one bracketed paste. */
const TYPED_MAX = 400

export interface Typing {
  /** As it goes to the agent. */
  text: string
  way: 'paste' | 'bulk' | 'typed'
}

/** Line breaks as LF; no control characters and no paste markers: a prompt is text, never keys. */
export function cleanText(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(/\u001b\[20[01]~/g, '')
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '')
    .trim()
}

/** One word behind a slash is a command; a path is not. */
export function isCommand(text: string, meaning: TextMeaning = 'auto'): boolean {
  if (meaning !== 'auto') return meaning === 'command'
  return /^\/[\w-][\w:.-]*(?: [^\n]*)?$/u.test(text)
}

/**
 * How a text gets into the box. Typed, a leading `/ ! @ #` is a command and a tab is a key; pasted, they are text. Where nothing can be
 * pasted, a blank in front takes the mark its meaning. Some programs look at what they drew last to tell whether a `?` or a `!` is the first
 * character of the box: while they lag behind, any of them may open a panel or a shell. To these everything but a command is pasted. Null: this text cannot be typed without its line breaks being taken for Enter.
 */
export function typingOf(
  text: string,
  { pack, isBracketedPaste, meaning }: { pack: Pack; isBracketedPaste: boolean; meaning: TextMeaning },
): Typing | null {
  const isLong = text.length > TYPED_MAX || text.includes('\n')
  const isMarked = /^[/!@#]/u.test(text) && !isCommand(text, meaning)
  const isPasted = pack.input.mode === 'paste' && !isCommand(text, meaning)
  if ((isLong || isMarked || isPasted || text.includes('\t')) && isBracketedPaste) return { text, way: 'paste' }
  if (isLong && pack.agent === 'generic') return null
  const way = pack.input.mode === 'bulk' || pack.input.paceMs === 0 ? 'bulk' : 'typed'
  return { text: isMarked ? ` ${text}` : text, way }
}

/** Blanks do not count: boxes wrap. Nor does what has no width: some boxes draw it, others leave it out. */
export function squash(text: string): string {
  return text.replace(/[\s\u200b\u2060\ufeff]+/gu, '')
}
