import { systemClock, type Timer } from '../../clock/index.js'
import { SignalboxError } from '../../errors/index.js'
import type { PaneNotification } from '../../notifications/index.js'
import type { Explanation, InMilliseconds, LoginLink, PaneStreamEvent } from '../../server/index.js'
import type { PaneInfo } from '../../supervision/index.js'
import { displayWidth } from '../../text/index.js'
import { proofNote, requireDecider } from '../approvals/decider-proof.js'
import { paintLine } from '../cells.js'
import type { CommandContext } from '../context.js'
import type { DaemonClient } from '../daemon-client.js'
import { notificationCodes } from '../watch/notification-codes.js'
import { shortAge } from '../watch/watch-rows.js'
import { decide, interrupt, newSession, prove, send, start, stop } from './actions.js'
import { clampSelection, type DrawnCockpit, drawCockpit, listed } from './draw.js'
import { InputReader } from './input.js'
import { LiveData } from './live-data.js'
import { press } from './press.js'
import { runLog } from './run-log.js'
import { type CockpitCommand, type CockpitView, INITIAL_VIEW, type ViewStep } from './view.js'

/** Alternate screen, no cursor, mouse clicks and wheel (SGR), bracketed paste. */
const ENTER = '\u001b[?1049h\u001b[?25l\u001b[?1000h\u001b[?1006h\u001b[?2004h\u001b[2J'
const LEAVE = '\u001b[?2004l\u001b[?1006l\u001b[?1000l\u001b[?25h\u001b[0m\u001b[?1049l'
/** The screen is drawn at most this often, and once a second because ages change. */
const FRAME_MS = 50
/** How long a notice hides the keys, unless a key is pressed. */
const NOTICE_MS = 10_000
const SECOND_MS = 1_000
/** How often key presses are reported to the daemon as presence. */
const PRESENCE_MS = 10_000
/** A key that is pressed earlier may have been meant for what was there before. */
const READ_MS = 500
const ENDINGS = ['SIGTERM', 'SIGHUP', 'SIGINT'] as const

export interface CockpitOptions {
  wants(pane: PaneInfo): boolean
  filter: string
  /** How this terminal notifies: bell, osc9, osc777. */
  notifyBy: readonly string[]
  /** Opens a pane; resolves when the person is back. */
  go(client: DaemonClient, pane: PaneInfo): Promise<string>
}

/** The live screen. The terminal is restored however it ends. */
export class Cockpit {
  readonly #context: CommandContext
  readonly #options: CockpitOptions
  readonly #data: LiveData
  readonly #input = new InputReader()
  readonly #hasColours: boolean
  #client: DaemonClient
  #view: CockpitView
  #drawn: string[] = []
  #last: DrawnCockpit | null = null
  /** The request that is shown, since when, and whether its end was shown. */
  #read = { key: '', since: 0, isWhole: false }
  /** The notice in the last row, and since when. */
  #noticed = { text: '', since: 0 }
  /** The newest notification that arrived while another notice was shown. */
  #nextNotice: PaneNotification | null = null
  /** Why nothing can be decided here, known before a key is pressed. */
  #refusal: string | null = null
  #timer: Timer | null = null
  #second: Timer | null = null
  #isShown = false
  #presentAt = Number.NEGATIVE_INFINITY
  #leave: () => void = () => undefined

  constructor(context: CommandContext, client: DaemonClient, options: CockpitOptions) {
    this.#context = context
    // Questions on lines of their own would destroy the screen.
    client.proves = false
    this.#client = client
    this.#options = options
    this.#view = { ...INITIAL_VIEW, filter: options.filter }
    this.#data = new LiveData(client, options.wants, () => this.#drawSoon())
    this.#hasColours = context.style('red', 'x') !== 'x'
  }

  /** The daemon was replaced by another one. */
  replaced(client: DaemonClient): void {
    client.proves = false
    this.#client = client
    this.#data.client = client
  }

