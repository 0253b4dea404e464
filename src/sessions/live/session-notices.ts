import type { Clock, Timer } from '../../clock/index.js'
import type { KeptExit } from '../../keeper/index.js'
import type { Observation } from '../../screen/index.js'
import { formatAge } from '../../text/index.js'
import type { SessionTimes } from './session-times.js'
import type { Notice } from './sink.js'

export interface SessionNoticesOptions {
  session: { number: number; agent: string; startedAt: number }
  clock: Clock
  times: SessionTimes
  /** The last rows of the screen that are not blank. */
  lastRows(count: number): string[]
  /** People look at the terminal itself, or did until so many milliseconds ago. */
  unattendedMs(): number
  tell(notice: Notice): void
  /** Nothing has changed for too long. */
  onSilence(): void
  /** Ends the session: it waits for a sign-in and nobody is there. */
  onAbandoned(): void
}

const CRASH_ROWS = 5
const SCREEN_ROWS = 20

/** What a session has to say to its people without being asked, each once: that it never got ready, is silent, must sign in, crashed. */
export class SessionNotices {
  readonly #options: SessionNoticesOptions
  #ready: Timer | null = null
  #silence: Timer | null = null
  #changedAt: number
  #isAtWork = false
  #isSilenceTold = false
  #auth: { grace: Timer | null } | null = null
  /** For good: what still comes in while the session closes arms no timer, which would keep the process. */
  #isStopped = false

  constructor(options: SessionNoticesOptions) {
    this.#options = options
    this.#changedAt = options.clock.monotonic()
  }

  /** The session is live from here on. */
  start({ isReady }: { isReady: boolean }): void {
    const { clock, times, session } = this.#options
    this.#changedAt = clock.monotonic()
    this.#scheduleSilence()
    if (isReady || this.#isStopped) return
    const left = session.startedAt + times.readyTimeoutMs - clock.now()
    this.#ready = clock.setTimer(Math.max(0, left), () => this.#tellNotReady())
  }

  stop(): void {
    this.#isStopped = true
    for (const timer of [this.#ready, this.#silence, this.#auth?.grace]) timer?.cancel()
  }

  ready(): void {
    this.#ready?.cancel()
    this.#ready = null
  }

  changed(): void {
    this.#changedAt = this.#options.clock.monotonic()
    this.#isSilenceTold = false
  }

  atWork(isAtWork: boolean): void {
    if (isAtWork === this.#isAtWork) return
    this.#isAtWork = isAtWork
    this.changed()
    this.#scheduleSilence()
  }

  silent(): void {
    const { clock, session, lastRows, tell } = this.#options
    const [row = ''] = lastRows(1)
    const age = formatAge(clock.monotonic() - this.#changedAt)
    tell({
      kind: 'silence',
      text: `Session ${session.number} works on something, but nothing has changed for ${age}. The last row: ${row}`,
      rows: [row],
    })
  }

  /** A sign-in is asked for. One notice for as long as that lasts. */
  needsSignIn(observation: Observation | null): void {
    if (this.#auth || observation?.view !== 'auth_required') return
    this.#auth = { grace: null }
    const { session, tell } = this.#options
    const { url, code } = (observation as Observation<'auth_required'>).payload
    const where = url ? ` Open ${url}${code ? ` and enter ${code}` : ''}.` : ''
    tell({
      kind: 'auth',
      text: `Session ${session.number}: ${session.agent} asks for a sign-in.${where} To do it in its terminal: signalbox attach ${session.number}`,
      ...(url !== undefined && { link: url }),
    })
  }

  /** The sign-in screen has the terminal to itself: unless someone comes to see to it, the session is ended. */
  endUnlessAttended(isStillAsked: () => boolean): void {
    const { clock, times, unattendedMs, onAbandoned } = this.#options
    if (!this.#auth || this.#auth.grace) return
    const look = (ms: number) => {
      if (!this.#auth || this.#isStopped) return
      this.#auth.grace = clock.setTimer(ms, () => {
        if (!isStillAsked() || !this.#auth) return
        const left = times.authGraceMs - unattendedMs()
        if (left > 0) look(left)
        else onAbandoned()
      })
    }
    look(times.authGraceMs)
  }

  signedIn(): void {
    this.#auth?.grace?.cancel()
    this.#auth = null
  }

  crashed(exit: KeptExit, { canResume }: { canResume: boolean }): void {
    const { session, lastRows, tell } = this.#options
    const how = exit.signal ?? `exit ${exit.code}`
    const next = canResume ? ` To go on: signalbox resume ${session.number}` : ''
    tell({
      kind: 'crash',
      text: `Session ${session.number} crashed (${how}).${next}`,
      rows: lastRows(CRASH_ROWS),
    })
  }

  undelivered(detail: string): void {
    const { session, tell } = this.#options
    tell({
      kind: 'undelivered',
      text: `A prompt that waited for session ${session.number} was not delivered: ${detail}`,
    })
  }

  #tellNotReady(): void {
    const { session, clock, lastRows, tell } = this.#options
    const age = formatAge(clock.now() - session.startedAt)
    tell({
      kind: 'not-ready',
      text: `Session ${session.number} shows no input box after ${age}. Look at it: signalbox attach ${session.number}`,
      rows: lastRows(SCREEN_ROWS),
    })
  }

  #scheduleSilence(): void {
    const { clock, times, onSilence } = this.#options
    this.#silence?.cancel()
    this.#silence = null
    if (this.#isStopped || !this.#isAtWork || times.silenceMs === 0) return
    const left = this.#changedAt + times.silenceMs - clock.monotonic()
    this.#silence = clock.setTimer(Math.max(left, this.#isSilenceTold ? times.silenceMs : 0), () => {
      if (clock.monotonic() - this.#changedAt >= times.silenceMs && !this.#isSilenceTold) {
        this.#isSilenceTold = true
        onSilence()
      }
      this.#scheduleSilence()
    })
  }
}
