import { systemClock, type Timer } from '../../clock/index.js'
import type { PaneNotification } from '../../notifications/index.js'
import type { Explanation, InMilliseconds, PaneStreamFrame } from '../../server/index.js'
import type { PaneInfo } from '../../supervision/index.js'
import type { CommandContext } from '../context.js'
import type { DaemonClient } from '../daemon-client.js'
import { keysOf, pressKey, type WatchCommand } from './watch-keys.js'
import { type Cell, shortAge } from './watch-rows.js'
import { drawWatch, INITIAL_VIEW, listed, settle, type WatchView } from './watch-screen.js'

const ENTER = '\u001b[?1049h\u001b[?25l\u001b[2J'
const LEAVE = '\u001b[?25h\u001b[0m\u001b[?1049l'
/** The screen is drawn at most this often, and once a second because ages change. */
const FRAME_MS = 50
const SECOND_MS = 1_000
/** How often key presses are reported to the daemon as presence. */
const PRESENCE_MS = 10_000
const ENDINGS = ['SIGTERM', 'SIGHUP', 'SIGINT'] as const

export interface LiveWatchOptions {
  wants(pane: PaneInfo): boolean
  /** How this terminal notifies: bell, osc9, osc777. */
  notifyBy: readonly string[]
  /** Opens a pane; resolves when the person is back. */
  go(pane: PaneInfo): Promise<string>
}

/** The live screen. The terminal is restored however it ends. */
export class LiveWatch {
  readonly #context: CommandContext
  readonly #client: DaemonClient
  readonly #options: LiveWatchOptions
  readonly #panes = new Map<string, PaneInfo>()
  #view: WatchView = INITIAL_VIEW
  #drawn: string[] = []
  #timer: Timer | null = null
  #second: Timer | null = null
  #isShown = false
  #presentAt = Number.NEGATIVE_INFINITY
  #leave: () => void = () => undefined

  constructor(context: CommandContext, client: DaemonClient, options: LiveWatchOptions) {
    this.#context = context
    this.#client = client
    this.#options = options
  }

