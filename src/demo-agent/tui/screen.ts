import type { Renderer } from './renderer.js'
import type { ViewModel } from './view-model.js'

const FRAME_MS = 16
/** One step of the spinner; elapsed times are redrawn with it. */
const TICK_MS = 120

/** Holds the model, draws it soon after a change, and spins the spinner while the agent works. */
export class Screen {
  private frameTimer: NodeJS.Timeout | null = null
  private tickTimer: NodeJS.Timeout | null = null
  private isStopped = false

  constructor(
    readonly model: ViewModel,
    private readonly renderer: Renderer,
    private readonly onTick: () => void,
  ) {}

  start(): void {
    this.renderer.start()
    this.drawNow()
  }

  change(change: Partial<ViewModel>): void {
    Object.assign(this.model, change)
    this.invalidate()
  }

  invalidate(): void {
    if (this.isStopped || this.frameTimer !== null) return
    this.frameTimer = setTimeout(() => this.drawNow(), FRAME_MS)
  }

  /**
   * The terminal may have moved or cut every row. Whatever is drawn next, for whatever reason,
   * draws all of them.
   */
  resized(): void {
    this.renderer.reset()
    this.invalidate()
  }

  drawNow(): void {
    if (this.frameTimer !== null) clearTimeout(this.frameTimer)
    this.frameTimer = null
    if (this.isStopped) return
    this.renderer.draw(this.model)
    this.keepTicking()
  }

  stop(): void {
    this.isStopped = true
    if (this.frameTimer !== null) clearTimeout(this.frameTimer)
    if (this.tickTimer !== null) clearInterval(this.tickTimer)
    this.renderer.stop(this.model)
  }

  private keepTicking(): void {
    const isMoving =
      (this.model.working !== null && this.model.menu === null) || this.model.agents.some(agent => agent.isRunning)
    if (isMoving && this.tickTimer === null) {
      this.tickTimer = setInterval(() => {
        this.model.tick += 1
        this.onTick()
        this.invalidate()
      }, TICK_MS)
    } else if (!isMoving && this.tickTimer !== null) {
      clearInterval(this.tickTimer)
      this.tickTimer = null
    }
  }
}
