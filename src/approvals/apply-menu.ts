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
  | { result: 'stale'; reason: StaleReason; keys: string[] }

type StaleReason = 'gone' | 'changed' | 'ambiguous' | 'unconfirmed'

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
  const stale = (reason: StaleReason): ApplyOutcome => ({ result: 'stale', reason, keys })
  const first = look(port.menu(), wanted)
  if (typeof first === 'string') return stale(first)
  await delay(clock, SETTLE_MS)
  await options.onStep('move')

  const limit = first.menu.options.length + 2
  for (let moves = 0; ; moves++) {
    const now = look(port.menu(), wanted)
    if (typeof now === 'string') return stale(now)
    const { menu, target } = now
    const { selected } = menu
    // Without a selection there is nothing to verify; a check box is toggled, not chosen.
    if (selected === null || menu.options[target]!.checked !== null) return stale('ambiguous')
    if (selected === target) break
    if (moves >= limit) return stale('ambiguous')
    const step = target > selected ? 1 : -1
    await press(arrowKey(menu, step))
    if (
      !(await until(
        port,
        clock,
        MOVE_TIMEOUT_MS,
        seen => seen?.print !== wanted.print || seen.selected === selected + step,
      ))
    )
      return stale('ambiguous')
  }

  await options.onStep('confirm')
  for (let tries = 0; tries < 2; tries++) {
    const now = look(port.menu(), wanted)
    // Gone or changed before the first Enter is nobody's answer of ours; after it, the agent moved on.
    if (typeof now === 'string') return tries === 0 ? stale(now) : { result: 'applied', keys }
    if (now.menu.selected !== now.target) return stale(tries === 0 ? 'changed' : 'unconfirmed')
    await press('\r')
    if (await until(port, clock, CONFIRM_TIMEOUT_MS, seen => seen?.print !== wanted.print))
      return { result: 'applied', keys }
  }
  return stale('unconfirmed')
}

/** The wanted option on the menu as it stands now, or why it cannot be chosen. */
function look(
  menu: Menu | null,
  wanted: { print: string; label: string },
): { menu: Menu; target: number } | 'gone' | 'changed' {
  if (!menu) return 'gone'
  if (menu.print !== wanted.print) return 'changed'
  const target = menu.options.findIndex(option => folded(option.label) === folded(wanted.label))
  // Two that a person could mistake for each other are one too many.
  const alike = menu.options.filter(option => lookAlike(option.label) === lookAlike(wanted.label))
  return target >= 0 && alike.length === 1 ? { menu, target } : 'changed'
}

/** Wraps and runs of blanks are the width's doing, not the label's. */
function folded(label: string): string {
  return label.replace(/\s+/gu, ' ').trim()
}

function lookAlike(label: string): string {
  return folded(label.normalize('NFKC')).toLowerCase()
}

function arrowKey(menu: Menu, step: 1 | -1): string {
  if (menu.layout === 'horizontal') return step > 0 ? '\u001b[C' : '\u001b[D'
  return step > 0 ? '\u001b[B' : '\u001b[A'
}

async function until(
  port: MenuPort,
  clock: Clock,
  ms: number,
  holds: (menu: Menu | null) => boolean,
): Promise<boolean> {
  const deadline = clock.monotonic() + ms
  while (!holds(port.menu())) {
    const left = deadline - clock.monotonic()
    if (left <= 0) return false
    await port.nextFrame(left)
  }
  return true
}
