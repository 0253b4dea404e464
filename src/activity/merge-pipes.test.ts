import { PassThrough } from 'node:stream'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { type Chunk, mergePipes } from './merge-pipes.js'

test('two pipes are read as one stream to the end of both, each in its own order', async () => {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const seen: string[] = []
  const reading = (async () => {
    for await (const { from, bytes } of mergePipes(stdout, stderr)) seen.push(`${from} ${Buffer.from(bytes)}`)
  })()
  stdout.write('a')
  stderr.write('b')
  await expect.poll(() => seen.length).toBe(2)
  stdout.end('c')
  await expect.poll(() => seen.length).toBe(3)
  stderr.end('d')
  await reading
  expect(seen.filter(line => line.startsWith('stdout'))).toEqual(['stdout a', 'stdout c'])
  expect(seen.filter(line => line.startsWith('stderr'))).toEqual(['stderr b', 'stderr d'])
})

test('chunks are released after they were read, also while the other pipe is silent', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const chunks = mergePipes(stdout, stderr)
  const first: WeakRef<Uint8Array>[] = []
  for (let n = 0; n < 20; n++) {
    stdout.write(Buffer.alloc(1_000, n))
    const { value } = await chunks.next()
    first.push(new WeakRef((value as Chunk).bytes))
  }
  await expect
    .poll(() => {
      collect()
      return first.filter(chunk => chunk.deref() !== undefined).length
    })
    .toBeLessThan(5)
  stdout.end()
  stderr.end()
  await chunks.return(undefined)
})
