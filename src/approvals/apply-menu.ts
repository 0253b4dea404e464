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

export interface WantedAnswer {
  print: string
  label: string
  /** For check boxes: every label that shall be ticked, and no other. */
  labels?: readonly string[]
  /** For an option that one writes into. */
  text?: string
}

export type ApplyOutcome =
  | { result: 'applied'; keys: string[] }
  | { result: 'stale'; reason: StaleReason; keys: string[] }

type StaleReason = 'gone' | 'changed' | 'ambiguous' | 'unconfirmed'

const MOVE_TIMEOUT_MS = 500
const CONFIRM_TIMEOUT_MS = 3_000
/** How long a program that takes single keys has to show that it took one, before Enter is added. */
const KEY_TIMEOUT_MS = 400
/** Menus ignore Enter in their first moments; a fresh one is left standing for this long. */
const SETTLE_MS = 300

/** Thrown inside; becomes the outcome. */
class Stale {
  readonly reason: StaleReason

  constructor(reason: StaleReason) {
    this.reason = reason
  }
}

/**
 * Chooses an option on screen by its label. Never by position and never blindly: the menu is read again before every key, every move is
 * seen to have happened before the next, and Enter is pressed only while the wanted label is the selected one. One retry of Enter, and only
 * if nothing at all changed. Letters and numbers are typed only where nothing can be selected.
 */
export async function chooseOption(
  port: MenuPort,
  wanted: WantedAnswer,
  options: { clock: Clock; onStep(step: 'move' | 'confirm'): Promise<void> },
): Promise<ApplyOutcome> {
  const hand = new Hand(port, wanted, options)
  try {
    await hand.choose()
    return { result: 'applied', keys: hand.keys }
  } catch (thrown) {
    if (!(thrown instanceof Stale)) throw thrown
    return { result: 'stale', reason: thrown.reason, keys: hand.keys }
  }
}

class Hand {
  readonly keys: string[] = []
  readonly #port: MenuPort
  readonly #wanted: WantedAnswer
  readonly #clock: Clock
  readonly #onStep: (step: 'move' | 'confirm') => Promise<void>

  constructor(
    port: MenuPort,
    wanted: WantedAnswer,
    options: { clock: Clock; onStep(step: 'move' | 'confirm'): Promise<void> },
  ) {
    this.#port = port
    this.#wanted = wanted
    this.#clock = options.clock
    this.#onStep = step => options.onStep(step)
  }

  async choose(): Promise<void> {
    const first = this.#look()
    this.#find(first, this.#wanted.label)
    await delay(this.#clock, SETTLE_MS)
    await this.#onStep('move')
    if (first.layout === 'inline' || first.layout === 'typed' || first.keys.choose === 'accelerator')
      return this.#answerByKey()
    if (this.#wanted.labels) return this.#tick(this.#wanted.labels)
    await this.#moveTo(this.#wanted.label)
    if (this.#wanted.text !== undefined) await this.#write(this.#wanted.text)
    await this.#confirm(this.#wanted.label)
  }

  /** The menu as it stands now, if it is still the one that was decided. */
  #look(): Menu {
    const menu = this.#port.menu()
    if (!menu) throw new Stale('gone')
    if (menu.print !== this.#wanted.print) throw new Stale('changed')
    return menu
  }

  /** The one option with this label; two that a person could mistake for each other are one too many. */
  #find(menu: Menu, label: string): number {
    const target = menu.options.findIndex(option => folded(option.label) === folded(label))
    const alike = menu.options.filter(option => lookAlike(option.label) === lookAlike(label))
    // What is written into an option stands in the place of its label.
    if (target < 0 && this.#wanted.text !== undefined && menu.text?.option != null) return menu.text.option
    if (target < 0 || alike.length !== 1) throw new Stale('changed')
    return target
  }

  async #moveTo(label: string): Promise<void> {
    const limit = this.#look().options.length + 2
    for (let moves = 0; ; moves++) {
      const menu = this.#look()
      const target = this.#find(menu, label)
      const { selected } = menu
      // Without a selection there is nothing to verify.
      if (selected === null || (menu.options[target]!.checked !== null && !this.#wanted.labels))
        throw new Stale('ambiguous')
      if (selected === target) return
      if (moves >= limit) throw new Stale('ambiguous')
      const step = target > selected ? 1 : -1
      await this.#press(arrowKey(menu, step))
      const before = menu.options[selected]!.label
      const expected = menu.options[selected + step]!.label
      // In a window that scrolls the row may stay and the labels move: the label tells, not the row.
      const hasMoved = await this.#until(
        MOVE_TIMEOUT_MS,
        seen =>
          seen?.print !== this.#wanted.print || (selectedLabel(seen) !== before && selectedLabel(seen) === expected),
      )
      if (!hasMoved) throw new Stale('ambiguous')
    }
  }

  /** Check boxes: each is moved to, turned if it differs, and seen to have turned; then the list is submitted. */
  async #tick(labels: readonly string[]): Promise<void> {
    const wanted = new Set(labels.map(folded))
    const boxes = this.#look().options.filter(option => option.checked !== null)
    for (const label of labels) this.#find(this.#look(), label)
    for (const { label } of boxes) {
      const isWanted = wanted.has(folded(label))
      const box = this.#look().options[this.#find(this.#look(), label)]!
      if (box.checked === isWanted) continue
      await this.#moveTo(label)
      await this.#press(this.#look().keys.toggle)
      const hasTurned = await this.#until(
        MOVE_TIMEOUT_MS,
        seen =>
          seen?.print !== this.#wanted.print ||
          seen.options.find(option => folded(option.label) === folded(label))?.checked === isWanted,
      )
      if (!hasTurned) throw new Stale('ambiguous')
      this.#look()
    }
    const submit = this.#look().options.find(
      option => option.checked === null && /^(?:next|submit|done|continue)\b/iu.test(option.label),
    )
    if (submit) await this.#moveTo(submit.label)
    const menu = this.#look()
    await this.#confirm(menu.options[menu.selected ?? -1]?.label ?? '')
  }

