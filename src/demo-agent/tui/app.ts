import { openMenu } from '../menu/menu-state.js'
import type { Session } from '../player/session.js'
import { clearComposer, composedText, pressComposerKey } from './composer.js'
import type { Key } from './input-decoder.js'
import { commandOutput } from './own-commands.js'
import { type Status, type StatusState, statusSequence } from './program-status.js'
import type { Renderer } from './renderer.js'
import { Screen } from './screen.js'
import type { Terminal } from './terminal.js'
import { TuiSurface } from './tui-surface.js'
import type { ViewModel } from './view-model.js'

const EXIT_ARMED_MS = 3000
const MODELS = [
  'Lever 1',
  'Lever 1 mini',
  'Semaphore',
  'Semaphore long',
  'Interlock',
  'Interlock fast',
  'Distant',
  'Distant preview',
  'Banner repeater',
]

export interface AppOptions {
  hasStatusReports: boolean
  hasTitle: boolean
  topic: string
  now(): number
  leave(code: number): void
}

/** Handles keys: composer, queue, menus, interrupt, exit. Updates title and status. */
export class App {
  readonly screen: Screen
  readonly surface: TuiSurface
  private terminal: Terminal | null = null
  private session: Session | null = null
  private isReady = false
  private isAnswered = false
  private lastStatus: Status = { state: 'idle' }
  private lastTitle = ''
  private exitTimer: NodeJS.Timeout | null = null

  constructor(
    model: ViewModel,
    renderer: Renderer,
    private readonly options: AppOptions,
  ) {
    this.screen = new Screen(model, renderer, () => this.showTitle())
    const signals = {
      status: (status: Status) => this.report(status),
      setTopic: (text: string) => {
        this.options.topic = text
        this.showTitle()
      },
      raw: (bytes: Uint8Array) => this.terminal?.writeBytes(bytes),
    }
    this.surface = new TuiSurface(() => this.screen, signals, options.now)
  }

  attach(terminal: Terminal, session: Session): void {
    this.terminal = terminal
    this.session = session
  }

  /** The terminal supports OSC 7501: it gets status reports, starting with the current one. */
  onStatusProtocol(): void {
    if (!this.options.hasStatusReports || this.isAnswered) return
    this.isAnswered = true
    this.terminal?.write(statusSequence(this.lastStatus))
  }

  /** The start dialogs are over: what was typed in the meantime may be sent. */
  becomeReady(): void {
    this.isReady = true
    this.report({ state: 'idle' })
    this.screen.invalidate()
    void this.sendQueued()
  }

  press(key: Key): void {
    const { model } = this.screen
    if (this.surface.takeMenuKey(key)) return
    if (key.ctrl && key.name === 'c') this.pressExit()
    else if (key.ctrl && key.name === 'd' && model.composer.text === '') this.options.leave(0)
    else if (key.name === 'escape') this.session?.interrupt()
    else if (key.name === 'pageup') this.scroll(1)
    else if (key.name === 'pagedown') this.scroll(-1)
    else if (key.name === 'end' && model.scrolledBy > 0) this.screen.change({ scrolledBy: 0 })
    else if (this.answersSurvey(key)) this.screen.change({ survey: null })
    else if (key.name === 'enter') this.submit()
    else this.screen.change({ composer: pressComposerKey(model.composer, key), isExitArmed: false })
  }

  stop(): void {
    this.screen.stop()
    if (this.isAnswered) this.terminal?.write(statusSequence({ state: 'clear' }))
    if (this.options.hasTitle) this.terminal?.setTitle('')
  }

  /** A survey consumes its digits, as real ones do. */
  private answersSurvey(key: Key): boolean {
    const { survey, composer } = this.screen.model
    return survey !== null && key.name === 'text' && /^[0-3]$/.test(key.text) && composer.text === ''
  }

  private submit(): void {
    const { model } = this.screen
    const text = composedText(model.composer).trim()
    if (text === '') return
    this.screen.change({ composer: clearComposer(model.composer, text) })
    if (text.startsWith('/') && !this.session?.isBusy && this.command(text)) return
    this.screen.change({ queued: [...model.queued, text] })
    void this.sendQueued()
  }

  private async sendQueued(): Promise<void> {
    const { model } = this.screen
    while (this.isReady && this.session && !this.session.isBusy && model.queued.length > 0) {
      const [text, ...queued] = model.queued
      this.screen.change({ queued })
      await this.session.prompt(text!)
    }
  }

  private command(text: string): boolean {
    const output = commandOutput(text, this.screen.model)
    if (text === '/exit' || text === '/quit') this.options.leave(0)
    else if (text === '/model') void this.pickModel()
    else if (output) this.surface.answerCommand(text, output)
    else return false
    return true
  }

  private async pickModel(): Promise<void> {
    await this.surface.pick(
      openMenu({
        kind: 'picker',
        layout: 'plain',
        title: 'Model',
        question: 'Which model shall pretend to work for you?',
        options: MODELS.map(label => ({ label })),
        window: 5,
      }),
    )
    this.report({ state: 'idle' })
  }

  private pressExit(): void {
    const { model } = this.screen
    if (model.isExitArmed) {
      this.options.leave(0)
      return
    }
    this.session?.interrupt()
    this.screen.change({ isExitArmed: true, composer: clearComposer(model.composer, '') })
    if (this.exitTimer) clearTimeout(this.exitTimer)
    this.exitTimer = setTimeout(() => this.screen.change({ isExitArmed: false }), EXIT_ARMED_MS)
  }

  private scroll(direction: 1 | -1): void {
    const page = Math.max(1, (this.terminal?.size().rows ?? 24) >> 1)
    this.screen.change({ scrolledBy: Math.max(0, this.screen.model.scrolledBy + direction * page) })
  }

  private report(status: Status): void {
    if (JSON.stringify(status) === JSON.stringify(this.lastStatus)) return
    if (status.id === undefined) this.lastStatus = status
    this.showTitle()
    if (this.isAnswered) {
      this.screen.drawNow()
      this.terminal?.write(statusSequence(status))
    }
  }

  private showTitle(): void {
    const title = titleText(this.lastStatus.state as StatusState, this.options.topic, this.screen.model.tick)
    if (!this.options.hasTitle || title === this.lastTitle || !this.terminal) return
    this.lastTitle = title
    this.terminal.setTitle(title)
  }
}

/**
 * `◆ topic` when idle, a half moon that spins while working, `▲ topic` while an answer is needed.
 */
function titleText(state: StatusState, topic: string, tick: number): string {
  const mark = state === 'working' ? (Math.floor(tick / 4) % 2 === 0 ? '◐' : '◑') : state === 'blocked' ? '▲' : '◆'
  return `${mark} ${topic} · signalbox-demo`
}
