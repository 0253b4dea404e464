import { beforeEach } from 'vitest'
import { menuOf } from '../../approvals/testing/fixtures.js'
import { SimulatedClock } from '../../clock/index.js'
import { runToEnd } from '../../clock/testing/run-to-end.js'
import type { Menu } from '../../screen/index.js'
import { Waiters } from '../effects.js'
import { type ApplyOutcome, chooseOption, type MenuPort, type WantedAnswer } from '../requests/apply-menu.js'

export const UP = '\u001b[A'
export const DOWN = '\u001b[B'
export const LABELS = ['Yes', 'Yes, always', 'No', 'No, tell me why']

/**
 * A menu on a screen: arrows move the selection, Enter confirms. It records what Enter confirmed.
 */
export class FakeMenu implements MenuPort {
  now: Menu | null
  readonly keys: string[] = []
  readonly confirmed: { hash: string; label: string | null }[] = []
  readonly #clock: SimulatedClock
  readonly #waiters: Waiters
  ignoredEnters = 0
  ignoresArrows = false
  /** How many rows an arrow moves. */
  stride = 1
  onKey: (key: string, menu: FakeMenu) => void = () => undefined
  afterConfirm: () => void = () => this.show(null)

  constructor(clock: SimulatedClock, menu: Menu | null) {
    this.#clock = clock
    this.#waiters = new Waiters(clock)
    this.now = menu
  }

  menu(): Menu | null {
    return this.now
  }

  async press(key: string): Promise<void> {
    this.keys.push(key)
    const { now } = this
    if (key === '\r') {
      this.confirmed.push({ hash: now?.hash ?? 'nothing', label: now?.options[now.selected ?? -1]?.label ?? null })
      if (this.ignoredEnters-- <= 0) this.later(40, () => this.afterConfirm())
    } else if (now && !this.ignoresArrows) {
      const step = (key === DOWN || key === '\u001b[C' ? 1 : -1) * this.stride
      this.later(
        20,
        () => this.now && this.select(((this.now.selected ?? 0) + step + now.options.length) % now.options.length),
      )
    }
    this.onKey(key, this)
  }

  nextFrame(ms: number): Promise<void> {
    return this.#waiters.changed(ms)
  }

  show(menu: Menu | null): void {
    this.now = menu
    this.#waiters.wake()
  }

  select(index: number): void {
    this.show(this.now && { ...this.now, selected: index })
  }

  later(ms: number, action: () => void): void {
    this.#clock.setTimer(ms, action)
  }
}

export let clock: SimulatedClock
/** The steps that were recorded before each key. */
export let steps: string[]

/** A new clock and record of steps for every test of a file. */
export function useMenuStage(): void {
  beforeEach(() => {
    clock = new SimulatedClock()
    steps = []
  })
}

export function fake(labels: readonly string[] = LABELS, fields: Partial<Menu> = {}): FakeMenu {
  return new FakeMenu(clock, menuOf(labels, fields))
}

export const MENU_HASH = menuOf(LABELS).hash

/** The outcome without the labels that were selected on the way. */
export async function choose(
  menu: FakeMenu,
  label: string,
  options: { hash?: string; onStep?(step: string): Promise<void>; wanted?: Partial<WantedAnswer> } = {},
): Promise<Omit<ApplyOutcome, 'seen'>> {
  const onStep = async (step: string) => {
    steps.push(`${step} after ${menu.keys.length}`)
    await options.onStep?.(step)
  }
  const wanted = { hash: options.hash ?? MENU_HASH, label, ...options.wanted }
  const { seen: _, ...outcome } = await runToEnd(clock, chooseOption(menu, wanted, { clock, onStep }))
  return outcome
}
