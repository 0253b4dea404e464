import { liveRegion } from './live-region.js'
import { cursorColumn, EntryCache, frame, type Renderer, type RendererOptions } from './renderer.js'
import type { ViewModel } from './view-model.js'

/** Rows that are printed again after a resize; older ones are in the transcript file. */
const REPRINT_ROWS = 1000

/**
 * The normal buffer: finished rows scroll up into the terminal's own scrollback, live rows are
 * redrawn in place below.
 *
 * How a terminal reflows a live region when its width changes is unknown, so after a resize the
 * screen and its scrollback are cleared and the transcript is printed again at the new width. Only
 * then is a printed row printed twice.
 */
export class InlineRenderer implements Renderer {
  private readonly cache: EntryCache
  private printed = 0
  private live: string[] = []
  private cursorRow = 0
  private isReset = false

  constructor(private readonly options: RendererOptions) {
    this.cache = new EntryCache(options.depth)
  }

  start(): void {
    this.options.write('\x1b[?25l')
  }

  reset(): void {
    this.isReset = true
  }

  draw(model: ViewModel): void {
    const size = this.options.size()
    const region = liveRegion(model, size, this.options.now())
    const live = region.lines.map(line => this.cache.toText(line))
    let out = '\x1b[?25l'
    if (this.isReset) {
      out += `\x1b[H\x1b[2J\x1b[3J${this.reprint(model, size.columns)}`
      this.live = []
      this.isReset = false
    } else if (this.printed < model.committed.length) {
      out += `${this.toTop()}\x1b[J`
      for (const entry of model.committed.slice(this.printed))
        out += this.cache
          .linesOf(entry, size.columns)
          .map(line => `${line}\r\n`)
          .join('')
      this.live = []
    } else out += this.toTop()
    this.printed = model.committed.length
    out += this.drawLive(live)
    out += live.length - 1 - region.cursor.row > 0 ? `\x1b[${live.length - 1 - region.cursor.row}A` : ''
    out += cursorColumn(region.cursor.column) + (region.cursor.isVisible ? '\x1b[?25h' : '')
    this.cursorRow = region.cursor.row
    this.live = live
    this.options.write(frame(this.options, out))
  }

  stop(model: ViewModel): void {
    const { columns } = this.options.size()
    let out = `${this.toTop()}\x1b[J`
    for (const entry of [...model.committed.slice(this.printed), ...model.open])
      out += this.cache
        .linesOf(entry, columns)
        .map(line => `${line}\r\n`)
        .join('')
    this.options.write(`${out}\x1b[?25h`)
  }

  private toTop(): string {
    return this.live.length === 0 ? '\r' : `\r${this.cursorRow > 0 ? `\x1b[${this.cursorRow}A` : ''}`
  }

  /** Erases before it writes: after a full row the cursor is still on its last cell. */
  private drawLive(live: string[]): string {
    let out = ''
    live.forEach((text, row) => {
      if (row > 0) out += '\r\n'
      if (this.live[row] !== text) out += `\x1b[2K${text}`
    })
    if (this.live.length > live.length) out += '\r\n\x1b[J\x1b[A'
    return out
  }

  private reprint(model: ViewModel, columns: number): string {
    const rows: string[] = []
    for (let at = model.committed.length - 1; at >= 0 && rows.length < REPRINT_ROWS; at--)
      rows.unshift(...this.cache.linesOf(model.committed[at]!, columns))
    return rows
      .slice(-REPRINT_ROWS)
      .map(line => `${line}\r\n`)
      .join('')
  }
}
