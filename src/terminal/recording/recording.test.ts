import {
  appendFileSync,
  closeSync,
  fstatSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createRecording, openRecording, type RecordingEvent, readWholeRecording } from './index.js'
import { awkwardBytes } from './testing/awkward-bytes.js'

const HEADER = { cols: 80, rows: 24, startedAt: 1_700_000_000_123, command: 'sh -c "a b"' }
let directory: string
let path: string
let files = 0

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'signalbox-recording-'))
  path = join(directory, 'a.cast')
})

afterEach(() => {
  rmSync(directory, { recursive: true, force: true })
})

function outputOf(events: readonly RecordingEvent[]): Buffer {
  return Buffer.concat(events.flatMap(event => (event.kind === 'output' ? [event.bytes] : [])))
}

type Step =
  | { kind: 'output'; bytes: Uint8Array }
  | { kind: 'input'; bytes: Uint8Array }
  | { kind: 'resize'; cols: number; rows: number }
  | { kind: 'marker'; label: string }

const steps = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('output' as const), bytes: awkwardBytes }) },
    fc.record({ kind: fc.constant('input' as const), bytes: awkwardBytes }),
    fc.record({
      kind: fc.constant('resize' as const),
      cols: fc.integer({ min: 1, max: 500 }),
      rows: fc.integer({ min: 1, max: 500 }),
    }),
    fc.record({ kind: fc.constant('marker' as const), label: fc.string({ unit: 'binary' }) }),
  ),
  { maxLength: 15 },
)

