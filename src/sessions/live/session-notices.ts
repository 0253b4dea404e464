import type { Clock, Timer } from '../../clock/index.js'
import type { KeptExit } from '../../keeper/index.js'
import type { Observation } from '../../screen/index.js'
import { formatDuration } from '../../text/index.js'
import type { SessionTimes } from './session-options.js'

export interface Notice {
  kind: 'auth' | 'silence' | 'crash' | 'lost' | 'not-ready' | 'undelivered' | 'unreadable' | 'budget'
  text: string
  /** Rows of the screen that say more. */
  rows?: string[]
  /** An address for the person to open. */
  link?: string
}

interface SessionNoticesOptions {
  session: { number: number; agent: string; startedAt: number }
  clock: Clock
  times: SessionTimes
  lastRows(count: number): string[]
  /** Milliseconds since a person last watched the terminal; 0 while one does. */
  unattendedMs(): number
  notify(notice: Notice): void
  /** The screen has shown nothing new for too long. */
  onSilence(): void
  /** The agent waits for a sign-in, and no person has attached: the session should end. */
  onAbandoned(): void
}

const CRASH_ROWS = 5
const SCREEN_ROWS = 20

/** What a session reports by itself, once: not ready, silent, signed out, crashed. */
export class SessionNotices {
  readonly #options: SessionNoticesOptions
  #ready: Timer | null = null
  #silence: Timer | null = null
  #changedAt: number
  #isAtWork = false
  #isSilenceReported = false
  #auth: { grace: Timer | null } | null = null
  /** For good: later calls set no timer, because a timer would keep the process alive. */
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
    this.#ready = clock.setTimer(Math.max(0, left), () => this.#notReady())
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
    this.#isSilenceReported = false
  }

  atWork(isAtWork: boolean): void {
    if (isAtWork === this.#isAtWork) return
    this.#isAtWork = isAtWork
    this.changed()
    this.#scheduleSilence()
  }

  silent(): void {
    const { clock, session, lastRows, notify } = this.#options
    const [row = ''] = lastRows(1).map(text => text.trim().replace(/\s{2,}/gu, '  '))
    const age = formatDuration(clock.monotonic() - this.#changedAt)
    notify({
      kind: 'silence',
      text: `Session ${session.number} is working, but its screen has shown nothing new for ${age}. The last row: ${row}`,
      rows: [row],
    })
  }

  /** The agent asks for a sign-in. One notice while that lasts. */
  needsSignIn(observation: Observation | null): void {
    if (this.#auth || observation?.view !== 'auth_required') return
    this.#auth = { grace: null }
    const { session, notify } = this.#options
    const { url, code, method } = (observation as Observation<'auth_required'>).payload
    const then = code ? ` and enter ${code}` : method === 'paste' ? ', then paste the code that it shows' : ''
    const where = url ? ` Open ${url}${then}.` : ''
    notify({
      kind: 'auth',
      text: `Session ${session.number}: ${session.agent} asks for a sign-in.${where} To sign in from its terminal: signalbox attach ${session.number}`,
      ...(url !== undefined && { link: url }),
    })
  }

  /** The sign-in screen covers the terminal: the session ends unless a person attaches. */
  endUnlessAttended(isStillAsked: () => boolean): void {
    const { clock, times, unattendedMs, onAbandoned } = this.#options
    if (!this.#auth || this.#auth.grace) return
    const check = (ms: number) => {
      if (!this.#auth || this.#isStopped) return
      this.#auth.grace = clock.setTimer(ms, () => {
        if (!isStillAsked() || !this.#auth) return
        const left = times.authGraceMs - unattendedMs()
        if (left > 0) check(left)
        else onAbandoned()
      })
    }
    check(times.authGraceMs)
  }

  signedIn(): void {
    this.#auth?.grace?.cancel()
    this.#auth = null
  }

  crashed(exit: KeptExit, { canResume }: { canResume: boolean }): void {
    const { session, lastRows, notify } = this.#options
    const how = exit.signal ?? `exit ${exit.code}`
    const next = canResume ? ` To resume it: signalbox resume ${session.number}` : ''
    notify({
      kind: 'crash',
      text: `Session ${session.number} crashed (${how}).${next}`,
      rows: lastRows(CRASH_ROWS),
    })
  }

  undelivered(detail: string): void {
    const { session, notify } = this.#options
    notify({
      kind: 'undelivered',
      text: `A prompt held for session ${session.number} was not delivered: ${detail}`,
    })
  }

  unreadable(why: string): void {
    const { session, notify } = this.#options
    notify({
      kind: 'unreadable',
      text: `The terminal of session ${session.number} can no longer be read (${why}). Its agent continues. To see it: signalbox attach ${session.number}`,
    })
  }

  #notReady(): void {
    const { session, clock, lastRows, notify } = this.#options
    const age = formatDuration(clock.now() - session.startedAt)
    notify({
      kind: 'not-ready',
      text: `Session ${session.number} shows no input box after ${age}. To check it: signalbox attach ${session.number}`,
      rows: lastRows(SCREEN_ROWS),
    })
  }

  #scheduleSilence(): void {
    const { clock, times, onSilence } = this.#options
    this.#silence?.cancel()
    this.#silence = null
    if (this.#isStopped || !this.#isAtWork || times.silenceMs === 0) return
    const left = this.#changedAt + times.silenceMs - clock.monotonic()
    this.#silence = clock.setTimer(Math.max(left, this.#isSilenceReported ? times.silenceMs : 0), () => {
      if (clock.monotonic() - this.#changedAt >= times.silenceMs && !this.#isSilenceReported) {
        this.#isSilenceReported = true
        onSilence()
      }
      this.#scheduleSilence()
    })
  }
}
