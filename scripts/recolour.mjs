// Recordings as another theme would draw them. Only the parameters of SGR sequences change, so that
// the emulator sees every other byte as it was recorded.

const RGB = { fg: 38, bg: 48, underline: 58 }
const TARGET = new Map(Object.values(RGB).map(code => [code, code]))

/** A colour as red, green, blue, or null to leave it out. */
export const THEMES = {
  rotated: rgb => [rgb[1], rgb[2], rgb[0]],
  inverted: rgb => rgb.map(part => 255 - part),
  /** Darker or lighter by a third: no colour keeps its value, no relation changes. */
  shifted: rgb => rgb.map(part => Math.round(part * 0.62 + 24)),
  /** The 24-bit colours are missing; those of the palette stay. */
  palette: () => null,
  /** As with NO_COLOR: no colours at all; bold, dim, italic and inverse stay. */
  monochrome: () => null,
}

/** The same events in another theme: one of `THEMES`, or a function from colour to colour. */
export function recolour(events, theme) {
  const rewrite = new SgrRewriter(theme)
  return events.map(event => (event.kind === 'output' ? { ...event, bytes: rewrite.push(event.bytes) } : event))
}

/**
 * Themes by name from a file with one in each row: its name, and the colours that the program draws
 * with, in the same order. The program was recorded in the theme `from`.
 */
export function themesOf(text, from) {
  const rows = text.split('\n').filter(row => row !== '' && !row.startsWith('# '))
  const named = new Map(
    rows.map(row => {
      const [, name, colours] = /^(.*?) ((?:#[0-9a-f]{6}|none)\b.*)$/u.exec(row)
      return [name, colours.split(' ')]
    }),
  )
  const own = named.get(from)
  const themeOf = colours => rgb => {
    const role = own.indexOf(`#${rgb.map(part => part.toString(16).padStart(2, '0')).join('')}`)
    if (role < 0) return rgb
    const colour = colours[role]
    return colour === 'none' ? null : [1, 3, 5].map(at => Number.parseInt(colour.slice(at, at + 2), 16))
  }
  return Object.fromEntries([...named].map(([name, colours]) => [name, themeOf(colours)]))
}

/** Rewrites the SGR sequences of a byte stream; one that is cut at the end waits for the rest. */
class SgrRewriter {
  #rest = Buffer.alloc(0)

  constructor(theme) {
    this.map = typeof theme === 'function' ? theme : THEMES[theme]
    this.isMonochrome = theme === 'monochrome'
  }

  push(bytes) {
    const text = Buffer.concat([this.#rest, Buffer.from(bytes)]).toString('latin1')
    const open = /\u001b(?:\[[\d;:]*)?$/u.exec(text)?.index ?? text.length
    this.#rest = Buffer.from(text.slice(open), 'latin1')
    return Buffer.from(
      text.slice(0, open).replace(/\u001b\[([\d;:]*)m/gu, (whole, parameters) => this.#sgr(whole, parameters)),
      'latin1',
    )
  }

  #sgr(whole, parameters) {
    if (parameters === '') return whole
    const fields = parameters.split(';')
    const kept = []
    for (let at = 0; at < fields.length; at++) {
      const parts = fields[at].split(':').map(Number)
      const code = TARGET.get(parts[0])
      if (code === undefined) {
        if (!(this.isMonochrome && isPaletteCode(parts[0]))) kept.push(fields[at])
        continue
      }
      const isColon = parts.length > 1
      const values = isColon ? parts.slice(1) : fields.slice(at + 1, at + (fields[at + 1] === '2' ? 5 : 3)).map(Number)
      if (!isColon) at += values.length
      kept.push(...this.#colour(code, values))
    }
    return kept.length === 0 ? '' : `\u001b[${kept.join(';')}m`
  }

  /**
   * `values`: 2 and the three parts of a colour (or four, after a colour space), or 5 and a number.
   */
  #colour(code, [kind, ...values]) {
    if (kind !== 2) return this.isMonochrome ? [] : [`${code};5;${values[0]}`]
    const mapped = this.map(values.slice(-3))
    return mapped ? [`${code};2;${mapped.join(';')}`] : []
  }
}

function isPaletteCode(code) {
  return (code >= 30 && code <= 37) || (code >= 40 && code <= 47) || (code >= 90 && code <= 107)
}