  async #write(text: string): Promise<void> {
    await this.#press(text)
    const isWritten = await this.#until(
      MOVE_TIMEOUT_MS * 2,
      seen => seen?.print !== this.#wanted.print || folded(seen.text?.value ?? '') === folded(text),
    )
    if (!isWritten) throw new Stale('ambiguous')
    this.#look()
  }

  /** Enter, as a write of its own, while the right row is selected; once more if nothing at all happened. */
  async #confirm(label: string): Promise<void> {
    await this.#onStep('confirm')
    for (let tries = 0; tries < 2; tries++) {
      const menu = this.#port.menu()
      // Gone or changed before the first Enter is nobody's answer of ours; after it, the agent moved on.
      if (menu?.print !== this.#wanted.print) {
        if (tries > 0) return
        throw new Stale(menu ? 'changed' : 'gone')
      }
      if (menu.selected !== this.#find(menu, label)) throw new Stale(tries === 0 ? 'changed' : 'unconfirmed')
      await this.#press(menu.keys.confirm)
      if (await this.#until(CONFIRM_TIMEOUT_MS, seen => seen?.print !== this.#wanted.print)) return
    }
    throw new Stale('unconfirmed')
  }

  /** Where nothing can be selected: the option's own key, its letter or its number; then Enter, if that was not enough. */
  async #answerByKey(): Promise<void> {
    const menu = this.#look()
    const option = menu.options[this.#find(menu, this.#wanted.label)]!
    const key =
      option.accelerator ??
      (option.number !== undefined
        ? String(option.number)
        : option.label.length <= 1
          ? option.label
          : menu.layout === 'inline'
            ? option.label[0]!
            : null)
    if (key === null) throw new Stale('ambiguous')
    await this.#onStep('confirm')
    await this.#press(key)
    const isGone = (seen: Menu | null) => seen?.print !== this.#wanted.print
    if (await this.#until(KEY_TIMEOUT_MS, isGone)) return
    if (menu.keys.choose === 'accelerator') throw new Stale('unconfirmed')
    this.#look()
    await this.#press('\r')
    if (!(await this.#until(CONFIRM_TIMEOUT_MS, isGone))) throw new Stale('unconfirmed')
  }

  async #press(key: string): Promise<void> {
    this.keys.push(key)
    await this.#port.press(key)
  }

  async #until(ms: number, holds: (menu: Menu | null) => boolean): Promise<boolean> {
    const deadline = this.#clock.monotonic() + ms
    while (!holds(this.#port.menu())) {
      const left = deadline - this.#clock.monotonic()
      if (left <= 0) return false
      await this.#port.nextFrame(left)
    }
    return true
  }
}

function selectedLabel(menu: Menu): string | undefined {
  return menu.options[menu.selected ?? -1]?.label
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
