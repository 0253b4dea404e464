import { appendFileSync, mkdtempSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { JsonLinesReader, type JsonRecord } from './json-lines.js'

let directory: string
let file: string

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'signalbox-lines-'))
  file = join(directory, 'a.jsonl')
})

afterEach(() => {
  rmSync(directory, { recursive: true, force: true })
})

async function take(reader: JsonLinesReader) {
  const records: JsonRecord[] = []
  const update = await reader.read(record => records.push(record))
  return { records, ...update }
}

describe('JsonLinesReader', () => {
  test('reads nothing from a file that does not exist yet', async () => {
    const reader = new JsonLinesReader(file)
    expect(await take(reader)).toEqual({ records: [], skipped: 0, isRestarted: false })
    writeFileSync(file, '{"a":1}\n')
    expect((await take(reader)).records).toEqual([{ a: 1 }])
  })

  test('reads new lines, and an incomplete last line once it is complete', async () => {
    const reader = new JsonLinesReader(file)
    writeFileSync(file, '{"a":1}\n{"b":')
    expect((await take(reader)).records).toEqual([{ a: 1 }])
    expect((await take(reader)).records).toEqual([])
    appendFileSync(file, '"ü"}\n\n{"c":3}\r\n')
    expect(await take(reader)).toEqual({ records: [{ b: 'ü' }, { c: 3 }], skipped: 0, isRestarted: false })
  })

  test('counts lines that are not objects, and continues after them', async () => {
    writeFileSync(file, '{"a":1}{"b":2}\n[1]\nnull\n"x"\n{"c":3}\n')
    expect(await take(new JsonLinesReader(file))).toEqual({ records: [{ c: 3 }], skipped: 4, isRestarted: false })
  })

  test('skips lines that are too long, also when they arrive in pieces', async () => {
    const reader = new JsonLinesReader(file, { maxLineBytes: 100 })
    writeFileSync(file, `{"long":"${'x'.repeat(200)}`)
    expect(await take(reader)).toMatchObject({ records: [], skipped: 0 })
    appendFileSync(file, `${'x'.repeat(500_000)}"}\n{"a":1}\n{"long":"${'x'.repeat(200)}"}\n{"b":2}\n`)
    expect(await take(reader)).toEqual({ records: [{ a: 1 }, { b: 2 }], skipped: 2, isRestarted: false })
  })

  test('omits unwanted lines, without parsing or counting them', async () => {
    writeFileSync(file, '{"type":"big" not even JSON\n{"a":1}\n')
    const reader = new JsonLinesReader(file, { isWanted: line => !line.includes('"big"') })
    expect(await take(reader)).toEqual({ records: [{ a: 1 }], skipped: 0, isRestarted: false })
  })

  test('starts over when the file was truncated, replaced, or rewritten with the same length', async () => {
    const reader = new JsonLinesReader(file)
    writeFileSync(file, '{"a":1}\n{"b":2}\n')
    await take(reader)
    truncateSync(file, 8)
    expect(await take(reader)).toEqual({ records: [{ a: 1 }], skipped: 0, isRestarted: true })
    writeFileSync(join(directory, 'new'), '{"x":1}\n{"y":2}\n')
    renameSync(join(directory, 'new'), file)
    expect(await take(reader)).toEqual({ records: [{ x: 1 }, { y: 2 }], skipped: 0, isRestarted: true })
    writeFileSync(file, '{"p":1}\n{"q":2}\n')
    expect(await take(reader)).toEqual({ records: [{ p: 1 }, { q: 2 }], skipped: 0, isRestarted: true })
    expect(await take(reader)).toEqual({ records: [], skipped: 0, isRestarted: false })
  })

  test('gives every record once to concurrent reads', async () => {
    writeFileSync(file, '{"a":1}\n{"b":2}\n')
    const reader = new JsonLinesReader(file)
    const both = await Promise.all([take(reader), take(reader)])
    expect(both.flatMap(({ records }) => records)).toEqual([{ a: 1 }, { b: 2 }])
  })

  test('gives the same records however the writes are split', async () => {
    const record = fc.record({ text: fc.string({ unit: 'grapheme' }), n: fc.integer() })
    await fc.assert(
      fc.asyncProperty(
        fc.array(record, { maxLength: 8 }),
        fc.array(fc.nat(400), { maxLength: 6 }),
        async (records, cuts) => {
          const bytes = Buffer.from(records.map(each => `${JSON.stringify(each)}\n`).join(''))
          rmSync(file, { force: true })
          const reader = new JsonLinesReader(file)
          const found: JsonRecord[] = []
          let from = 0
          for (const to of [...cuts, bytes.length].map(cut => Math.min(cut, bytes.length)).sort((a, b) => a - b)) {
            appendFileSync(file, bytes.subarray(from, to))
            from = to
            found.push(...(await take(reader)).records)
          }
          expect(found).toEqual(records)
        },
      ),
      { numRuns: 50 },
    )
  })
})
