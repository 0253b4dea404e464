import { type Clock, delay } from '../../clock/index.js'
import { countPasteMarks, type Observation, type Pack } from '../../screen/index.js'
import { comparableText } from '../compare-text.js'
import { cleanText, isCommand, TEXT_MAX, type TextMeaning, type Typing, typingOf } from './send-text.js'

/** What sending needs of a session. */
export interface SendPort {
  observation(): Observation | null
  isExited(): boolean
  isBracketedPaste(): boolean
  press(keys: string): Promise<void>
  changed(ms: number): Promise<void>
  /** Why keys would not reach the agent (another program, copy mode); null: none known. */
  absence?(): { reason: 'no-agent' | 'copy-mode'; detail: string } | null
  /** Milliseconds since a person last typed here. */
  quietMs?(): number
  /**
   * The source besides the screen that confirms that the agent took this text after this time: a
   * hook, its transcript, its status. If the agent worked before, work proves nothing.
   */
  proof?(text: string, since: number, wasBusy: boolean): string | null
  /**
   * The last row above the input box: the answer to a command of the agent's own comes below it.
   */
  lastRowAboveBox?(): number
  /** The agent calls hooks: proof may come late. */
  hasHooks?(): boolean
}

export type SendResult =
  | { result: 'delivered' }
  | { result: 'queued' }
  /** Held by Signalbox until the agent is idle; `detail`: why it is held for longer. */
  | { result: 'held'; prompt: string; detail?: string }
  | { result: 'refused'; reason: SendRefusal; detail: string }
  | { result: 'unconfirmed'; detail: string }

export type SendRefusal =
  | 'gone'
  | 'copy-mode'
  | 'no-agent'
  | 'menu'
  | 'overlay'
  | 'no-composer'
  | 'draft'
  | 'completion'
  | 'shell-mode'
  | 'busy'
  | 'budget'
  | 'text'

interface SendPromptOptions {
  pack: Pack
  clock: Clock
  /** How long the input box may take to appear. */
  readyWaitMs?: number
  meaning?: TextMeaning
  /** Delete text that is in the box first, unless a person is typing it. */
  clearsDraft?: boolean
  /** Whether the agent's own queue may be used. */
  mayQueue?: boolean
}

const READY_WAIT_MS = 3_000
/** How long a list or viewer may take to close, or a box to become empty. */
const CLOSE_WAIT_MS = 1_000
/** On a busy machine an agent may draw the first character, and the rest seconds later. */
const ECHO_WAIT_MS = 10_000
/** As long as the box shows the beginning of the text, the agent is behind. */
const LAG_WAIT_MS = 30_000
const RETRY_AFTER_MS = 3_000
const RETRY_WAIT_MS = 5_000
/** How long the box may still show a text that the agent took. */
const REDRAW_WAIT_MS = 5_000
/** How long to wait for proof while the box is empty, counted from the first Enter. */
const PROOF_WAIT_MS = 15_000
const HOOK_PROOF_WAIT_MS = 30_000
/** A person who typed this recently may be about to continue. */
const TYPING_MS = 10_000
/** Agents open a list while a command is typed; Enter too early picks another command. */
const COMMAND_LIST_MS = 250
/** A draft has at most this many lines that are cleared one by one. */
const CLEAR_PRESSES = 200
const ESCAPE = '\u001b'

/**
 * Types a prompt into the agent's input box: only while that box is live and empty and nothing else
 * is on screen; the text first, then Enter as a write of its own once the box shows the text; and
 * reports *delivered* only when the agent took it. The text is never written twice, and no key is
 * pressed while a menu is on screen: a menu that appears in between is reported, not answered.
 */
