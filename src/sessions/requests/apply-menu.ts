import { type Clock, delay } from '../../clock/index.js'
import type { Menu } from '../../screen/index.js'
import { arrowKey, confusableForm, fieldText, selectedLabel, withoutWraps } from './apply-menu-labels.js'
import type { ApplyFailure, ApplyOutcome, ApplyStep, MenuPort, WantedAnswer, WantedPage } from './apply-menu-port.js'

export type { ApplyOutcome, MenuPort, WantedAnswer } from './apply-menu-port.js'

/*
 * Types a decision into the agent's own menu.
 *
 * The screen is the only source of truth here, and it lags: between the last frame and the arrival
 * of a key the agent may draw something else. So no key is sent by position and none blindly. The
 * menu is read before every key; every move must be visible before the next one; Enter is pressed
 * only while the wanted label is selected, and a second time only if nothing at all has changed,
 * because a redrawn screen with an equal menu may show the next request. Letters and numbers are
 * typed only where nothing can be selected.
 *
 * After Enter the menu must disappear. A frame without it may be half drawn, so it must stay away
 * for a moment. Another menu in its place is usually the agent's next question. If that one
 * disappears by itself, our Enter hit it: the menus were swapped while the key was on its way. This
 * is reported as `overtaken`, never as applied. A survey that covers the menu proves nothing and is
 * waited out.
 *
 * Symptoms: Enter without effect in a new menu → MENU_VISIBLE_MS is too short · `ambiguous` on a
 * slow line → MOVE_MS · `unconfirmed` although the agent continued → CONFIRM_MS · *applied*
 * although the menu came back → MENU_GONE_MS.
 *
 * A move that is not visible is never repeated: the key may be on its way. While nothing at all is
 * drawn after a key, the machine may be slow or the agent may ignore it, and the two look the same:
 * Signalbox waits up to NO_REDRAW_MAX_MS. A screen that was drawn since, and then did not change
 * for MOVE_MS without the move, is the agent's answer.
 */
const MOVE_MS = 500
const NO_REDRAW_MAX_MS = 5_000
const CONFIRM_MS = 3_000
/** How long to wait for the effect of a single key before Enter is added. */
const KEY_MS = 400
/** Menus ignore Enter right after they appear. */
const MENU_VISIBLE_MS = 300
/** One reading is enough when nothing was drawn for this long; else two equal ones. */
const QUIET_MS = 150
const SECOND_READING_MS = 50
const MENU_GONE_MS = 80
const NEXT_MENU_MS = 400

/** Clears the text field in all known agents. */
const CLEAR = '\u0015'

/** Thrown in this file only; becomes the outcome. */
class Stale {
  readonly reason: ApplyFailure

  constructor(reason: ApplyFailure) {
    this.reason = reason
  }
}

interface ChooseOptions {
  clock: Clock
  /**
   * Called before the first move and before the key that confirms; an exception stops everything.
   */
  onStep(step: ApplyStep): Promise<void>
}

/** Chooses an option on the screen by its label, and verifies that the agent accepted it. */
export async function chooseOption(
  port: MenuPort,
  wanted: WantedAnswer,
  options: ChooseOptions,
): Promise<ApplyOutcome> {
  const navigator = new MenuNavigator(port, wanted, options)
  try {
    await navigator.choose()
    return { result: 'applied', ...navigator.trace, ...(navigator.isTextLeftOut && { textLeftOut: true }) }
  } catch (thrown) {
    if (!(thrown instanceof Stale)) throw thrown
    return { result: 'stale', reason: thrown.reason, ...navigator.trace }
  }
}

/** Moves the selection of one menu, key by key, and checks every effect on the screen. */
class MenuNavigator {
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
    const first = this.#read()
    if (this.#wanted.pages) return this.#fillForm(this.#wanted.pages)
    this.#find(first, this.#wanted.labels?.[0] ?? this.#wanted.label)
    await this.#waitUntilStable()
    await this.#onStep('move')
    await this.#answer()
  }

  /** The menu on the screen, if it is still the one that was decided. */
  #read(): Menu {
    const menu = this.#port.menu()
    if (!menu) throw new Stale('gone')
    if (!this.#isWanted(menu)) throw new Stale('changed')
    this.#trace(selectedLabel(menu) ?? '')
    return menu
  }

