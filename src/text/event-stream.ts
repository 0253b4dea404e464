/** One server-sent event. `id` is null for an event without a line of its own for it. */
export interface ServerSentEvent {
  event: string
  data: string
  id: string | null
}

const NEW_EVENT: ServerSentEvent = { event: 'message', data: '', id: null }

/**
 * Parses a `text/event-stream` from pieces that may be cut anywhere, and returns the events that
 * each piece completes.
 * https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream
 */
export class EventStreamParser {
  readonly #maxLength: number
  #line = ''
  #event = { ...NEW_EVENT }
  #data: string[] = []
  #length = 0
  #endsWithReturn = false

  /**
   * An event with more than `maxLength` characters of data is dropped; the next one is read again.
   */
  constructor(maxLength = Number.POSITIVE_INFINITY) {
    this.#maxLength = maxLength
  }

  push(text: string): ServerSentEvent[] {
    const events: ServerSentEvent[] = []
    let from = 0
    for (let at = 0; at < text.length; at++) {
      const character = text[at]
      if (character !== '\n' && character !== '\r') {
        this.#endsWithReturn = false
        continue
      }
      // CR LF is one line end.
      if (character === '\r' || !this.#endsWithReturn) {
        const event = this.#endLine(this.#line + text.slice(from, at))
        if (event) events.push(event)
      }
      this.#endsWithReturn = character === '\r'
      from = at + 1
    }
    this.#line += text.slice(from)
    if (this.#length + this.#line.length > this.#maxLength) this.#drop()
    return events
  }

  #endLine(line: string): ServerSentEvent | null {
    this.#line = ''
    if (line === '') return this.#endEvent()
    const colon = line.indexOf(':')
    const field = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1)
    if (field === 'event') this.#event.event = value
    else if (field === 'id') this.#event.id = value
    else if (field === 'data') this.#addData(value)
    return null
  }

  #addData(value: string): void {
    this.#length += value.length
    if (this.#length <= this.#maxLength) this.#data.push(value)
    else this.#data = []
  }

  #endEvent(): ServerSentEvent | null {
    const isWhole = this.#data.length > 0 && this.#length <= this.#maxLength
    const event = isWhole ? { ...this.#event, data: this.#data.join('\n') } : null
    this.#event = { ...NEW_EVENT }
    this.#data = []
    this.#length = 0
    return event
  }

  /** The rest of the event is skipped up to the blank line that ends it. */
  #drop(): void {
    this.#line = ''
    this.#data = []
    this.#length = this.#maxLength + 1
  }
}