export async function sendPrompt(port: SendPort, text: string, options: SendPromptOptions): Promise<SendResult> {
  const { pack, clock, meaning = 'auto' } = options
  const clean = cleanText(text)
  if (clean === '') return refused('text', 'there is nothing to send')
  if (clean.length > TEXT_MAX)
    return refused('text', `the text is ${clean.length} characters long; the limit is ${TEXT_MAX}`)
  const blocked = await waitForComposer(port, options)
  if (blocked) return blocked
  const typing = typingOf(clean, { pack, meaning, isBracketedPaste: port.isBracketedPaste() })
  if (!typing) return refused('text', 'several lines can only be pasted, and this program does not accept a paste')
  const stopped = await typeText(port, typing, pack, clock)
  if (stopped) return stopped
  const isSettled = () => typingProblem(port) !== null || showsText(port.observation(), clean)
  await until(port, clock, ECHO_WAIT_MS, isSettled)
  await until(port, clock, LAG_WAIT_MS - ECHO_WAIT_MS, () => isSettled() || !showsBeginning(port.observation(), clean))
  if (typingProblem(port) || !showsText(port.observation(), clean)) return notTyped(port, clean, options)
  const command = isCommand(clean, meaning)
  await delay(clock, command ? Math.max(pack.input.settleMs, COMMAND_LIST_MS) : pack.input.settleMs)
  return submit(port, { text: clean, isCommand: command }, pack, clock)
}

interface Prompt {
  text: string
  isCommand: boolean
}

async function submit(port: SendPort, prompt: Prompt, pack: Pack, clock: Clock): Promise<SendResult> {
  const { text } = prompt
  await until(port, clock, CLOSE_WAIT_MS, () => typingProblem(port) !== null || showsText(port.observation(), text))
  const before = port.observation()
  if (typingProblem(port) || !before || !showsText(before, text)) return notTyped(port, text, { pack, clock })
  const taken: SendResult = { result: before.busy === true ? 'queued' : 'delivered' }
  const firstEnter = clock.monotonic()
  const rowBefore = port.lastRowAboveBox?.() ?? 0
  const isAnswered = () => prompt.isCommand && port.observation()?.composer?.empty === true && isBelow(port, rowBefore)
  const isTaken = () =>
    isProof(port.observation(), before, prompt) ||
    isAnswered() ||
    Boolean(port.proof?.(text, firstEnter, before.busy === true))
  // A hook may prove it before the screen does. The next prompt must not take this one for a draft.
  const leftBox = async () => {
    await until(port, clock, REDRAW_WAIT_MS, () => typingProblem(port) !== null || !showsText(port.observation(), text))
    return taken
  }
  await port.press(pack.input.submit)
  if (await until(port, clock, RETRY_AFTER_MS, isTaken)) return leftBox()
  // Only a box that still shows the text, with nothing else on screen, gets one more Enter.
  if (!typingProblem(port) && showsText(port.observation(), text)) {
    await port.press(pack.input.submit)
    if (await until(port, clock, RETRY_WAIT_MS, isTaken)) return leftBox()
    if (showsText(port.observation(), text))
      return unconfirmed('the text is in the input box; the agent ignored Enter twice')
  }
  const proofWaitMs = port.hasHooks?.() ? HOOK_PROOF_WAIT_MS : PROOF_WAIT_MS
  if (await until(port, clock, firstEnter + proofWaitMs - clock.monotonic(), isTaken)) return leftBox()
  return unconfirmed(`Enter was pressed, but nothing shows that the agent took the text${suffix(typingProblem(port))}`)
}

function isBelow(port: SendPort, row: number): boolean {
  return (port.lastRowAboveBox?.() ?? 0) > row
}

/** Whether the screen proves that the agent took the text; an empty box proves nothing. */
function isProof(seen: Observation | null, before: Observation, { text, isCommand }: Prompt): boolean {
  if (!seen || showsText(seen, text)) return false
  const isEchoed = showsEcho(seen, text)
  if (isAsking(seen)) return isEchoed || isCommand
  if (seen.composer && !seen.composer.empty) return false
  if (
    seen.busy === true ||
    (seen.composer?.queued.length ?? 0) > 0 ||
    seen.facets.some(facet => facet.name === 'queued')
  )
    return true
  const hasTurned = JSON.stringify(seen.terminator) !== JSON.stringify(before.terminator)
  if (isCommand && (hasTurned || seen.user !== before.user || seen.view !== before.view)) return true
  // The same text may have been sent before: then its echo alone proves nothing.
  return isEchoed && (hasTurned || !showsEcho(before, text))
}

