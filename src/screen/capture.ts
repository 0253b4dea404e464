import type { CaptureKind } from './pack/pack.js'

/** Converts the named groups of a match into values of the kinds that the rule declares. */
export function captureGroups(
  match: RegExpExecArray | null,
  kinds: Readonly<Record<string, CaptureKind>>,
): Record<string, string | number> {
  const values: Record<string, string | number> = {}
  for (const [name, text] of Object.entries(match?.groups ?? {})) {
    if (text === undefined) continue
    const value = convert(text, kinds[name] ?? 'string')
    if (value !== null) values[name] = value
  }
  return values
}

function convert(text: string, kind: CaptureKind): string | number | null {
  switch (kind) {
    case 'string':
    case 'time':
      return text
    case 'int':
      return Number.parseInt(text.replace(/[,_]/g, ''), 10)
    case 'count':
      return parseCount(text)
    case 'duration':
      return parseDuration(text)
  }
}

/** `71`, `1.2k`, `3M` */
function parseCount(text: string): number | null {
  const match = /^([\d.,]+)\s*([kKmM]?)/.exec(text)
  if (!match) return null
  const factor = { '': 1, k: 1e3, m: 1e6 }[match[2]!.toLowerCase()]!
  return Math.round(Number(match[1]!.replace(/,/g, '')) * factor)
}

/** `1h 2m 3s`, `5s`, `2.5s`, `<1s` → seconds */
export function parseDuration(text: string): number | null {
  const parts = [...text.matchAll(/([\d.]+)\s*(ms|h|m|s|d)/g)]
  if (parts.length === 0) return null
  const unit: Record<string, number> = { d: 86_400, h: 3600, m: 60, s: 1, ms: 0.001 }
  return parts.reduce((sum, [, value, name]) => sum + Number(value) * unit[name!]!, 0)
}
