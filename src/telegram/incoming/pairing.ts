import { randomInt } from 'node:crypto'
import type { Clock } from '../../clock/index.js'
import { SignalboxError } from '../../errors/index.js'
import type { People, Person, PersonRole } from '../../people/index.js'
import type { Intent } from './parse-update.js'

/** Without look-alikes: no 0 O, 1 I L, 2 Z, 5 S, 8 B. */
const CODE_LETTERS = 'ACDEFGHJKMNPQRTUVWXY34679'
const CODE_LENGTH = 8
const LIFE_MS = 10 * 60_000
const WRONG_CODES_MAX = 5

export interface PairingState {
  isOpen: boolean
  code: string | null
  expiresAt: number | null
  /** The account that sent the code and waits for a confirmation at this machine. */
  candidate: { id: number; name: string } | null
  /** Why the window was closed, unless a person closed it. */
  closed: string | null
}

interface Window {
  code: string
  expiresAt: number
  wrong: number
  candidate: { id: number; name: string } | null
}

/**
 * A window of ten minutes in which one account can be paired: it sends the code that this machine
 * shows, in a private chat, and a person at this machine confirms it. Kept in memory only: a
 * restart closes the window.
 */
export class Pairing {
  readonly #people: People
  readonly #clock: Clock
  #window: Window | null = null
  #closed: string | null = null

  constructor(people: People, clock: Clock) {
    this.#people = people
    this.#clock = clock
  }

  /** Opens the window, or gives the state of the open one. */
  open(): PairingState {
    if (!this.#current()) {
      const code = Array.from({ length: CODE_LENGTH }, () => CODE_LETTERS[randomInt(CODE_LETTERS.length)]).join('')
      this.#window = { code, expiresAt: this.#clock.now() + LIFE_MS, wrong: 0, candidate: null }
      this.#closed = null
    }
    return this.state()
  }

  state(): PairingState {
    const window = this.#current()
    return {
      isOpen: window !== null,
      code: window?.code ?? null,
      expiresAt: window?.expiresAt ?? null,
      candidate: window?.candidate ?? null,
      closed: this.#closed,
    }
  }

  close(reason: string | null = null): PairingState {
    this.#window = null
    this.#closed = reason
    return this.state()
  }

  /**
   * A person at this machine confirms the account that sent the code. The first person becomes the
   * owner. @throws SignalboxError `E_STATE`
   */
  confirm(code: string, role?: PersonRole): Person {
    const window = this.#current()
    if (!window?.candidate || window.code !== code)
      throw new SignalboxError('E_STATE', 'this code has not been sent to the bot', {
        next: 'send it to the bot first',
      })
    const { id, name } = window.candidate
    const isFirst = this.#people.all().every(({ telegram }) => telegram.length === 0)
    const person = this.#people.pair(id, { name, role: role ?? (isFirst ? 'owner' : 'approver') })
    this.close()
    return person
  }

  /** Whether an unpaired account sent the code, in a private chat and not forwarded. */
  tryCode(intent: Intent): boolean {
    const window = this.#current()
    if (!window || intent.chatKind !== 'private' || (intent.kind !== 'text' && intent.kind !== 'command')) return false
    if (intent.isForwarded || window.candidate) return false
    const typed = intent.kind === 'command' ? (intent.name === 'start' ? intent.rest : '') : intent.text
    const tried = typed.trim().toUpperCase()
    if (tried.length !== CODE_LENGTH) return false
    if (tried !== window.code) {
      window.wrong += 1
      if (window.wrong >= WRONG_CODES_MAX) this.close('too many wrong codes')
      return false
    }
    window.candidate = { id: intent.from.id, name: intent.from.name }
    return true
  }

  #current(): Window | null {
    if (this.#window && this.#clock.now() >= this.#window.expiresAt) this.close('it expired')
    return this.#window
  }
}