async function waitForComposer(port: SendPort, options: SendPromptOptions): Promise<SendResult | null> {
  const { clock } = options
  const judge = () => judgeScreen(port, options)
  await until(port, clock, options.readyWaitMs ?? READY_WAIT_MS, () => judge()?.reason !== 'no-composer')
  const key = closingKey(port, judge()?.reason, options)
  if (key === null) return judge()
  if (judge()?.reason === 'draft') await clearBox(port, options)
  else {
    await port.press(key)
    await until(port, clock, CLOSE_WAIT_MS, () => judge() === null)
  }
  return judge()
}

/**
 * The key of some agents clears one line: it is pressed until the box is empty or stays as it is.
 */
async function clearBox(port: SendPort, { pack, clock }: Pick<SendPromptOptions, 'pack' | 'clock'>): Promise<void> {
  for (let presses = 0; presses < CLEAR_PRESSES; presses++) {
    const draft = port.observation()?.composer?.draft ?? ''
    if (draft === '' || typingProblem(port)) return
    await port.press(pack.input.clear)
    const isChanged = () => (port.observation()?.composer?.draft ?? '') !== draft
    if (!(await until(port, clock, CLOSE_WAIT_MS, isChanged))) return
  }
}

function judgeScreen(port: SendPort, { pack, mayQueue = true }: SendPromptOptions): Refused | null {
  const seen = port.observation()
  if (port.isExited()) return refused('gone', 'the session has ended')
  const absence = port.absence?.()
  if (absence) return refused(absence.reason, absence.detail)
  const other = seen && pack.agent !== 'generic' ? otherProgram(seen) : null
  if (other) return refused('no-agent', `${other} is in front, not the agent`)
  if (isAsking(seen)) return refused('menu', 'the agent waits for an answer; decide that first')
  if (seen?.view === 'auth_required') return refused('menu', 'the agent waits for a sign-in')
  if (seen?.facets.some(facet => facet.name === 'survey'))
    return refused('menu', 'a survey on screen takes the next digit; answer or dismiss it first')
  if (seen && isOverlay(seen)) return refused('overlay', 'a viewer covers the input box')
  if (!seen?.composer) return refused('no-composer', 'the agent shows no input box')
  if (!seen.composer.empty) {
    const who = isPersonTyping(port) ? 'a person is typing in the input box' : 'there is text in the input box already'
    return refused('draft', `${who}: ${seen.composer.draft.slice(0, 60)}`)
  }
  if (seen.composer.completion) return refused('completion', 'a list of completions is open in the input box')
  if (seen.composer.shell) return refused('shell-mode', 'the input box is in shell mode')
  if (seen.busy && !(pack.input.queue && mayQueue))
    return refused('busy', `the agent is working${pack.input.queue ? '' : ' and cannot queue a prompt'}`)
  return null
}

/** A shell, a pager or an editor that the agent has started or left behind. */
function otherProgram(seen: Observation): string | null {
  if (seen.view !== 'idle_prompt') return null
  const { prompt } = (seen as Observation<'idle_prompt'>).payload
  return prompt === 'agent' ? null : `a ${prompt}`
}

function isPersonTyping(port: SendPort): boolean {
  return (port.quietMs?.() ?? Number.POSITIVE_INFINITY) < TYPING_MS
}

/** Some agents put the prompt of an interrupted turn back into their box. */
function isGivenBack(seen: Observation | null): boolean {
  if (!seen?.composer || seen.user === null || seen.terminator?.outcome !== 'interrupted') return false
  return comparableText(seen.composer.draft) === comparableText(seen.user)
}

/** The one key that may lead to an empty input box. */
function closingKey(
  port: SendPort,
  reason: SendRefusal | undefined,
  { pack, clearsDraft }: SendPromptOptions,
): string | null {
  if (reason === 'completion' || reason === 'shell-mode') return isPersonTyping(port) ? null : ESCAPE
  if (reason === 'draft')
    return (clearsDraft || isGivenBack(port.observation())) && !isPersonTyping(port) ? pack.input.clear : null
  if (reason === 'overlay') return (port.observation() as Observation<'unknown'>).payload.close ?? null
  return null
}

