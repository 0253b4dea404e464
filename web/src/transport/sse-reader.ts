/** One server-sent event. */
export interface Frame {
  event: string
  data: string
  id: string | null
}

/** Splits a stream of text into frames. A frame may arrive in any number of chunks. */
export class SseReader {
  #rest = ''
  #event = 'message'
  #data: string[] = []
  #id: string | null = null

  push(text: string): Frame[] {
    const frames: Frame[] = []
    this.#rest += text
    for (;;) {
      const end = this.#rest.search(/\r\n|\n|\r(?!$)/)
      if (end < 0) return frames
      const line = this.#rest.slice(0, end)
      this.#rest = this.#rest.slice(this.#rest[end] === '\r' && this.#rest[end + 1] === '\n' ? end + 2 : end + 1)
      const frame = this.#line(line)
      if (frame) frames.push(frame)
    }
  }

  #line(line: string): Frame | null {
    if (line === '') {
      const frame = this.#data.length > 0 ? { event: this.#event, data: this.#data.join('\n'), id: this.#id } : null
      this.#event = 'message'
      this.#data = []
      this.#id = null
      return frame
    }
    if (line.startsWith(':')) return null
    const colon = line.indexOf(':')
    const field = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '')
    if (field === 'event') this.#event = value
    else if (field === 'data') this.#data.push(value)
    else if (field === 'id') this.#id = value
    return null
  }
}
