import { type ColorDepth, lineToAnsi } from '../text/ansi.js'
import type { Line } from '../text/style.js'
import { entryLines } from './entry-lines.js'
import type { ScreenSize } from './live-region.js'
import type { Entry, ViewModel } from './view-model.js'

export interface RendererOptions {
  write(text: string): void
  size(): ScreenSize
  depth: ColorDepth
  isSynchronized: boolean
  now(): number
}

/** Draws the model, completely or only what changed. */
export interface Renderer {
  start(): void
  draw(model: ViewModel): void
  /** The size changed, or another program wrote to the terminal: draw everything again. */
  reset(): void
  /** Leaves the screen clean: nothing live on it, the cursor on a new row. */
  stop(model: ViewModel): void
}

/** Frames are atomic: a terminal that supports mode 2026 never shows a half-drawn one. */
export function frame(options: RendererOptions, body: string): string {
  return options.isSynchronized ? `\x1b[?2026h${body}\x1b[?2026l` : body
}

/** The rows of committed entries, drawn once per width. */
export class EntryCache {
  private readonly rows = new WeakMap<Entry, { width: number; lines: string[] }>()

  constructor(private readonly depth: ColorDepth) {}

  /** Each entry starts with a blank row, except the very first. */
  linesOf(entry: Entry, width: number): string[] {
    const known = this.rows.get(entry)
    if (known?.width === width) return known.lines
    const lines = ['', ...entryLines(entry, width).map(line => this.toText(line))]
    if (entry.kind === 'banner' || (entry.kind === 'plain' && !entry.isLead)) lines.shift()
    this.rows.set(entry, { width, lines })
    return lines
  }

  toText(line: Line): string {
    return lineToAnsi(line, this.depth)
  }
}

export function cursorColumn(column: number): string {
  return `\x1b[${column + 1}G`
}
