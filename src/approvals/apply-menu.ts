import { type Clock, delay } from '../clock/index.js'
import type { Menu } from '../screen/index.js'
import { arrowKey, fieldText, folded, lookAlike, selectedLabel } from './apply-menu-labels.js'
import type { ApplyFailure, ApplyOutcome, ApplyStep, MenuPort, WantedAnswer, WantedPage } from './apply-menu-port.js'

export type { ApplyOutcome, MenuPort, WantedAnswer, WantedPage } from './apply-menu-port.js'

/*
 * A decision typed into the agent's own menu.
 *
 * The screen is the only truth here and it lags: between the last frame we saw and the arrival of a key the agent may draw something else.
 * So nothing is done by position and nothing blindly: the menu is read before every key, every move is seen to have happened before the
 * next, Enter is pressed only while the wanted label is the selected one, and once more only if nothing at all changed: a screen that was
 * redrawn to an equal menu may show the next request. Letters and numbers are typed only where nothing can be selected.
 *
 * After Enter the menu must go. A frame without it may be a frame half drawn, so it must stay away for a moment. Another menu in its place
 * is usually the agent's next question; if that one goes away again by itself, our Enter hit it: the menus were swapped while the key was
 * on its way, and that is said (`overtaken`), never called applied. A survey that covers the menu proves nothing and is waited out.
 *
 * Symptoms: Enter without effect in a fresh menu → STANDS_MS too short · `ambiguous` on a slow line → MOVE_MS · `unconfirmed` although the
 * agent went on → CONFIRM_MS · *applied* although the menu came back → AWAY_MS.
 *
 * A move that is not seen is never made again: the key may be on its way. While nothing at all is drawn after a key, the machine is slow or
 * the agent is deaf, and nobody can tell which: that is waited for up to PATIENCE_MS. A screen that was drawn since, and then stood
 * still for MOVE_MS without the move, is the agent's answer.
 */
const MOVE_MS = 500
const PATIENCE_MS = 5_000
const CONFIRM_MS = 3_000
/** How long a program that takes single keys has to show that it took one, before Enter is added. */
const KEY_MS = 400
/** Menus ignore Enter in their first moments. */
const STANDS_MS = 300
/** One reading is enough when nothing was drawn for so long; else a second one, a little later, must be equal. */
const QUIET_MS = 150
const SECOND_READING_MS = 50
const AWAY_MS = 80
const NEXT_MENU_MS = 400

/** Clears a line of text in every agent we know. */
const CLEAR = '\u0015'

/** Thrown inside; becomes the outcome. */
class Stale {
  readonly reason: ApplyFailure

  constructor(reason: ApplyFailure) {
    this.reason = reason
  }
}

export interface ChooseOptions {
  clock: Clock
  /** Called before the first move and before the key that confirms; what it throws stops everything. */
  onStep(step: ApplyStep): Promise<void>
}

/** Chooses an option on screen by its label, and proves that the agent took it. */
export async function chooseOption(
  port: MenuPort,
  wanted: WantedAnswer,
  options: ChooseOptions,
): Promise<ApplyOutcome> {
  const hand = new Hand(port, wanted, options)
  try {
    await hand.choose()
    return { result: 'applied', ...hand.trace, ...(hand.isTextLeftOut && { textLeftOut: true }) }
  } catch (thrown) {
    if (!(thrown instanceof Stale)) throw thrown
    return { result: 'stale', reason: thrown.reason, ...hand.trace }
  }
}

class Hand {
  readonly trace: { keys: string[]; seen: string[] } = { keys: [], seen: [] }
  isTextLeftOut = false
  readonly #port: MenuPort
  readonly #clock: Clock
  readonly #onStep: ChooseOptions['onStep']
  #wanted: WantedAnswer

  constructor(port: MenuPort, wanted: WantedAnswer, options: ChooseOptions) {
    this.#port = port
    this.#wanted = wanted
    this.#clock = options.clock
    this.#onStep = step => options.onStep(step)
  }

  async choose(): Promise<void> {
    const first = this.#look()
    if (this.#wanted.pages) return this.#fillForm(this.#wanted.pages)
    this.#find(first, this.#wanted.labels?.[0] ?? this.#wanted.label)
    await this.#settle()
    await this.#onStep('move')
    await this.#answer()
  }

  /** The menu as it stands now, if it is still the one that was decided. */
  #look(): Menu {
    const menu = this.#port.menu()
    if (!menu) throw new Stale('gone')
    if (!this.#isWanted(menu)) throw new Stale('changed')
    this.#note(selectedLabel(menu) ?? '')
    return menu
  }

  #isWanted(menu: Menu | null): boolean {
    const { print, instance } = this.#wanted
    if (menu?.print !== print) return false
    return instance === undefined || this.#port.instance === undefined || this.#port.instance() === instance
  }

