/*
 * Parses tmux's control mode (tmux(1), "CONTROL MODE"). Lines end in a line feed. The reply to a
 * command is between `%begin time number flags` and `%end` or `%error` with the same number, and
 * everything inside is the reply whatever it looks like: a pane may show `%end`. Notifications come
 * between replies. The output of panes has its control bytes and backslashes written as `\ooo`;
 * bytes from 0x80 on are passed unchanged, so a character may be split by the end of a line.
 */
export type ControlMessage =
  | { type: 'reply'; isOurs: boolean; isOk: boolean; lines: Buffer[] }
  | { type: 'output'; pane: string; bytes: Buffer }
  | { type: 'notice'; name: string; rest: string }

const LF = 0x0a
const CR = 0x0d
const BACKSLASH = 0x5c
const ZERO = 0x30
/** A longer line does not come from tmux. */
const LINE_MAX = 16 * 1024 * 1024

interface OpenReply {
  number: string
  isOurs: boolean
  lines: Buffer[]
}

export class ControlStream {
  #rest: Buffer[] = []
  #restLength = 0
  #open: OpenReply | null = null

  /** @throws Error if the input does not come from tmux. */
  push(chunk: Buffer): ControlMessage[] {
    const messages: ControlMessage[] = []
    let from = 0
    for (let end = chunk.indexOf(LF); end >= 0; end = chunk.indexOf(LF, from)) {
      const line =
        this.#restLength > 0 ? Buffer.concat([...this.#rest, chunk.subarray(from, end)]) : chunk.subarray(from, end)
      this.#rest = []
      this.#restLength = 0
      from = end + 1
      const message = this.#line(line.at(-1) === CR ? line.subarray(0, -1) : line)
      if (message) messages.push(message)
    }
    if (from < chunk.length) {
      this.#rest.push(Buffer.from(chunk.subarray(from)))
      this.#restLength += chunk.length - from
      if (this.#restLength > LINE_MAX) throw new Error('a line of tmux’s control mode does not end')
    }
    return messages
  }

  #line(line: Buffer): ControlMessage | null {
    if (this.#open) return this.#inside(this.#open, line)
    if (line[0] !== 0x25) return null
    const space = line.indexOf(0x20)
    const name = line.subarray(1, space < 0 ? line.length : space).toString('latin1')
    const rest = space < 0 ? line.subarray(line.length) : line.subarray(space + 1)
    switch (name) {
      case 'begin': {
        const [, number = '', flags = '0'] = rest.toString('latin1').split(' ')
        this.#open = { number, isOurs: flags === '1', lines: [] }
        return null
      }
      case 'output': {
        const at = rest.indexOf(0x20)
        return {
          type: 'output',
          pane: rest.subarray(0, at).toString('latin1'),
          bytes: unescapeOctal(rest.subarray(at + 1)),
        }
      }
      case 'extended-output': {
        // `%1 age … : data`; further fields may be added before the colon.
        const colon = rest.indexOf(' : ')
        const pane = rest.subarray(0, rest.indexOf(0x20)).toString('latin1')
        return { type: 'output', pane, bytes: unescapeOctal(rest.subarray(colon + 3)) }
      }
      default:
        return { type: 'notice', name, rest: rest.toString('utf8') }
    }
  }

  #inside(open: OpenReply, line: Buffer): ControlMessage | null {
    const isEnd =
      line[0] === 0x25 && /^%(?:end|error) \d+ (\d+)/.exec(line.toString('latin1', 0, 64))?.[1] === open.number
    if (!isEnd) {
      open.lines.push(Buffer.from(line))
      return null
    }
    this.#open = null
    return { type: 'reply', isOurs: open.isOurs, isOk: line[2] === 0x6e, lines: open.lines }
  }
}

/** `\ooo` → the byte; everything else unchanged. */
export function unescapeOctal(data: Buffer): Buffer {
  const first = data.indexOf(BACKSLASH)
  if (first < 0) return Buffer.from(data)
  const bytes = Buffer.allocUnsafe(data.length)
  let length = data.copy(bytes, 0, 0, first)
  for (let at = first; at < data.length; at++) {
    if (data[at] === BACKSLASH && isOctal(data[at + 1]) && isOctal(data[at + 2]) && isOctal(data[at + 3])) {
      bytes[length++] = ((data[at + 1]! - ZERO) << 6) | ((data[at + 2]! - ZERO) << 3) | (data[at + 3]! - ZERO)
      at += 3
    } else bytes[length++] = data[at]!
  }
  return bytes.subarray(0, length)
}

function isOctal(byte: number | undefined): boolean {
  return byte !== undefined && byte >= ZERO && byte <= ZERO + 7
}
