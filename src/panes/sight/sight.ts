import type { Pack } from '../../screen/index.js'
import type { PaneOutput } from '../pane-screen.js'
import type { SwitchedOff } from '../rule-time-box.js'
import type { ScreenView } from '../screen-view.js'
import type { AskingRequest, Picture, SightOptions, SightReply, SightRequest } from './messages.js'
import { ScreenMirror } from './screen-mirror.js'
import { SightReader } from './sight-reader.js'

export interface SightListener {
  /** Time has passed; called before what was read up to this time is seen. */
  advance(t: number): void
  /** What was read. `offset`: up to where output was read; null: no output was. */
  seen(outputs: readonly PaneOutput[], t: number, offset: number | null): void
  /** A rule of the pack was too slow and is not used any more. */
  ruleOff?(off: SwitchedOff): void
}

/** Where the reader of a terminal is: in this thread, or in another one. */
export interface SightPlace {
  /** @param receive gets the replies in order */
  open(options: SightOptions, receive: (reply: SightReply) => void, onLost: (why: Error) => void): OpenSight
}

export interface OpenSight {
  send(request: SightRequest): void
  close(): void
}

/** Reads in the caller's thread: every reply comes before the call returns. */
export class LocalSight implements SightPlace {
  readonly #now: () => number

  constructor(now: () => number) {
    this.#now = now
  }

  open(options: SightOptions, receive: (reply: SightReply) => void): OpenSight {
    const reader = new SightReader(options, this.#now)
    return {
      send: request => {
        for (const reply of reader.handle(request)) receive(reply)
      },
      close: () => undefined,
    }
  }
}

interface Waiting {
  then(result: string | Picture | null): void
  failed(why: Error): void
}

/**
 * A session's end of the reader of its terminal. Requests are sent at once, and replies are seen in
 * the order of the requests: in the same call if the reader is in this thread, later if it is not.
 * Everything that depends on what was read belongs into the listener, or behind a `mark`.
 */
export class Sight {
  readonly #pack: Pack
  readonly #listener: SightListener
  readonly #open: OpenSight
  readonly #mirror: ScreenMirror
  readonly #waiting: Waiting[] = []
  #deadline: number | null = null
  #lost: Error | null = null

  constructor(place: SightPlace, options: SightOptions, listener: SightListener) {
    this.#pack = options.pack
    this.#listener = listener
    this.#mirror = new ScreenMirror(request => this.#send(request), options.restored?.status)
    this.#open = place.open(
      options,
      reply => this.#receive(reply),
      why => this.#lose(why),
    )
  }

  /** The screen as it was at its newest look. */
  get view(): ScreenView {
    return this.#mirror
  }

  nextDeadline(): number | null {
    return this.#deadline
  }

  feed(bytes: Uint8Array, t: number, offset: number, isLive: boolean): void {
    this.#send({ op: 'feed', bytes, t, offset, isLive })
  }

  resize(cols: number, rows: number, t: number): void {
    this.#ask({ op: 'resize', cols, rows, t })
  }

  tick(t: number): void {
    this.#ask({ op: 'tick', t })
  }

  /** Reads the current screen if it was never read: it may never change again. */
  look(t: number): void {
    this.#ask({ op: 'look', t })
  }

  /** Calls back when everything before was seen. */
  mark(then: () => void, failed?: (why: Error) => void): void {
    this.#ask({ op: 'mark' }, then, failed)
  }

  /** The state of the reader as JSON, when everything before was seen. */
  save(then: (state: string) => void, failed?: (why: Error) => void): void {
    this.#ask({ op: 'save' }, result => then(result as string), failed)
  }

  picture(hasScrollback: boolean, then: (picture: Picture) => void, failed: (why: Error) => void): void {
    this.#ask({ op: 'picture', hasScrollback }, result => then(result as Picture), failed)
  }

  packChanged(): void {
    const { ruleTimer, ...pack } = this.#pack
    this.#send({ op: 'pack', pack })
  }

  /** Nothing is read any more. */
  close(): void {
    this.#open.close()
    this.#lose(new Error('the terminal is not read any more'))
  }

  #ask(
    request: AskingRequest,
    then: Waiting['then'] = () => undefined,
    failed: Waiting['failed'] = () => undefined,
  ): void {
    if (this.#lost) return failed(this.#lost)
    this.#waiting.push({ then, failed })
    this.#send(request)
  }

  #send(request: SightRequest): void {
    if (!this.#lost) this.#open.send(request)
  }

  #receive(reply: SightReply): void {
    if (this.#lost) return
    const { t, deadline, offset, rulesOff, answer } = reply
    this.#deadline = deadline
    if (t !== null) this.#listener.advance(t)
    const outputs = this.#mirror.take(reply)
    for (const off of rulesOff ?? []) this.#disable(off)
    if (t !== null) this.#listener.seen(outputs, t, offset)
    if (answer) this.#waiting.shift()!.then(answer.result)
  }

  #disable(off: SwitchedOff): void {
    this.#pack.rules = this.#pack.rules.filter(({ id }) => id !== off.rule)
    this.#listener.ruleOff?.(off)
  }

  #lose(why: Error): void {
    this.#lost ??= why
    for (const { failed } of this.#waiting.splice(0)) failed(why)
  }
}
