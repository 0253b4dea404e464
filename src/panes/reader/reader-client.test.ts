import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { PACKAGE_ROOT } from '../../process/index.js'
import { type Pack, parsePack } from '../../screen/index.js'
import { openRecording } from '../../terminal/recording/index.js'
import { type PaneOutput, PaneScreen } from '../pane-screen.js'
import type { ReaderReply } from './messages.js'
import { type OpenReader, ReaderClient, type ReaderFactory } from './reader-client.js'
import { TerminalReader } from './terminal-reader.js'

const GENERIC = 'pack = 1\nagent = "generic"\n'

/** Passes everything as a thread would: as copies. */
class CopyingReader implements ReaderFactory {
  readonly #rows: { sent: number }

  constructor(rows = { sent: 0 }) {
    this.#rows = rows
  }

  open(options: Parameters<ReaderFactory['open']>[0], receive: (reply: ReaderReply) => void): OpenReader {
    const { ruleTimer, ...pack } = options.pack
    const reader = new TerminalReader(structuredClone({ ...options, pack }), () => 0)
    return {
      send: request => {
        for (const reply of reader.handle(structuredClone(request))) {
          for (const output of reply.outputs) if (output.type === 'look') this.#rows.sent += output.look.rows.length
          receive(structuredClone(reply))
        }
      },
      close: () => undefined,
    }
  }
}

/** The same bytes, read directly and through a client. */
class Twice {
  readonly rows = { sent: 0 }
  readonly #direct: PaneScreen
  readonly client: ReaderClient
  #seen: readonly PaneOutput[] = []
  readonly #outputs: PaneOutput[] = []

  constructor(pack: () => Pack, size: { cols: number; rows: number; scrollback?: number }) {
    this.#direct = new PaneScreen(pack(), size)
    this.client = new ReaderClient(
      new CopyingReader(this.rows),
      { pack: pack(), emulator: size, restored: null },
      {
        advance: () => undefined,
        seen: outputs => {
          this.#seen = outputs
        },
      },
    )
  }

  feed(bytes: Uint8Array, t: number): void {
    this.#seen = []
    this.client.feed(bytes, t, 0, false)
    this.#expectSame(this.#direct.feed(bytes, t, { live: false }))
  }

  resize(cols: number, rows: number, t: number): void {
    this.client.resize(cols, rows, t)
    this.#expectSame(this.#direct.resize(cols, rows, t))
  }

