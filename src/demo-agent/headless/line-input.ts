import { createInterface } from 'node:readline'
import { isRecord } from '../scenario/schema.js'

export type InputLine = Record<string, unknown>

/**
 * JSON lines of stdin, each given to the first consumer that it fits; null when there are no more.
 */
export class LineInput {
  private readonly lines: InputLine[] = []
  private readonly waiting: { fits: (line: InputLine) => boolean; resolve: (line: InputLine | null) => void }[] = []
  private isEnded = false

  constructor(input: NodeJS.ReadableStream) {
    const reader = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })
    reader.on('line', text => this.readLine(text))
    reader.on('close', () => {
      this.isEnded = true
      for (const { resolve } of this.waiting.splice(0)) resolve(null)
    })
  }

  next(fits: (line: InputLine) => boolean): Promise<InputLine | null> {
    const at = this.lines.findIndex(fits)
    if (at >= 0) return Promise.resolve(this.lines.splice(at, 1)[0]!)
    if (this.isEnded) return Promise.resolve(null)
    return new Promise(resolve => this.waiting.push({ fits, resolve }))
  }

  private readLine(text: string): void {
    let line: unknown
    try {
      line = JSON.parse(text)
    } catch {
      return
    }
    if (!isRecord(line)) return
    const at = this.waiting.findIndex(({ fits }) => fits(line))
    if (at >= 0) this.waiting.splice(at, 1)[0]!.resolve(line)
    else this.lines.push(line)
  }
}

export async function readAll(input: NodeJS.ReadableStream): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of input) chunks.push(Buffer.from(chunk as Buffer))
  return Buffer.concat(chunks).toString('utf8')
}
