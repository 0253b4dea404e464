/** The colours that a program can query: ours until it sets its own. Components have 8 bits. */

type Rgb = [number, number, number]

/** OSC 10, 11, 12. Many programs choose a light or dark theme by the second. */
const DYNAMIC: Record<number, Rgb> = { 10: [0xd4, 0xd4, 0xd4], 11: [0x1e, 0x1e, 0x1e], 12: [0xff, 0xff, 0xff] }

const ANSI =
  '000000 cd3131 0dbc79 e5e510 2472c8 bc3fbc 11a8cd e5e5e5 666666 f14c4c 23d18b f5f543 3b8eea d670d6 29b8db e5e5e5'
    .split(' ')
    .map(parseHex)
const CUBE = [0, 95, 135, 175, 215, 255]

export interface ColorState {
  dynamic: [number, Rgb][]
  palette: [number, Rgb][]
}

export class Colors {
  readonly #dynamic: Map<number, Rgb>
  readonly #palette: Map<number, Rgb>

  constructor(state: ColorState = { dynamic: [], palette: [] }) {
    this.#dynamic = new Map(state.dynamic)
    this.#palette = new Map(state.palette)
  }

  get state(): ColorState {
    return { dynamic: [...this.#dynamic], palette: [...this.#palette] }
  }

  /** `rgb:rrrr/gggg/bbbb` for OSC 10, 11 or 12; undefined for any other number. */
  dynamic(code: number): string | undefined {
    const color = this.#dynamic.get(code) ?? DYNAMIC[code]
    return color && toReply(color)
  }

  palette(index: number): string | undefined {
    if (!Number.isInteger(index) || index < 0 || index > 255) return undefined
    return toReply(this.#palette.get(index) ?? defaultPalette(index))
  }

  setDynamic(code: number, spec: string): void {
    const color = parseColor(spec)
    if (color && DYNAMIC[code]) this.#dynamic.set(code, color)
  }

  setPalette(index: number, spec: string): void {
    const color = parseColor(spec)
    if (color && Number.isInteger(index) && index >= 0 && index <= 255) this.#palette.set(index, color)
  }

  resetDynamic(code: number): void {
    this.#dynamic.delete(code)
  }

  /** Without an index: all colours. */
  resetPalette(index?: number): void {
    if (index === undefined) this.#palette.clear()
    else this.#palette.delete(index)
  }

  reset(): void {
    this.#dynamic.clear()
    this.#palette.clear()
  }
}

function defaultPalette(index: number): Rgb {
  if (index < 16) return ANSI[index]!
  if (index >= 232) {
    const gray = 8 + (index - 232) * 10
    return [gray, gray, gray]
  }
  const cube = index - 16
  return [CUBE[Math.floor(cube / 36)]!, CUBE[Math.floor(cube / 6) % 6]!, CUBE[cube % 6]!]
}

/** XParseColor: `rgb:r/g/b` with 1–4 digits each, `#rgb`, `#rrggbb`, `#rrrgggbbb`, …. */
function parseColor(spec: string): Rgb | undefined {
  const scaled = /^rgb:([0-9a-f]{1,4})\/([0-9a-f]{1,4})\/([0-9a-f]{1,4})$/i.exec(spec)
  if (scaled) return [scaleHex(scaled[1]!), scaleHex(scaled[2]!), scaleHex(scaled[3]!)]
  const digits = /^#([0-9a-f]+)$/i.exec(spec)?.[1]
  if (!digits || ![3, 6, 9, 12].includes(digits.length)) return undefined
  const size = digits.length / 3
  return [0, 1, 2].map(part => scaleHex(digits.slice(part * size, (part + 1) * size))) as Rgb
}

function scaleHex(digits: string): number {
  return Math.round((Number.parseInt(digits, 16) / (16 ** digits.length - 1)) * 255)
}

function parseHex(hex: string): Rgb {
  const value = Number.parseInt(hex, 16)
  return [value >> 16, (value >> 8) & 0xff, value & 0xff]
}

function toReply(color: Rgb): string {
  const parts = color.map(component => component.toString(16).padStart(2, '0').repeat(2))
  return `rgb:${parts.join('/')}`
}