describe('a recording', () => {
  test('keeps every byte of output, every key and every resize in order', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (script: Step[]) => {
        const file = join(directory, `${files++}.cast`)
        const writer = createRecording(file, HEADER)
        script.forEach((step, index) => {
          const t = index / 8
          if (step.kind === 'output') writer.output(t, step.bytes)
          else if (step.kind === 'input') writer.input(t, step.bytes)
          else if (step.kind === 'resize') writer.resize(t, step.cols, step.rows)
          else writer.marker(t, step.label)
        })
        writer.exit(100, { code: 0, signal: null })
        writer.close()
        expect(writer.failure).toBeNull()
        const read = await readWholeRecording(file)
        expect({ truncated: read.truncated, badLines: read.badLines }).toEqual({ truncated: false, badLines: 0 })

        const written = Buffer.concat(script.flatMap(step => (step.kind === 'output' ? [step.bytes] : [])))
        expect(outputOf(read.events)).toEqual(written)
        const others = read.events.filter(event => event.kind !== 'output' && event.kind !== 'exit')
        expect(
          others.map(event => ({ ...event, ...('bytes' in event && { bytes: Buffer.from(event.bytes) }) })),
        ).toEqual(
          script.flatMap((step, index) =>
            step.kind === 'output'
              ? []
              : [{ t: index / 8, ...step, ...('bytes' in step && { bytes: Buffer.from(step.bytes) }) }],
          ),
        )
        // A resize comes after exactly the bytes that preceded it, also those of an incomplete
        // character.
        expect(bytesBeforeResizes(read.events)).toEqual(bytesBeforeResizes(script))
        expect(read.events.at(-1)).toEqual({ kind: 'exit', t: 100, exit: { code: 0, signal: null } })
      }),
      { numRuns: 60 },
    )
  })

  test('has one event for a character split by two writes, with the time of its end', async () => {
    const writer = createRecording(path, HEADER)
    writer.output(1, Uint8Array.of(0x61, 0xe2, 0x82))
    writer.output(2, Uint8Array.of(0xac))
    writer.close()
    const { events } = await readWholeRecording(path)
    expect(events).toEqual([
      { kind: 'output', t: 1, bytes: Uint8Array.of(0x61) },
      { kind: 'output', t: 2, bytes: Uint8Array.of(0xe2, 0x82, 0xac) },
    ])
  })

  test('writes an incomplete character before a resize, at its own time', async () => {
    const writer = createRecording(path, HEADER)
    writer.output(1, Uint8Array.of(0xe2))
    writer.resize(3, 100, 30)
    writer.output(4, Uint8Array.of(0x82, 0xac))
    writer.close()
    expect((await readWholeRecording(path)).events).toEqual([
      { kind: 'output', t: 1, bytes: Uint8Array.of(0xe2) },
      { kind: 'resize', t: 3, cols: 100, rows: 30 },
      { kind: 'output', t: 4, bytes: Uint8Array.of(0x82, 0xac) },
    ])
  })

  test('counts offsets in the original bytes, and can be read from any of them', async () => {
    const writer = createRecording(path, HEADER)
    const chunks = ['a', 'é', '€', '\ud83d\ude00'].map(text => Buffer.from(text)).concat(Buffer.from([0xff, 0xfe]))
    for (const [index, chunk] of chunks.entries()) writer.output(index, chunk)
    writer.flush()
    const recording = await openRecording(path)
    const positions = []
    for await (const { position } of recording.events()) positions.push(position)
    expect(positions.map(position => position.outputOffset)).toEqual([1, 3, 6, 10, 12])
    const rest = []
    for await (const { event, position } of recording.events(positions[2])) rest.push({ event, position })
    expect(outputOf(rest.map(({ event }) => event))).toEqual(Buffer.concat(chunks.slice(3)))
    expect(rest.at(-1)!.position).toEqual(positions.at(-1))
    writer.output(9, Buffer.from('more'))
    writer.close()
    const later = []
    for await (const { event } of recording.events(positions.at(-1))) later.push(event)
    expect(outputOf(later).toString()).toBe('more')
  })

  test('finds a line before any offset from which the rest is read as from the start', async () => {
    const writer = createRecording(path, HEADER)
    const chunk = Buffer.from(`${'é€'.repeat(2_000)}\udcff`)
    for (let index = 0; index < 60; index++) {
      // Cuts in the middle of characters.
      writer.output(index, chunk.subarray(0, 4_001))
      writer.output(index + 0.5, chunk.subarray(4_001))
      if (index % 7 === 0) writer.resize(index + 0.6, 80 + index, 24)
    }
    writer.close()
    const recording = await openRecording(path)
    const all = []
    for await (const read of recording.events()) all.push(read)
    expect(writer.positionBefore(60_000)).toBeNull()
    for (const offset of [80_000, 200_000, 400_000, 1_000_000]) {
      const position = writer.positionBefore(offset)!
      expect(position.outputOffset).toBeLessThanOrEqual(offset)
      // A reader parses at most this much in vain.
      expect(Math.min(offset, all.at(-1)!.position.outputOffset) - position.outputOffset).toBeLessThan(80_000)
      const rest = []
      for await (const read of recording.events(position)) rest.push(read)
      expect(rest).toEqual(all.slice(-rest.length))
      expect(all[all.length - rest.length - 1]!.position).toEqual(position)
    }
  })

  test('has size, start and command in its header, and only the owner may read it', async () => {
    createRecording(path, { ...HEADER, env: { TERM: 'xterm' } }).close()
    expect((await openRecording(path)).header).toEqual({
      version: 2,
      cols: 80,
      rows: 24,
      startedAt: 1_700_000_000,
      command: HEADER.command,
      title: null,
    })
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ env: { TERM: 'xterm' } })
  })

  test('ends with a signal or an exit code', async () => {
    const writer = createRecording(path, HEADER)
    writer.exit(1, { code: null, signal: 'SIGKILL' })
    writer.exit(2, { code: 137, signal: null })
    writer.close()
    expect((await readWholeRecording(path)).events.map(event => event.kind === 'exit' && event.exit)).toEqual([
      { code: null, signal: 'SIGKILL' },
      { code: 137, signal: null },
    ])
  })

  test('does not overwrite another recording', () => {
    createRecording(path, HEADER).close()
    expect(() => createRecording(path, HEADER)).toThrow()
  })
})

describe('a recording on a failing disk', () => {
  test('ends without effect on the program, and can be read up to that point', async () => {
    const writer = createRecording(path, HEADER)
    writer.output(1, Buffer.from('before'))
    writer.flush()
    closeDescriptorOf(path)
    writer.output(2, Buffer.from('lost'))
    expect(() => writer.flush()).not.toThrow()
    expect(writer.failure).toMatchObject({ code: 'EBADF' })
    writer.output(3, Buffer.from('x'.repeat(100_000)))
    writer.resize(4, 10, 10)
    writer.exit(5, { code: 0, signal: null })
    expect(() => writer.close()).not.toThrow()
    expect(outputOf((await readWholeRecording(path)).events).toString()).toBe('before')
  })

  test('contains nothing after its end', async () => {
    const writer = createRecording(path, HEADER)
    writer.close()
    writer.output(1, Buffer.from('late'))
    writer.flush()
    writer.close()
    expect(writer.failure).toBeNull()
    expect((await readWholeRecording(path)).events).toEqual([])
  })
})

