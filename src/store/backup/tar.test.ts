import fc from 'fast-check'
import { expect, test } from 'vitest'
import { padding, readTar, TAR_END, tarHeader } from './tar.js'

function archive(files: readonly { name: string; content: Buffer }[]): Buffer {
  const parts = files.flatMap(({ name, content }) => [
    ...tarHeader(name, content.length, 1_700_000_000_000),
    content,
    padding(content.length),
  ])
  return Buffer.concat([...parts, TAR_END])
}

async function* cut(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function read(bytes: Buffer, size = 1_000): Promise<{ name: string; content: Buffer }[]> {
  const found: { name: string; content: Buffer }[] = []
  for await (const { name, content } of readTar(cut(bytes, size))) {
    const parts: Buffer[] = []
    for await (const part of content) parts.push(part)
    found.push({ name, content: Buffer.concat(parts) })
  }
  return found
}

const name = fc
  .array(fc.string({ unit: fc.constantFrom('a', 'Z', '9', '-', '_', ' ', 'é', '🚦'), minLength: 1, maxLength: 60 }), {
    minLength: 1,
    maxLength: 5,
  })
  .map(parts => parts.join('/'))
const content = fc.uint8Array({ maxLength: 2_000 }).map(bytes => Buffer.from(bytes))

test('an archive is read as it was written, wherever its bytes are cut', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ name, content }), { maxLength: 5 }),
      fc.integer({ min: 1, max: 3_000 }),
      async (files, size) => {
        expect(await read(archive(files), size)).toEqual(files)
      },
    ),
    { numRuns: 60 },
  )
})

test('an archive that is cut off is refused at every length', async () => {
  const whole = archive([{ name: 'data/x', content: Buffer.from('abc') }])
  for (let length = 0; length < whole.length - TAR_END.length; length += 97)
    await expect(read(whole.subarray(0, length))).rejects.toThrow('cut off')
})

test('a header with a changed byte is refused', async () => {
  const bytes = archive([{ name: 'data/x', content: Buffer.from('abc') }])
  bytes[3]! ^= 1
  await expect(read(bytes)).rejects.toThrow('damaged header')
})
