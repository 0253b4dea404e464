import { type Clock, delay } from '../clock/index.js'
import type { Menu } from '../screen/index.js'

/** What applying a decision needs of the terminal: to look, to press keys, and to wait for the next frame. */
export interface MenuPort {
  /** The live menu now, or null. */
  menu(): Menu | null
  press(keys: string): Promise<void>
  /** Resolves at the next classified frame, or after `ms`. */
  nextFrame(ms: number): Promise<void>
}

export type ApplyOutcome =
  | { result: 'applied'; keys: string[] }
  | { result: 'stale'; reason: 'gone' | 'changed' | 'ambiguous' | 'unconfirmed'; keys: string[] }

const MOVE_TIMEOUT_MS = 500
const CONFIRM_TIMEOUT_MS = 3_000
/** Menus ignore Enter in their first moments; a fresh one is left standing for this long. */
const SETTLE_MS = 300

/**
 * Chooses an option on screen by its label. Never by position and never blindly: the menu is read again before every key, every move is
 * seen to have happened before the next, and Enter is pressed only while the wanted label is the selected one. One retry of Enter, and only
 * if nothing at all changed.
 */
export async function chooseOption(
  port: MenuPort,
  wanted: { print: string; label: string },
  options: { clock: Clock; onStep(step: 'move' | 'confirm'): Promise<void> },
): Promise<ApplyOutcome> {
  const keys: string[] = []
  const press = async (key: string) => {
    keys.push(key)
    await port.press(key)
  }
  const { clock } = options
  const stale = (reason: 'gone' | 'changed' | 'ambiguous' | 'unconfirmed'): ApplyOutcome => ({ result: 'stale', reason, keys })
  const first = port.menu()
  if (!first) return stale('gone')
  if (first.print !== wanted.print) return stale('changed')
  const targets = first.options.filter(option => option.label === wanted.label)
  if (targets.length !== 1) return stale('changed')
  await delay(clock, SETTLE_MS)
  await options.onStep('move')

  const limit = first.options.length + 2
  for (let moves = 0; ; moves++) {
    const now = port.menu()
    if (!now) return stale('gone')
    if (now.print !== wanted.print) return stale('changed')
    const selected = now.selected
    if (selected === null) return stale('ambiguous')
    const target = now.options.findIndex(option => option.label === wanted.label)
    if (selected === target) break
    if (moves >= limit) return stale('ambiguous')
    const step = target > selected ? 1 : -1
    await press(arrowKey(now, step))
    if (!(await until(port, clock, MOVE_TIMEOUT_MS, menu => menu?.print !== wanted.print || menu.selected === selected + step))) return stale('ambiguous')
  }

  await options.onStep('confirm')
  for (let tries = 0; tries < 2; tries++) {
    const now = port.menu()
    if (!now || now.print !== wanted.print) break
    if (now.options[now.selected ?? -1]?.label !== wanted.label) return stale('changed')
    await press('\r')
    if (await until(port, clock, CONFIRM_TIMEOUT_MS, menu => menu?.print !== wanted.print)) return { result: 'applied', keys }
  }
  return port.menu()?.print === wanted.print ? stale('unconfirmed') : { result: 'applied', keys }
}

function arrowKey(menu: Menu, step: 1 | -1): string {
  if (menu.layout === 'horizontal') return step > 0 ? '\u001b[C' : '\u001b[D'
  return step > 0 ? '\u001b[B' : '\u001b[A'
}

async function until(port: MenuPort, clock: Clock, ms: number, holds: (menu: Menu | null) => boolean): Promise<boolean> {
  const deadline = clock.monotonic() + ms
  while (!holds(port.menu())) {
    const left = deadline - clock.monotonic()
    if (left <= 0) return false
    await port.nextFrame(left)
  }
  return true
}
