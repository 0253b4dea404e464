import type { Readable } from 'node:stream'

/** Bytes of one of the two pipes, unchanged. */
export interface Chunk {
  from: 'stdout' | 'stderr'
  bytes: Uint8Array
}

/**
 * Both pipes of a process as one stream, in the order in which they can be read. Nothing is read
 * ahead of the consumer: a slow consumer blocks the program and does not fill our memory. Ends when
 * both pipes have ended.
 */
export async function* mergePipes(stdout: Readable, stderr: Readable): AsyncGenerator<Chunk, void, undefined> {
  const pipes = [open('stdout', stdout), open('stderr', stderr)]
  try {
    // Not `Promise.race`: the silent pipe would keep every chunk of the other one alive.
    const arrived: Awaited<ReturnType<typeof next>>[] = []
    let wake: () => void = () => undefined
    const ask = (pipe: Pipe) =>
      void next(pipe).then(found => {
        arrived.push(found)
        wake()
      })
    for (const pipe of pipes) ask(pipe)
    for (let ended = 0; ended < pipes.length; ) {
      const found = arrived.shift()
      if (!found) {
        await new Promise<void>(resolve => {
          wake = resolve
        })
      } else if (!found.chunk) ended++
      else {
        ask(found.pipe)
        yield found.chunk
      }
    }
  } finally {
    for (const { stream } of pipes) stream.destroy()
  }
}

interface Pipe {
  from: Chunk['from']
  stream: Readable
  chunks: AsyncIterator<Buffer>
}

function open(from: Chunk['from'], stream: Readable): Pipe {
  return { from, stream, chunks: stream[Symbol.asyncIterator]() as AsyncIterator<Buffer> }
}

async function next(pipe: Pipe): Promise<{ pipe: Pipe; chunk: Chunk | null }> {
  try {
    const { done, value } = await pipe.chunks.next()
    return { pipe, chunk: done ? null : { from: pipe.from, bytes: value } }
  } catch {
    // A broken pipe has ended; the exit code says how the program ended.
    return { pipe, chunk: null }
  }
}
