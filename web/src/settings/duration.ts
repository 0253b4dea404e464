export type Unit = 'ms' | 's' | 'min' | 'h' | 'd'

const MS: Readonly<Record<Unit, number>> = { ms: 1, s: 1000, min: 60_000, h: 3_600_000, d: 86_400_000 }
const UNITS: readonly { unit: Unit; word: (count: number) => string }[] = [
  { unit: 'd', word: count => (count === 1 ? 'day' : 'days') },
  { unit: 'h', word: () => 'h' },
  { unit: 'min', word: () => 'min' },
  { unit: 's', word: () => 's' },
  { unit: 'ms', word: () => 'ms' },
]

/** `5 min`, `1 h 30 min`, `0.5 s`: exactly, because it is edited. */
export function durationText(value: number, unit: Unit): string {
  let left = Math.round(value * MS[unit])
  if (left > 0 && left < 1000 && unit !== 'ms') return `${left / 1000} s`
  const parts: string[] = []
  for (const { unit: size, word } of UNITS) {
    const count = Math.floor(left / MS[size])
    if (count === 0) continue
    parts.push(`${count} ${word(count)}`)
    left -= count * MS[size]
  }
  return parts.join(' ') || `0 ${unit === 'd' ? 'days' : unit}`
}

const PART = /(\d+(?:[.,]\d+)?)\s*(milliseconds?|ms|seconds?|secs?|s|minutes?|mins?|m|hours?|hrs?|h|days?|d)\s*/giy

/** In the unit of the setting; null if the text is not a duration with units. */
export function parseDurationText(text: string, unit: Unit): number | null {
  const plain = text.trim()
  if (/^0+$/.test(plain)) return 0
  let sum = 0
  PART.lastIndex = 0
  while (PART.lastIndex < plain.length) {
    const found = PART.exec(plain)
    if (!found) return null
    sum += Number(found[1]!.replace(',', '.')) * MS[unitOfWord(found[2]!.toLowerCase())]
  }
  return plain === '' ? null : sum / MS[unit]
}

function unitOfWord(word: string): Unit {
  if (word.startsWith('mil') || word === 'ms') return 'ms'
  if (word.startsWith('m')) return 'min'
  return word.charAt(0) as 's' | 'h' | 'd'
}
