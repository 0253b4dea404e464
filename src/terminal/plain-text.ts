/** Removes control characters and trailing blanks, and keeps at most `max` code points. */
export function cleanLine(text: string, max: number): string {
  const shown = text.replace(/\p{Cc}/gu, '').trimEnd()
  return shown.length <= max ? shown : [...shown].slice(0, max).join('')
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Decodes strict base64 of strict UTF-8; null when the text is not valid. */
export function decodeBase64Text(encoded: string): string | null {
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/.test(encoded)) return null
  try {
    const bytes = Uint8Array.from(atob(encoded), char => char.charCodeAt(0))
    return strictUtf8.decode(bytes)
  } catch {
    return null
  }
}