  #isWanted(menu: Menu | null): boolean {
    const { hash, instance } = this.#wanted
    if (menu?.hash !== hash) return false
    return instance === undefined || this.#port.instance === undefined || this.#port.instance() === instance
  }

  /** Waits until the menu takes keys and is stable: two readings, or silence. */
  async #waitUntilStable(): Promise<void> {
    const { visible, quiet } = this.#port.age?.() ?? { visible: 0, quiet: 0 }
    if (visible < MENU_VISIBLE_MS) await delay(this.#clock, MENU_VISIBLE_MS - visible)
    else if (quiet < QUIET_MS) await delay(this.#clock, SECOND_READING_MS)
    this.#read()
  }

  async #answer(): Promise<void> {
    const menu = this.#read()
    if (menu.layout === 'inline' || menu.layout === 'typed' || menu.keys.choose === 'accelerator')
      return this.#answerByKey()
    if (this.#wanted.labels) return this.#tick(this.#wanted.labels)
    await this.#moveTo(this.#wanted.label)
    if (this.#wanted.text !== undefined) await this.#write(fieldText(this.#wanted.text))
    await this.#confirm(this.#wanted.label)
  }

  /**
   * The only option with this label; if a person could confuse another one with it, none is chosen.
   */
  #find(menu: Menu, label: string): number {
    const target = menu.options.findIndex(option => withoutWraps(option.label) === withoutWraps(label))
    const alike = menu.options.filter(option => confusableForm(option.label) === confusableForm(label))
    // A text in an option replaces its label on the screen.
    if (target < 0 && this.#wanted.text !== undefined && menu.text?.option != null) return menu.text.option
    if (target < 0 || alike.length !== 1) throw new Stale('changed')
    if (menu.options[target]!.danger && this.#wanted.mayWiden === false) throw new Stale('changed')
    return target
  }

  async #moveTo(label: string): Promise<void> {
    const limit = this.#read().options.length + 2
    for (let moves = 0; ; moves++) {
      const menu = this.#read()
      const target = this.#find(menu, label)
      const { selected } = menu
      // Without a selection the move cannot be verified.
      if (selected === null || (menu.options[target]!.checked !== null && !this.#wanted.labels))
        throw new Stale('ambiguous')
      if (selected === target) return
      if (moves >= limit) throw new Stale('ambiguous')
      const step = target > selected ? 1 : -1
      const picture = this.#port.picture?.()
      await this.#press(arrowKey(menu, step))
      const before = menu.options[selected]!.label
      const expected = menu.options[selected + step]!.label
      // In a scrolling list the row may stay and the labels move: compare labels, not rows. A menu
      // that is drawn in two steps is away in between: an arrow key answers none.
      const hasMoved = await this.#untilDrawn(
        picture,
        seen => this.#isWanted(seen) && selectedLabel(seen!) !== before && selectedLabel(seen!) === expected,
      )
      if (hasMoved) continue
      this.#read()
      throw new Stale('ambiguous')
    }
  }

  /**
   * Check boxes: moves to each, toggles it if it differs, and verifies it; then submits the list.
   */
  async #tick(labels: readonly string[]): Promise<void> {
    const wanted = new Set(labels.map(withoutWraps))
    const boxes = this.#read().options.filter(option => option.checked !== null)
    for (const label of labels) this.#find(this.#read(), label)
    for (const { label } of boxes) {
      const isWanted = wanted.has(withoutWraps(label))
      const box = this.#read().options[this.#find(this.#read(), label)]!
      if (box.checked === isWanted) continue
      await this.#moveTo(label)
      const picture = this.#port.picture?.()
      await this.#press(this.#read().keys.toggle)
      const hasTurned = await this.#untilDrawn(
        picture,
        seen =>
          !this.#isWanted(seen) ||
          seen!.options.find(option => withoutWraps(option.label) === withoutWraps(label))?.checked === isWanted,
      )
      if (!hasTurned) throw new Stale('ambiguous')
      this.#read()
    }
    const submit = this.#read().options.find(
      option => option.checked === null && /^(?:next|submit|done|continue)\b/iu.test(option.label),
    )
    if (submit) await this.#moveTo(submit.label)
    const menu = this.#read()
    await this.#confirm(menu.options[menu.selected ?? -1]?.label ?? '')
  }

  /**
   * Types the text into the selected option. If the screen does not show it as typed, it is removed
   * again and the option is chosen without it; the caller has to deliver the text in another way.
   */
  async #write(text: string): Promise<void> {
    await this.#press(text)
    const shows = (value: string) => (seen: Menu | null) =>
      !this.#isWanted(seen) || withoutWraps(seen!.text?.value ?? '') === value
    const isWritten = await this.#until(MOVE_MS * 2, shows(text))
    this.#read()
    if (isWritten) return
    await this.#press(CLEAR)
    if (!(await this.#until(MOVE_MS, shows('')))) throw new Stale('ambiguous')
    this.#read()
    this.isTextLeftOut = true
  }

  /** Presses Enter while the wanted row is selected; again if nothing changed. */
  async #confirm(label: string): Promise<void> {
    await this.#onStep('confirm')
    const picture = this.#port.picture?.()
    for (let tries = 0; tries < 2; tries++) {
      const menu = this.#port.menu()
      if (tries > 0 && this.#port.picture?.() !== picture) throw new Stale('unconfirmed')
      // Before the first Enter nothing was answered; after it, a survey may still cover the menu.
      if (!this.#isWanted(menu)) throw new Stale(tries > 0 ? 'unconfirmed' : menu ? 'changed' : 'gone')
      if (menu!.selected !== this.#find(menu!, label)) throw new Stale(tries === 0 ? 'changed' : 'unconfirmed')
      this.#trace(label)
      await this.#press(this.#confirmKey(menu!))
      if (await this.#hasGone(CONFIRM_MS)) return
    }
    throw new Stale('unconfirmed')
  }

  /** Some agents take Enter only with a reason; packs name the key to deny without. */
  #confirmKey({ keys, options, selected }: Menu): string {
    const isUnreasoned = this.#wanted.text === undefined || this.isTextLeftOut
    const takesReason = options[selected ?? -1]?.meaning === 'deny-with-text'
    return (takesReason && isUnreasoned && keys.unreasoned) || keys.confirm
  }

  /** Whether the menu disappeared and stayed away. */
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
      const isBack = await this.#until(MENU_GONE_MS, seen => this.#isWanted(seen))
      if (!isBack) return true
    }
  }

  #isAway(seen: Menu | null): boolean {
    return !this.#isWanted(seen) && seen?.kind !== 'survey'
  }

  /** A menu in its place stays, or was answered by a key not meant for it. */
  async #watchNext(next: Menu): Promise<void> {
    if (await this.#until(NEXT_MENU_MS, seen => seen === null || (seen.hash !== next.hash && seen.kind !== 'survey')))
      throw new Stale('overtaken')
  }

  /** Without a selection: presses the option's key, then Enter if that is not enough. */
  async #answerByKey(): Promise<void> {
    const menu = this.#read()
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
    this.#read()
    await this.#press(key)
    if (await this.#hasGone(KEY_MS)) return
    if (menu.keys.choose === 'accelerator') throw new Stale('unconfirmed')
    this.#read()
    await this.#press('\r')
    if (!(await this.#hasGone(CONFIRM_MS))) throw new Stale('unconfirmed')
  }

  /** Answers page by page; the summary must name every answer before it is submitted. */
  async #fillForm(pages: readonly WantedPage[]): Promise<void> {
    const form = this.#wanted
    await this.#waitUntilStable()
    await this.#onStep('move')
    for (const [index, page] of pages.entries()) {
      const menu = this.#port.menu()
      if (!menu) throw new Stale(index === 0 ? 'gone' : 'unconfirmed')
      if (withoutWraps(menu.question) !== withoutWraps(page.question))
        throw new Stale(index === 0 ? 'changed' : 'ambiguous')
      await this.#answerPage(form, menu, page)
    }
    const summary = this.#port.menu()
    // A form of one page, or without a summary, is complete with its last answer.
    if (!summary?.tabs.some(tab => tab.current && tab.state === 'submit')) return
    // Its first row may be parsed as a title.
    const shown = withoutWraps([summary.title ?? '', ...summary.body, summary.question].join(' '))
    const isWhole = pages.every(page =>
      [...page.labels, ...(page.text ? [page.text] : [])].every(label => shown.includes(withoutWraps(label))),
    )
    const submit = summary.options.find(option => option.meaning !== 'cancel' && option.meaning !== 'deny')
    if (!isWhole || !submit) throw new Stale('ambiguous')
    this.#wanted = { hash: summary.hash, label: submit.label }
    await this.#moveTo(submit.label)
    await this.#confirm(submit.label)
  }

  /** A page is answered when the next page or the summary takes its place. */
  async #answerPage(form: WantedAnswer, menu: Menu, page: WantedPage): Promise<void> {
    const isMulti = menu.options.some(option => option.checked !== null)
    this.#wanted = {
      hash: menu.hash,
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
    const menu = this.#read()
    if (menu.selected !== this.#find(menu, label)) throw new Stale('changed')
    await this.#press(menu.keys.confirm)
    if (!(await this.#until(CONFIRM_MS, seen => this.#isAway(seen)))) throw new Stale('unconfirmed')
  }

  #trace(label: string): void {
    if (this.trace.seen.at(-1) !== label) this.trace.seen.push(label)
  }

  async #press(key: string): Promise<void> {
    this.trace.keys.push(key)
    await this.#port.press(key)
  }

  /** Waits for the effect of a key, given the screen before it. */
  async #untilDrawn(before: string | undefined, holds: (menu: Menu | null) => boolean): Promise<boolean> {
    const deadline = this.#clock.monotonic() + NO_REDRAW_MAX_MS
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