  async run(events: AsyncIterable<InMilliseconds<PaneStreamFrame>>): Promise<void> {
    const left = new Promise<void>(resolve => {
      this.#leave = resolve
    })
    this.#show()
    try {
      await Promise.race([left, this.#follow(events)])
    } finally {
      this.#hide()
    }
  }

  async #follow(events: AsyncIterable<InMilliseconds<PaneStreamFrame>>): Promise<void> {
    for await (const { event, data } of events) {
      if (event === 'panes') {
        this.#panes.clear()
        for (const pane of data.items) if (this.#options.wants(pane)) this.#panes.set(pane.id, pane)
      } else if (event === 'pane') {
        if (this.#options.wants(data.pane)) this.#panes.set(data.pane.id, data.pane)
      } else if (event === 'gone') this.#panes.delete(data.pane.id)
      else if (event === 'notice') this.#notify(data)
      this.#drawSoon()
    }
  }

  #notify(notice: PaneNotification): void {
    if (notice.kind === 'over') return
    this.#view = { ...this.#view, notice: `${notice.title}: ${notice.body}` }
    if (this.#isShown) this.#context.write(notificationCodes(notice, this.#options.notifyBy))
  }

  #show(): void {
    const { stdin, stdout } = process
    this.#isShown = true
    this.#drawn = []
    this.#context.write(ENTER)
    if (stdin.isTTY) stdin.setRawMode(true)
    stdin.on('data', this.#onKeys)
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
    stdin.off('data', this.#onKeys)
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

  readonly #onKeys = (chunk: Buffer): void => {
    const now = systemClock.monotonic()
    if (now - this.#presentAt >= PRESENCE_MS) {
      this.#presentAt = now
      void this.#client.post('/panes/presence', { surface: 'watch' }).catch(() => undefined)
    }
    for (const key of keysOf(chunk.toString('utf8'))) {
      const { view, command } = pressKey(this.#view, key, this.#listed(), this.#size().rows)
      this.#view = view
      if (command) void this.#execute(command)
    }
    this.#draw()
  }

  async #execute(command: WatchCommand): Promise<void> {
    try {
      switch (command.do) {
        case 'leave':
          return this.#leave()
        case 'seen-all':
          for (const pane of this.#listed())
            if (pane.status === 'done' || pane.status === 'failed') await this.#act(pane, 'seen')
          return
        case 'seen':
        case 'clear':
          return await this.#act(command.pane, command.do)
        case 'heuristics':
          await this.#act(command.pane, command.pane.heuristics === 'off' ? 'heuristics-auto' : 'heuristics-off')
          return this.#showNotice(
            `heuristics are ${command.pane.heuristics === 'off' ? 'on' : 'off'} for ${command.pane.place}`,
          )
        case 'mute':
          await this.#act(command.pane, command.pane.isMuted ? 'notify-on' : 'notify-off')
          return this.#showNotice(`notifications are ${command.pane.isMuted ? 'on' : 'off'} for ${command.pane.place}`)
        case 'why':
          return await this.#why(command.pane)
        case 'go': {
          if (command.pane.source === 'tmux') return this.#showNotice(await this.#options.go(command.pane))
          this.#hide()
          const result = await this.#options.go(command.pane)
          this.#show()
          return this.#showNotice(result)
        }
      }
    } catch (error) {
      this.#showNotice(error instanceof Error ? error.message : String(error))
    }
  }

  async #act(pane: PaneInfo, action: string): Promise<void> {
    const after = await this.#client.post<PaneInfo>(`/panes/${pane.id}/act`, { action })
    this.#panes.set(pane.id, after)
    this.#drawSoon()
  }

  async #why(pane: PaneInfo): Promise<void> {
    const { supervision } = await this.#client.get<Explanation>(`/panes/${pane.id}/explain`)
    if (!supervision) return this.#showNotice(`${pane.place} is gone`)
    const now = systemClock.now()
    const lines = [...supervision.reports]
      .reverse()
      .map(
        ({ lastAt, count, source, says, effect, ref }) =>
          `  ${shortAge(now - lastAt).padStart(4)} ago  ${source.padEnd(10)} ${says.padEnd(22)} ${effect.padEnd(26)} ${ref}${count > 1 ? ` ×${count}` : ''}`,
      )
    this.#view = {
      ...this.#view,
      overlay: 'why',
      why: [`${pane.place} ${pane.agent ?? pane.job ?? ''}: reports, newest first`, '', ...lines],
    }
    this.#draw()
  }

  #showNotice(notice: string): void {
    this.#view = { ...this.#view, notice }
    this.#drawSoon()
  }

  #listed(): PaneInfo[] {
    return listed([...this.#panes.values()], this.#view)
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
    this.#view = settle(this.#view, this.#listed(), size.rows)
    const lines = drawWatch([...this.#panes.values()], this.#view, { ...size, now: systemClock.now() }).map(line =>
      this.#paint(line),
    )
    let out = ''
    for (const [index, line] of lines.entries())
      if (this.#drawn[index] !== line) out += `\u001b[${index + 1};1H${line}\u001b[0m\u001b[K`
    this.#drawn = lines
    if (out !== '') this.#context.write(`\u001b[?2026h${out}\u001b[?2026l`)
    this.#second?.cancel()
    this.#second = systemClock.setTimer(SECOND_MS, () => this.#draw())
  }

  #paint(cells: readonly Cell[]): string {
    return cells.map(({ text, style }) => (style ? this.#context.style(style, text) : text)).join('')
  }
}

/** The codes that make a terminal notify its person: the bell, and two notification sequences. */
export function notificationCodes(
  { title, body }: Pick<PaneNotification, 'title' | 'body'>,
  ways: readonly string[],
): string {
  // Text of programs must not end the sequence or start another.
  const plain = (text: string) => text.replace(/[\p{Cc}\p{Cf}]+/gu, ' ').slice(0, 200)
  const codes: Readonly<Record<string, string>> = {
    bell: '\u0007',
    osc9: `\u001b]9;${plain(`${title}: ${body}`)}\u001b\\`,
    osc777: `\u001b]777;notify;${plain(title).replaceAll(';', ',')};${plain(body)}\u001b\\`,
  }
  return ways.map(way => codes[way] ?? '').join('')
}