function isOverlay(seen: Observation): boolean {
  return seen.view === 'unknown' && seen.composer === null && (seen as Observation<'unknown'>).payload.recognised
}

/** A menu, a login, a question: any key now answers it. */
function isAsking(seen: Observation | null): boolean {
  return seen !== null && seen.awaiting !== null && seen.awaiting !== 'exit_confirm'
}

/** Why no further key may be pressed. */
function typingProblem(port: SendPort): string | null {
  if (port.isExited()) return 'the session has ended'
  return isAsking(port.observation()) ? 'the agent asks for an answer' : null
}

async function typeText(port: SendPort, { text, way }: Typing, pack: Pack, clock: Clock): Promise<SendResult | null> {
  if (way === 'paste') {
    await port.press(`\u001b[200~${text}\u001b[201~`)
    return null
  }
  // A typed tab is a key: it completes, or moves the focus.
  const characters = [...text.replaceAll('\t', '    ')].map(character =>
    character === '\n' ? pack.input.newline : character,
  )
  if (way === 'bulk') {
    await port.press(characters.join(''))
    return null
  }
  for (const [typed, character] of characters.entries()) {
    if (typingProblem(port))
      return unconfirmed(`${typingProblem(port)}: typing stopped after ${typed} characters, Enter was not pressed`)
    await port.press(character)
    await delay(clock, pack.input.paceMs)
  }
  return null
}

/** The box does not show the text: it is removed again, unless a menu would get the key. */
async function notTyped(
  port: SendPort,
  text: string,
  options: Pick<SendPromptOptions, 'pack' | 'clock'>,
): Promise<SendResult> {
  const inTheWay = typingProblem(port)
  if (port.isExited()) return refused('gone', 'the session ended while the text was being typed')
  if (inTheWay) return unconfirmed(`${inTheWay}; the text was typed, Enter was not pressed`)
  const draft = comparableText(port.observation()?.composer?.draft ?? '')
  const isOurs = comparableText(text).includes(draft) || countPasteMarks(port.observation()?.composer?.draft ?? '') > 0
  if (draft !== '' && isOurs) await clearBox(port, options)
  return unconfirmed('the text did not appear in the input box; Enter was not pressed')
}

/** Whether the box shows the text's end or a paste mark; blanks do not count. */
function showsText(observation: Observation | null, text: string): boolean {
  const composer = observation?.composer
  if (!composer) return false
  return (
    (composer.pasted > 0 && countPasteMarks(text) === 0) ||
    comparableText(composer.draft).endsWith(comparableText(text).slice(-20))
  )
}

function showsBeginning(observation: Observation | null, text: string): boolean {
  const draft = comparableText(observation?.composer?.draft ?? '')
  return draft !== '' && comparableText(text).startsWith(draft)
}

/** Whether the newest echo is this text, or as much of it as the agent repeats. */
function showsEcho({ user }: Observation, text: string): boolean {
  if (user === null) return false
  const echo = comparableText(user)
  const wanted = comparableText(text)
  return (
    echo.endsWith(wanted.slice(-20)) ||
    (echo.length >= 20 && wanted.startsWith(echo)) ||
    (countPasteMarks(user) > 0 && countPasteMarks(text) === 0)
  )
}

type Refused = Extract<SendResult, { result: 'refused' }>

function refused(reason: SendRefusal, detail: string): Refused {
  return { result: 'refused', reason, detail }
}

function unconfirmed(detail: string): SendResult {
  return { result: 'unconfirmed', detail }
}

function suffix(inTheWay: string | null): string {
  return inTheWay === null ? '' : `; ${inTheWay}`
}

async function until(port: SendPort, clock: Clock, ms: number, holds: () => boolean): Promise<boolean> {
  const deadline = clock.monotonic() + ms
  while (!holds()) {
    const left = deadline - clock.monotonic()
    if (left <= 0 || port.isExited()) return holds()
    await port.changed(left)
  }
  return true
}