  runTimers(until: number): void {
    for (let due = this.#direct.nextDeadline(); due !== null && due <= until; due = this.#direct.nextDeadline()) {
      expect(this.client.nextDeadline()).toBe(due)
      this.client.tick(due)
      this.#expectSame(this.#direct.tick(due))
      if (this.#direct.nextDeadline() === due) break
    }
  }

  get looks(): number {
    return this.#outputs.filter(({ type }) => type === 'look').length
  }

  /** All rows that the terminal still has, and of which a look was made. */
  expectSameRows(): void {
    const { frame } = this.#direct.last!
    const first = frame.buffer === 'normal' ? frame.history.firstId : frame.lines[0]!.id
    const last = frame.lines.at(-1)!.id
    expect(withoutSeq(this.client.view.readRows(first, last))).toEqual(withoutSeq(this.#direct.readRows(first, last)))
  }

  #expectSame(direct: readonly PaneOutput[]): void {
    this.#outputs.push(...direct)
    expect(this.#seen).toEqual(direct)
    expect(this.client.view.modes).toEqual(this.#direct.modes)
    expect(this.client.view.programStatus).toEqual(this.#direct.programStatus)
  }
}

/** A row that is read again outside a frame has another number of its last change. */
function withoutSeq(rows: readonly object[]): object[] {
  return rows.map(row => ({ ...row, changedSeq: 0 }))
}

const text = (lines: number, from = 0) =>
  Buffer.from(Array.from({ length: lines }, (_, index) => `line ${from + index}\r\n`).join(''))

describe('a reader client', () => {
  const casts = ['demo', 'claude', 'codex'].flatMap(agent => {
    const directory = join(PACKAGE_ROOT, 'packs', agent, 'fixtures')
    return readdirSync(directory)
      .filter(name => name.endsWith('.cast'))
      .sort()
      .slice(0, 2)
      .map(name => ({ agent, file: join(directory, name), name }))
  })

  test.each(casts)('has the same looks, modes and rows as its reader: $agent $name', async ({ agent, file }) => {
    const { readFileSync } = await import('node:fs')
    const source = readFileSync(join(PACKAGE_ROOT, 'packs', agent, `${agent}.toml`), 'utf8')
    const recording = await openRecording(file)
    const twice = new Twice(() => parsePack(source, agent), recording.header)
    for await (const { event } of recording.events()) {
      twice.runTimers(event.t)
      if (event.kind === 'output') twice.feed(event.bytes, event.t)
      if (event.kind === 'resize') twice.resize(event.cols, event.rows, event.t)
    }
    twice.runTimers(Number.MAX_SAFE_INTEGER)
    twice.expectSameRows()
    expect(twice.looks).toBeGreaterThan(3)
  })

  test.each(casts)(
    'gets the looks of a host that was present from old output: $agent $name',
    async ({ agent, file }) => {
      const { readFileSync } = await import('node:fs')
      const source = readFileSync(join(PACKAGE_ROOT, 'packs', agent, `${agent}.toml`), 'utf8')
      const recording = await openRecording(file)
      const looksOf = (outputs: readonly PaneOutput[]) =>
        outputs.flatMap(output => (output.type === 'look' ? [[output.look.t, output.look.observation.view]] : []))
      const [there, late]: [unknown[], unknown[]] = [[], []]
      // One has timers, the other only gets the bytes of the recording.
      const { cols, rows } = recording.header
      const direct = new PaneScreen(parsePack(source, agent), { cols, rows })
      const client = new ReaderClient(
        new CopyingReader(),
        { pack: parsePack(source, agent), emulator: { cols, rows }, restored: null },
        { advance: () => undefined, seen: outputs => void late.push(...looksOf(outputs)) },
      )
      let end = 0
      for await (const { event } of recording.events()) {
        for (let due = direct.nextDeadline(); due !== null && due < event.t; due = direct.nextDeadline())
          there.push(...looksOf(direct.tick(due)))
        if (event.kind === 'output') {
          there.push(...looksOf(direct.feed(event.bytes, event.t, { live: false })))
          client.feed(event.bytes, event.t, 0, false)
        } else if (event.kind === 'resize') {
          there.push(...looksOf(direct.resize(event.cols, event.rows, event.t)))
          client.resize(event.cols, event.rows, event.t)
        }
        end = event.t + 60
      }
      for (let due = direct.nextDeadline(); due !== null && due <= end; due = direct.nextDeadline())
        there.push(...looksOf(direct.tick(due)))
      there.push(...looksOf(direct.tick(end)))
      client.tick(end)
      expect(late).toEqual(there)
      expect(late.length).toBeGreaterThan(3)
    },
  )

  test('has the same rows after unseen scrolling, a new width and a switch to the alternate screen', () => {
    const twice = new Twice(() => parsePack(GENERIC, 'generic'), { cols: 40, rows: 10, scrollback: 200 })
    let t = 1
    const print = (bytes: Uint8Array) => {
      twice.feed(bytes, t)
      twice.runTimers(t + 0.5)
      t += 1
    }
    print(text(5))
    twice.expectSameRows()
    print(text(150, 5))
    twice.expectSameRows()
    print(text(500, 155))
    twice.expectSameRows()
    twice.resize(30, 12, t)
    twice.runTimers(t + 0.5)
    t += 1
    print(text(3))
    twice.expectSameRows()
    print(Buffer.from('\u001b[?1049hon another screen'))
    twice.expectSameRows()
    print(Buffer.from('\u001b[?1049lback'))
    twice.expectSameRows()
    print(Buffer.from('\u001b[2J\u001b[3J\u001b[Hempty'))
    twice.expectSameRows()
  })

  test('gets only what changed, however much was printed before', () => {
    const sentBy = (lines: number) => {
      const twice = new Twice(() => parsePack(GENERIC, 'generic'), { cols: 40, rows: 10, scrollback: 5000 })
      twice.feed(text(lines), 1)
      twice.runTimers(2)
      const before = twice.rows.sent
      twice.feed(Buffer.from('one\r\ntwo\r\n'), 3)
      twice.runTimers(4)
      return twice.rows.sent - before
    }
    expect(sentBy(4_000)).toBe(sentBy(40))
    expect(sentBy(4_000)).toBeLessThanOrEqual(6)
  })

  test('does not get rows again that are no longer needed', () => {
    const twice = new Twice(() => parsePack(GENERIC, 'generic'), { cols: 40, rows: 10, scrollback: 5000 })
    twice.feed(text(3_000), 1)
    twice.runTimers(2)
    const [last] = twice.client.view.readRows(0, 10_000).slice(-1)
    twice.client.view.release?.(last!.id - 100)
    const before = twice.rows.sent
    twice.resize(39, 10, 3)
    twice.runTimers(4)
    expect(twice.rows.sent - before).toBeLessThan(150)
    expect(twice.client.view.readRows(0, 10_000).length).toBeLessThan(150)
  })
})
