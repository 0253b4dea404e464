/** Text that a program sent about itself, made safe to show: it cannot hide, reorder or move anything. */

/** Control and format characters as `⟨U+202E⟩`. Joiners and selectors inside emoji stay: without them the text changes. */
export function makeVisible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, char =>
    char === '\u200d' ? char : `⟨U+${char.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}⟩`,
  )
}

/** Control characters cut, trailing blanks cut, at most `max` code points. */
export function cleanLine(text: string, max: number): string {
  const shown = text.replace(/\p{Cc}/gu, '').trimEnd()
  return shown.length <= max ? shown : [...shown].slice(0, max).join('')
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Strict base64 of strict UTF-8; null when it is neither. */
export function decodeBase64Text(encoded: string): string | null {
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/.test(encoded)) return null
  try {
    const bytes = Uint8Array.from(atob(encoded), char => char.charCodeAt(0))
    return strictUtf8.decode(bytes)
  } catch {
    return null
  }
}