  async run(events: AsyncIterable<InMilliseconds<PaneStreamEvent>>): Promise<void> {
    const left = new Promise<void>(resolve => {
      this.#leave = resolve
    })
    const stopped = new AbortController()
    this.#show()
    try {
      await Promise.all([this.#data.refreshRequests(), this.#checkDecider()])
      await Promise.race([left, this.#follow(events), this.#data.followRequests(stopped.signal)])
    } finally {
      stopped.abort()
      this.#data.close()
      this.#hide()
    }
  }

  async #checkDecider(): Promise<void> {
    try {
      const proof = await requireDecider(this.#context)
      // A passphrase cannot be typed hidden here.
      this.#refusal = proof?.by === 'passphrase' ? `${proofNote(proof)}; use signalbox approve, deny or answer` : null
    } catch (error) {
      const isRefused = error instanceof SignalboxError && (error.code === 'E_ROLE' || error.code === 'E_STEP_UP')
      if (!isRefused) throw error
      this.#refusal = error.next === undefined ? error.message : `${error.message}: ${error.next}`
    }
  }

  async #follow(events: AsyncIterable<InMilliseconds<PaneStreamEvent>>): Promise<void> {
    for await (const frame of events) {
      if (frame.event === 'notice') this.#notify(frame.data)
      else if (frame.event !== 'heartbeat') this.#data.applyEvent(frame)
    }
  }

  #notify(notice: PaneNotification): void {
    if (notice.kind === 'over') {
      if (this.#nextNotice?.pane === notice.pane) this.#nextNotice = null
      return
    }
    // What became of a key stays until the person has had time to read it.
    this.#nextNotice = notice
    this.#drawSoon()
    if (this.#isShown) this.#context.write(notificationCodes(notice, this.#options.notifyBy))
  }

  #show(): void {
    const { stdin, stdout } = process
    this.#isShown = true
    this.#drawn = []
    this.#context.write(ENTER)
    if (stdin.isTTY) stdin.setRawMode(true)
    stdin.on('data', this.#onInput)
    stdin.resume()
    stdout.on('resize', this.#onResize)
    for (const signal of ENDINGS) process.on(signal, this.#onSignal)
    this.#draw()
  }

  #hide(): void {
    const { stdin, stdout } = process
    if (!this.#isShown) return
    this.#isShown = false
    this.#timer?.cancel()
    this.#timer = null
    this.#second?.cancel()
    for (const signal of ENDINGS) process.off(signal, this.#onSignal)
    stdin.off('data', this.#onInput)
    stdout.off('resize', this.#onResize)
    if (stdin.isTTY) stdin.setRawMode(false)
    stdin.pause()
    this.#context.write(LEAVE)
  }

  readonly #onSignal = (): void => this.#leave()

  readonly #onResize = (): void => {
    this.#drawn = []
    this.#context.write('\u001b[2J')
    this.#draw()
  }

  readonly #onInput = (chunk: Buffer): void => {
    const now = systemClock.monotonic()
    if (now - this.#presentAt >= PRESENCE_MS) {
      this.#presentAt = now
      void this.#client.post('/panes/presence', { surface: 'watch' }).catch(() => undefined)
    }
    for (const input of this.#input.push(chunk.toString('utf8'))) {
      const isNew = systemClock.monotonic() - this.#read.since < READ_MS
      const { view, command } = press(this.#view, input, {
        rows: listed({ rows: this.#data.rows() }, this.#view),
        size: this.#size(),
        maxScroll: this.#last?.detail.maxScroll ?? 0,
        isNew,
        refusal: this.#refusal,
        isRead: this.#read.isWhole,
      })
      this.#view = view
      if (command) void this.#execute(command)
      // The next key of the same chunk acts on what this one brought about.
      this.#draw()
    }
  }

  async #execute(command: CockpitCommand): Promise<void> {
    try {
      this.#continue((await this.#perform(command)) ?? {})
    } catch (error) {
      this.#showError(error)
    }
  }

  /** In the last row; with what to do about it on a page, if the row is too short for both. */
  #showError(error: unknown): void {
    const message = error instanceof Error ? error.message : String(error)
    const next = error instanceof SignalboxError ? error.next : undefined
    const text = next === undefined ? message : `${message}: ${next}`
    if (next === undefined || displayWidth(text) < this.#size().cols - 2) return this.#showNotice(text)
    this.#continue({ mode: { kind: 'page', lines: [message, '', `→ ${next}`], top: 0 } })
  }

  /** The line that appears after a command, unless the person is already typing something else. */
  #continue({ mode, command, notice }: ViewStep): void {
    if (mode && this.#view.mode.kind === 'list') this.#view = { ...this.#view, mode }
    if (notice !== undefined) this.#view = { ...this.#view, notice }
    if (command) void this.#execute(command)
    this.#drawSoon()
  }

  async #perform(command: CockpitCommand): Promise<ViewStep | undefined> {
    const [context, client] = [this.#context, this.#client]
    switch (command.do) {
      case 'leave':
        this.#leave()
        return
      case 'decide':
        this.#showNotice('deciding …')
        return decide(context, client, command)
      case 'prove':
        return prove(context, client, command)
      case 'send':
        return send(client, command)
      case 'rename':
        await client.patch(`/panes/${command.pane.id}`, { name: command.text })
        return { notice: 'renamed' }
      case 'stop':
        return stop(client, command)
      case 'interrupt':
        return interrupt(client, command)
      case 'run-log':
        return { mode: await runLog(client, command) }
      case 'resume-run':
        await client.post(`/runs/${command.run}/resume`)
        return { notice: `Resumed ${command.title}` }
      case 'cancel-run':
        await client.post(`/runs/${command.run}/cancel`)
        return { notice: `Cancelled ${command.title}` }
      case 'new':
        return { mode: await newSession(context, client) }
      case 'start': {
        this.#showNotice(`starting ${command.agent} …`)
        const { id, number } = await start(context, client, command)
        this.#view = { ...this.#view, selected: id, filter: '' }
        return { notice: `started ${command.agent} as session ${number}` }
      }
      case 'dashboard': {
        const { url } = await client.post<LoginLink>('/auth/links', {})
        const text = 'The dashboard; this link works once, for 5 minutes:'
        return { mode: { kind: 'page', lines: [text, '', url], top: 0 } }
      }
      case 'seen-all':
        for (const pane of this.#data.panes)
          if (pane.status === 'done' || pane.status === 'failed') await this.#act(pane, 'seen')
        return
      case 'seen':
      case 'clear':
        await this.#act(command.pane, command.do)
        return
      case 'heuristics': {
        const wasOff = command.pane.heuristics === 'off'
        await this.#act(command.pane, wasOff ? 'heuristics-auto' : 'heuristics-off')
        return { notice: `heuristics are ${wasOff ? 'on' : 'off'} for ${command.pane.place}` }
      }
      case 'mute': {
        const { isMuted, place } = command.pane
        await this.#act(command.pane, isMuted ? 'notify-on' : 'notify-off')
        return { notice: `notifications are ${isMuted ? 'on' : 'off'} for ${place}` }
      }
      case 'why':
        return this.#why(command.pane)
      case 'go': {
        if (command.pane.source === 'tmux') return { notice: await this.#options.go(client, command.pane) }
        this.#hide()
        try {
          return { notice: await this.#options.go(client, command.pane) }
        } finally {
          this.#show()
        }
      }
    }
  }

  async #act(pane: PaneInfo, action: string): Promise<void> {
    this.#data.set(await this.#client.post<PaneInfo>(`/panes/${pane.id}/act`, { action }))
    this.#drawSoon()
  }

  async #why(pane: PaneInfo): Promise<ViewStep> {
    const { supervision } = await this.#client.get<Explanation>(`/panes/${pane.id}/explain`)
    if (!supervision) return { notice: `${pane.place} is gone` }
    const now = systemClock.now()
    const lines = [...supervision.reports]
      .reverse()
      .map(
        ({ lastAt, count, source, says, effect, ref }) =>
          `  ${shortAge(now - lastAt).padStart(4)} ago  ${source.padEnd(10)} ${says.padEnd(22)} ${effect.padEnd(26)} ${ref}${count > 1 ? ` ×${count}` : ''}`,
      )
    const head = `${pane.place} ${pane.agent ?? pane.job ?? ''}: reports, newest first`
    return { mode: { kind: 'page', lines: [head, '', ...lines], top: 0 } }
  }

  #showNotice(notice: string): void {
    this.#view = { ...this.#view, notice }
    this.#drawSoon()
  }

  #size(): { cols: number; rows: number } {
    return { cols: process.stdout.columns || 80, rows: process.stdout.rows || 24 }
  }

  #drawSoon(): void {
    if (!this.#isShown) return
    this.#timer ??= systemClock.setTimer(FRAME_MS, () => {
      this.#timer = null
      this.#draw()
    })
  }

  /** Writes only changed lines, at once. */
  #draw(): void {
    if (!this.#isShown) return
    const size = this.#size()
    const rows = this.#data.rows()
    this.#updateNotice()
    this.#view = clampSelection(this.#view, listed({ rows }, this.#view), size)
    const selected = rows.find(row => row.id === this.#view.selected) ?? null
    this.#data.preview(selected?.pane?.id ?? null)
    const data = { rows, screen: this.#data.screen, refusal: this.#refusal }
    const drawn = drawCockpit(data, this.#view, { ...size, now: systemClock.now() })
    this.#last = drawn
    this.#noteRead(selected?.request ?? null, drawn.detail.reachesEnd && drawn.layout.detail.rows > 0)
    const lines = drawn.lines.map(line => paintLine(line, this.#context, this.#hasColours))
    let out = ''
    for (const [index, line] of lines.entries())
      if (this.#drawn[index] !== line) out += `\u001b[${index + 1};1H${line}\u001b[0m\u001b[K`
    this.#drawn = lines
    if (out !== '') this.#context.write(`\u001b[?2026h${out}\u001b[?2026l`)
    this.#second?.cancel()
    this.#second = systemClock.setTimer(SECOND_MS, () => this.#draw())
  }

  /** A notice gives its row to the next one, or back to the keys. */
  #updateNotice(): void {
    const { notice } = this.#view
    const now = systemClock.monotonic()
    const isRead = notice === this.#noticed.text && now - this.#noticed.since >= NOTICE_MS
    if (notice === '' || isRead) {
      const next = this.#nextNotice
      this.#view = { ...this.#view, notice: next ? `${next.title}: ${next.body}` : '' }
      this.#nextNotice = null
    }
    if (this.#view.notice !== this.#noticed.text) this.#noticed = { text: this.#view.notice, since: now }
  }

  /** A request counts as read when its end was shown; the ledger records that once. */
  #noteRead(request: { id: string; fingerprint: string; display: { hash: string } } | null, reachesEnd: boolean): void {
    const key = request ? `${request.id} ${request.fingerprint} ${request.display.hash}` : ''
    if (key !== this.#read.key) this.#read = { key, since: systemClock.monotonic(), isWhole: false }
    if (!request || !reachesEnd || this.#read.isWhole) return
    this.#read.isWhole = true
    const body = { displayHash: request.display.hash, whole: true, surface: 'cli' }
    void this.#client.post(`/approvals/${request.id}/seen`, body).catch(() => undefined)
  }
}
