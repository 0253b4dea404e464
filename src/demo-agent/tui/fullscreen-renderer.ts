import { COLOR, type Line } from '../text/style.js'
import { fitLine } from '../text/wrap.js'
import { liveRegion } from './live-region.js'
import { cursorColumn, EntryCache, frame, type Renderer, type RendererOptions } from './renderer.js'
import type { ViewModel } from './view-model.js'

/** The alternate screen: transcript above, live region below; only changed rows are written. */
export class FullscreenRenderer implements Renderer {
  private readonly cache: EntryCache
  private shown: string[] = []

  constructor(private readonly options: RendererOptions) {
    this.cache = new EntryCache(options.depth)
  }

  start(): void {
    this.options.write('\x1b[?1049h\x1b[2J\x1b[H')
  }

  reset(): void {
    this.shown = []
  }

  draw(model: ViewModel): void {
    const size = this.options.size()
    const region = liveRegion(model, size, this.options.now())
    const room = size.rows - region.lines.length
    const rows = [...this.viewport(model, size.columns, room), ...region.lines.map(line => this.cache.toText(line))]
    let out = `\x1b[?25l${this.shown.length === 0 ? '\x1b[2J' : ''}`
    rows.forEach((text, row) => {
      if (this.shown[row] !== text) out += `\x1b[${row + 1};1H\x1b[2K${text}`
    })
    out += `\x1b[${room + region.cursor.row + 1};1H${cursorColumn(region.cursor.column)}${region.cursor.isVisible ? '\x1b[?25h' : ''}`
    this.shown = rows
    this.options.write(frame(this.options, out))
  }

  stop(model: ViewModel): void {
    const { columns } = this.options.size()
    const rows = model.committed.slice(-3).flatMap(entry => this.cache.linesOf(entry, columns))
    this.options.write(
      `\x1b[?1049l\x1b[?25h${rows
        .slice(-12)
        .map(line => `${line}\r\n`)
        .join('')}`,
    )
  }

  private viewport(model: ViewModel, columns: number, room: number): string[] {
    if (room <= 0) return []
    const wanted = room + model.scrolledBy
    const rows: string[] = []
    for (let at = model.committed.length - 1; at >= 0 && rows.length < wanted; at--)
      rows.unshift(...this.cache.linesOf(model.committed[at]!, columns))
    const scrolledBy = Math.max(0, Math.min(model.scrolledBy, rows.length - room))
    const end = rows.length - scrolledBy
    const visible = rows.slice(Math.max(0, end - room), end)
    while (visible.length < room) visible.push('')
    if (scrolledBy > 0) visible[room - 1] = this.cache.toText(scrollNote(scrolledBy, columns))
    return visible
  }
}

function scrollNote(rows: number, columns: number): Line {
  return fitLine(
    [
      {
        text: `  ↓ ${rows} more ${rows === 1 ? 'row' : 'rows'} · end to jump to the bottom `,
        style: { fg: COLOR.amber, inverse: true },
      },
    ],
    columns,
  )
}
