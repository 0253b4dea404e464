import { describe, expect, it } from 'vitest'
import { TerminalEmulator } from '../../terminal/index.js'
import { FittedScreen, type Size } from './fit-screen.js'

/** A terminal of another size, in which the fitted screen is drawn. */
class Watcher {
  readonly screen: FittedScreen
  readonly #terminal: TerminalEmulator

  constructor(own: Size, theirs: Size) {
    this.screen = new FittedScreen(own, theirs)
    this.#terminal = new TerminalEmulator({ ...own, scrollback: 0 })
  }

  push(text: string): this {
    this.screen.push(Buffer.from(text), 1)
    return this
  }

  rows(reserved = 0): string[] {
    this.#terminal.feed(Buffer.from(this.screen.draw(reserved)), 1, { live: false })
    return this.#terminal.currentFrame().lines.map(row => row.text.trimEnd())
  }

  get cursor() {
    return this.#terminal.currentFrame().cursor
  }
}

const at = (row: number, text: string) => `\u001b[${row};1H${text}`

describe('a terminal of another size', () => {
  it('cuts wide rows at the right edge', () => {
    const watcher = new Watcher({ cols: 10, rows: 4 }, { cols: 20, rows: 4 })
    watcher.push(`${at(1, '─'.repeat(20))}${at(2, 'left')}\u001b[2;16Hright${at(3, `12345678 漢字`)}`)
    expect(watcher.rows()).toEqual(['──────────', 'left', '12345678', ''])
  })

  it('replaces rows that the program replaces', () => {
    const watcher = new Watcher({ cols: 10, rows: 3 }, { cols: 20, rows: 3 })
    watcher.push(`${at(1, 'x'.repeat(18))}${at(2, 'one')}`).rows()
    watcher.push(`\u001b[1A\r\u001b[Knew${at(2, 'two')}\u001b[K`)
    expect(watcher.rows()).toEqual(['new', 'two', ''])
  })

  it('shows the bottom of a taller screen, with the cursor, above reserved rows', () => {
    const watcher = new Watcher({ cols: 20, rows: 4 }, { cols: 20, rows: 8 })
    watcher.push([1, 2, 3, 4, 5, 6].map(row => at(row, `row ${row}`)).join(''))
    expect(watcher.rows(1)).toEqual(['row 4', 'row 5', 'row 6', ''])
    expect(watcher.cursor).toMatchObject({ x: 5, y: 2, visible: true })
  })

  it('leaves the rest of a larger terminal empty, and follows resizes', () => {
    const watcher = new Watcher({ cols: 30, rows: 4 }, { cols: 8, rows: 2 })
    watcher.push(`${at(1, 'ab')}${at(2, 'cd')}`)
    expect(watcher.rows()).toEqual(['ab', 'cd', '', ''])
    watcher.screen.resized({ cols: 12, rows: 3 }, 2)
    watcher.push(at(3, 'abcdefghijkl'))
    expect(watcher.rows()[2]).toBe('abcdefghijkl')
    watcher.screen.show({ cols: 8, rows: 2 }, at(1, 'anew'), 3)
    expect(watcher.rows()).toEqual(['anew', '', '', ''])
  })

  it('does not redraw unchanged rows', () => {
    const watcher = new Watcher({ cols: 10, rows: 3 }, { cols: 20, rows: 3 })
    watcher.push(`${at(1, 'same')}${at(2, 'other')}`).rows()
    watcher.push(at(2, 'OTHER'))
    const drawn = watcher.screen.draw(0)
    expect(drawn).toContain('OTHER')
    expect(drawn).not.toContain('same')
  })
})
