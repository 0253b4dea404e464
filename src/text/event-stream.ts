/**
 * Takes the pieces of a `text/event-stream` as they come, cut anywhere, and gives the data of whole events. Only `data` matters here; names,
 * ids and comments are passed over. https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */
export class EventStreamParser {
  readonly #maxLength: number
  #line = ''
  #data: string[] = []
  #length = 0
  #wasReturn = false

  /** An event that grows beyond `maxLength` characters is dropped. */
  constructor(maxLength = 10 * 1024 * 1024) {
    this.#maxLength = maxLength
  }

  take(text: string): string[] {
    const events: string[] = []
    let from = 0
    for (let at = 0; at < text.length; at += 1) {
      const character = text[at]
      if (character !== '\n' && character !== '\r') {
        this.#wasReturn = false
        continue
      }
      // CR LF is one end of line.
      if (character === '\r' || !this.#wasReturn) this.#endLine(text.slice(from, at), events)
      this.#wasReturn = character === '\r'
      from = at + 1
    }
    this.#line += text.slice(from)
    if (this.#length + this.#line.length > this.#maxLength) this.#drop()
    return events
  }

  #endLine(rest: string, events: string[]): void {
    const line = this.#line + rest
    this.#line = ''
    if (line === '') {
      if (this.#data.length > 0 && this.#length <= this.#maxLength) events.push(this.#data.join('\n'))
      this.#data = []
      this.#length = 0
      return
    }
    if (!line.startsWith('data:')) return
    const value = line.slice(line[5] === ' ' ? 6 : 5)
    this.#length += value.length
    if (this.#length <= this.#maxLength) this.#data.push(value)
    else this.#data = []
  }

  /** What is left of the event is passed over with it. */
  #drop(): void {
    this.#line = ''
    this.#data = []
    this.#length = this.#maxLength + 1
  }
}