  /** The menu has stood long enough to take keys, and reads the same twice, or nothing has moved for a while. */
  async #settle(): Promise<void> {
    const { stands, quiet } = this.#port.age?.() ?? { stands: 0, quiet: 0 }
    if (stands < STANDS_MS) await delay(this.#clock, STANDS_MS - stands)
    else if (quiet < QUIET_MS) await delay(this.#clock, SECOND_READING_MS)
    this.#look()
  }

  async #answer(): Promise<void> {
    const menu = this.#look()
    if (menu.layout === 'inline' || menu.layout === 'typed' || menu.keys.choose === 'accelerator')
      return this.#answerByKey()
    if (this.#wanted.labels) return this.#tick(this.#wanted.labels)
    await this.#moveTo(this.#wanted.label)
    if (this.#wanted.text !== undefined) await this.#write(fieldText(this.#wanted.text))
    await this.#confirm(this.#wanted.label)
  }

  /** The one option with this label; two that a person could mistake for each other are one too many. */
  #find(menu: Menu, label: string): number {
    const target = menu.options.findIndex(option => folded(option.label) === folded(label))
    const alike = menu.options.filter(option => lookAlike(option.label) === lookAlike(label))
    // What is written into an option stands in the place of its label.
    if (target < 0 && this.#wanted.text !== undefined && menu.text?.option != null) return menu.text.option
    if (target < 0 || alike.length !== 1) throw new Stale('changed')
    if (menu.options[target]!.danger && this.#wanted.mayWiden === false) throw new Stale('changed')
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
      const picture = this.#port.picture?.()
      await this.#press(arrowKey(menu, step))
      const before = menu.options[selected]!.label
      const expected = menu.options[selected + step]!.label
      // In a window that scrolls the row may stay and the labels move: the label tells, not the row.
      const hasMoved = await this.#untilDrawn(
        picture,
        seen => !this.#isWanted(seen) || (selectedLabel(seen!) !== before && selectedLabel(seen!) === expected),
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
      const picture = this.#port.picture?.()
      await this.#press(this.#look().keys.toggle)
      const hasTurned = await this.#untilDrawn(
        picture,
        seen =>
          !this.#isWanted(seen) ||
          seen!.options.find(option => folded(option.label) === folded(label))?.checked === isWanted,
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

  /**
   * Into the selected option. What does not show as it was typed is taken out again: then the option is chosen without it, and whoever
   * asked for this has to say it in another way.
   */
  async #write(text: string): Promise<void> {
    await this.#press(text)
    const shows = (value: string) => (seen: Menu | null) =>
      !this.#isWanted(seen) || folded(seen!.text?.value ?? '') === value
    const isWritten = await this.#until(MOVE_MS * 2, shows(text))
    this.#look()
    if (isWritten) return
    await this.#press(CLEAR)
    if (!(await this.#until(MOVE_MS, shows('')))) throw new Stale('ambiguous')
    this.#look()
    this.isTextLeftOut = true
  }

  /** Enter, as a write of its own, while the right row is selected; once more if nothing at all happened. */
  async #confirm(label: string): Promise<void> {
    await this.#onStep('confirm')
    const picture = this.#port.picture?.()
    for (let tries = 0; tries < 2; tries++) {
      const menu = this.#port.menu()
      if (tries > 0 && this.#port.picture?.() !== picture) throw new Stale('unconfirmed')
      // Gone or changed before the first Enter is nobody's answer of ours; after it, a survey may still cover the menu.
      if (!this.#isWanted(menu)) throw new Stale(tries > 0 ? 'unconfirmed' : menu ? 'changed' : 'gone')
      if (menu!.selected !== this.#find(menu!, label)) throw new Stale(tries === 0 ? 'changed' : 'unconfirmed')
      this.#note(label)
      await this.#press(this.#confirmKey(menu!))
      if (await this.#hasGone(CONFIRM_MS)) return
    }
    throw new Stale('unconfirmed')
  }

  /** Some agents take Enter on an option with a reason only when there is one; their packs name the key that denies without. */
  #confirmKey({ keys, options, selected }: Menu): string {
    const isUnreasoned = this.#wanted.text === undefined || this.isTextLeftOut
    const takesReason = options[selected ?? -1]?.meaning === 'deny-with-text'
    return (takesReason && isUnreasoned && keys.unreasoned) || keys.confirm
  }

  /** Whether the menu went and stayed away. */
  async #hasGone(ms: number): Promise<boolean> {
    const deadline = this.#clock.monotonic() + ms
    for (;;) {
      const left = deadline - this.#clock.monotonic()
      if (left <= 0 || !(await this.#until(left, seen => this.#isAway(seen)))) return false
      const next = this.#port.menu()
      if (next) {
        await this.#watchNext(next)
        return true
      }
      const isBack = await this.#until(AWAY_MS, seen => this.#isWanted(seen))
      if (!isBack) return true
    }
  }

  #isAway(seen: Menu | null): boolean {
    return !this.#isWanted(seen) && seen?.kind !== 'survey'
  }

  /** The menu that came in its place stays, as a question does, or has been answered by a key that was not meant for it. */
  async #watchNext(next: Menu): Promise<void> {
    if (await this.#until(NEXT_MENU_MS, seen => seen === null || (seen.print !== next.print && seen.kind !== 'survey')))
      throw new Stale('overtaken')
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
    this.#look()
    await this.#press(key)
    if (await this.#hasGone(KEY_MS)) return
    if (menu.keys.choose === 'accelerator') throw new Stale('unconfirmed')
    this.#look()
    await this.#press('\r')
    if (!(await this.#hasGone(CONFIRM_MS))) throw new Stale('unconfirmed')
  }

  /** Page by page, each found by its question; at the end the summary must name every answer before it is submitted. */
  async #fillForm(pages: readonly WantedPage[]): Promise<void> {
    const form = this.#wanted
    await this.#settle()
    await this.#onStep('move')
    for (const [index, page] of pages.entries()) {
      const menu = this.#port.menu()
      if (!menu) throw new Stale(index === 0 ? 'gone' : 'unconfirmed')
      if (folded(menu.question) !== folded(page.question)) throw new Stale(index === 0 ? 'changed' : 'ambiguous')
      await this.#answerPage(form, menu, page)
    }
    const summary = this.#port.menu()
    // A form of one page, or one without a summary, is done with its last answer.
    if (!summary?.tabs.some(tab => tab.current && tab.state === 'submit')) return
    // Its first row may read as a title.
    const shown = folded([summary.title ?? '', ...summary.body, summary.question].join(' '))
    const isWhole = pages.every(page =>
      [...page.labels, ...(page.text ? [page.text] : [])].every(label => shown.includes(folded(label))),
    )
    const submit = summary.options.find(option => option.meaning !== 'cancel' && option.meaning !== 'deny')
    if (!isWhole || !submit) throw new Stale('ambiguous')
    this.#wanted = { print: summary.print, label: submit.label }
    await this.#moveTo(submit.label)
    await this.#confirm(submit.label)
  }

  /** A page turned is a page answered: the next page, or the summary, stands in its place. */
  async #answerPage(form: WantedAnswer, menu: Menu, page: WantedPage): Promise<void> {
    const isMulti = menu.options.some(option => option.checked !== null)
    this.#wanted = {
      print: menu.print,
      label: page.labels[0] ?? '',
      ...(isMulti && { labels: page.labels }),
      ...(page.text !== undefined && { text: page.text }),
      ...(form.mayWiden !== undefined && { mayWiden: form.mayWiden }),
    }
    if (!isMulti) await this.#moveTo(this.#wanted.label)
    if (page.text !== undefined) await this.#write(fieldText(page.text))
    if (isMulti) return this.#tick(page.labels)
    await this.#confirmPage(this.#wanted.label)
  }

  async #confirmPage(label: string): Promise<void> {
    await this.#onStep('confirm')
    const menu = this.#look()
    if (menu.selected !== this.#find(menu, label)) throw new Stale('changed')
    await this.#press(menu.keys.confirm)
    if (!(await this.#until(CONFIRM_MS, seen => this.#isAway(seen)))) throw new Stale('unconfirmed')
  }

  #note(label: string): void {
    if (this.trace.seen.at(-1) !== label) this.trace.seen.push(label)
  }

  async #press(key: string): Promise<void> {
    this.trace.keys.push(key)
    await this.#port.press(key)
  }

  /** What a key must bring about, on a screen that looked like this before it. */
  async #untilDrawn(before: string | undefined, holds: (menu: Menu | null) => boolean): Promise<boolean> {
    const deadline = this.#clock.monotonic() + PATIENCE_MS
    for (let last = before; ; ) {
      const left = Math.min(MOVE_MS, deadline - this.#clock.monotonic())
      if (left <= 0) return false
      if (await this.#until(left, holds)) return true
      const now = this.#port.picture?.()
      const isDrawn = now !== before
      if (now === undefined || (isDrawn && now === last)) return false
      last = now
    }
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
