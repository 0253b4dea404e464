/** One CSV cell. A cell that a spreadsheet would run as a formula gets a leading apostrophe. */
export function csvCell(value: string | number | boolean | null | undefined): string {
  if (value === null || value === undefined) return ''
  if (typeof value !== 'string') return String(value)
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** `1 session`, `3 sessions`, `2 entries`. */
export function plural(count: number, one: string, many: string = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`
}

const UNITS = [
  { name: 'd', ms: 86_400_000 },
  { name: 'h', ms: 3_600_000 },
  { name: 'min', ms: 60_000 },
  { name: 's', ms: 1000 },
] as const

/** The two largest units that matter: `0.8 s`, `12 s`, `3 min 5 s`, `2 h`, `4 d 3 h`. */
export function formatDuration(ms: number): string {
  const whole = Math.max(0, Math.round(ms))
  if (whole < 50) return '<0.1 s'
  if (whole < 1000) return `${(Math.floor(whole / 100) || 1) / 10} s`
  const first = UNITS.findIndex(unit => whole >= unit.ms)
  const large = UNITS[first]!
  const small = UNITS[first + 1]
  const count = Math.floor(whole / large.ms)
  const rest = small ? Math.floor((whole - count * large.ms) / small.ms) : 0
  return rest > 0 ? `${count} ${large.name} ${rest} ${small!.name}` : `${count} ${large.name}`
}

/** How long ago, in one unit: `12 s ago`. The future is `just now`: clocks differ. */
export function formatAge(ms: number): string {
  if (ms < 1000) return 'just now'
  const unit = UNITS.find(({ ms: size }) => ms >= size)!
  const count = Math.floor(ms / unit.ms)
  return `${unit.name === 'd' ? plural(count, 'day') : `${count} ${unit.name}`} ago`
}