describe('recordings of other programs', () => {
  const v3 = [
    '{"version":3,"term":{"cols":100,"rows":30},"timestamp":1700000000,"title":"demo"}',
    '# a comment',
    '[0.5,"o","one"]',
    '',
    '[0.25,"o","two"]',
    '# another, [1,"o","not this"]',
    '[1,"r","80x24"]',
    '[0.5,"q","a kind of tomorrow"]',
    '[0.5,"m","here"]',
    '[0,"x","3"]',
  ]

  test('have intervals in version 3, and comments that are not damage', async () => {
    writeFileSync(path, `${v3.join('\n')}\n`)
    const read = await readWholeRecording(path)
    expect(read.header).toMatchObject({ version: 3, cols: 100, rows: 30, title: 'demo' })
    expect(read.events.map(event => [event.kind, event.t])).toEqual([
      ['output', 0.5],
      ['output', 0.75],
      ['resize', 1.75],
      ['marker', 2.75],
      ['exit', 2.75],
    ])
    expect(read).toMatchObject({ truncated: false, badLines: 0 })
  })

  test('may have a complete last line without a newline', async () => {
    writeFileSync(path, v3.slice(0, 3).join('\n'))
    expect(await readWholeRecording(path)).toMatchObject({ truncated: false, events: [{ kind: 'output', t: 0.5 }] })
  })

  test('have a line cut at any byte dropped and reported, until it is complete', async () => {
    const line = '[1.5,"o","héllo"]'
    const whole = Buffer.from(`{"version":2,"width":80,"height":24}\n[1,"o","a"]\n${line}\n`)
    const start = whole.length - Buffer.byteLength(line) - 1
    for (let cut = start + 1; cut < whole.length - 1; cut++) {
      writeFileSync(path, whole.subarray(0, cut))
      const recording = await openRecording(path)
      const positions = []
      for await (const { position } of recording.events()) positions.push(position)
      expect(recording.damage).toEqual({ truncated: true, badLines: 0 })
      expect(positions).toHaveLength(1)
      appendFileSync(path, whole.subarray(cut))
      const later = []
      for await (const { event } of recording.events(positions[0])) later.push(event)
      expect(outputOf(later).toString()).toBe('héllo')
      expect(recording.damage).toEqual({ truncated: false, badLines: 0 })
    }
  })

  test('have lines skipped and counted that are not events', async () => {
    const garbage = [
      'nonsense',
      '{"a":1}',
      '[1]',
      '["1","o","x"]',
      '[2,"o",3]',
      '[2,"r","axb"]',
      '[2,"r","0x10"]',
      '[null,"o","x"]',
      '# no comment in version 2',
    ]
    writeFileSync(
      path,
      ['{"version":2,"width":80,"height":24}', '[1,"o","a"]', ...garbage, '[3,"o","b"]', ''].join('\n'),
    )
    const read = await readWholeRecording(path)
    expect(outputOf(read.events).toString()).toBe('ab')
    expect(read).toMatchObject({ truncated: false, badLines: garbage.length })
  })

  test.each([
    ['missing', null],
    ['empty', ''],
    ['of another kind', 'hello\n'],
    ['of a future version', '{"version":4,"width":80,"height":24}\n'],
    ['without a size', '{"version":2,"width":0,"height":24}\n'],
    ['a list', '[1,2]\n'],
  ])('a file that is %s is refused as input', async (_, content) => {
    if (content !== null) writeFileSync(path, content)
    await expect(openRecording(path)).rejects.toMatchObject({
      name: 'SignalboxError',
      code: 'E_INPUT',
      place: { file: path },
    })
  })

  test('a directory is refused as input', async () => {
    await expect(openRecording(directory)).rejects.toMatchObject({ code: 'E_INPUT' })
  })

  test('may have lines longer than a read', async () => {
    const long = 'x'.repeat(700_000)
    writeFileSync(path, `{"version":2,"width":80,"height":24}\n[1,"o",${JSON.stringify(long)}]\n[2,"o","end"]\n`)
    expect(outputOf((await readWholeRecording(path)).events).toString()).toBe(`${long}end`)
  })
})

function bytesBeforeResizes(list: readonly { kind: string; bytes?: Uint8Array }[]): number[] {
  const found: number[] = []
  let bytes = 0
  for (const item of list) {
    if (item.kind === 'output') bytes += item.bytes!.length
    if (item.kind === 'resize') found.push(bytes)
  }
  return found
}

/**
 * Closes the writer's descriptor without its knowledge: every further write fails, as on a disk
 * that was removed.
 */
function closeDescriptorOf(file: string): void {
  const { ino, dev } = statSync(file)
  for (let descriptor = 3; descriptor < 256; descriptor++) {
    const open = statOf(descriptor)
    if (open?.ino === ino && open.dev === dev) {
      closeSync(descriptor)
      return
    }
  }
  throw new Error('the descriptor was not found')
}

function statOf(descriptor: number) {
  try {
    return fstatSync(descriptor)
  } catch {
    return null // not open
  }
}
