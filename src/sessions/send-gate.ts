import { type Clock, delay } from '../clock/index.js'
import type { Observation, Pack } from '../screen/index.js'

/** What sending needs of a session. */
export interface SendPort {
  observation(): Observation | null
  isExited(): boolean
  isBracketedPaste(): boolean
  press(keys: string): Promise<void>
  changed(ms: number): Promise<void>
}

export type SendResult =
  | { result: 'delivered' }
  | { result: 'queued' }
  | { result: 'refused'; reason: SendRefusal; detail: string }
  | { result: 'unconfirmed'; detail: string }

export type SendRefusal = 'gone' | 'menu' | 'no-composer' | 'draft' | 'busy' | 'text'

const READY_WAIT_MS = 3_000
const ECHO_WAIT_MS = 3_000
const PROOF_WAIT_MS = 5_000
const RETRY_AFTER_MS = 3_000
const TEXT_MAX = 100_000
/** Beyond this, or with a line break, text goes as one bracketed paste. */
const TYPED_MAX = 400

/**
 * Types a prompt into the agent's input box: only while that box is live and empty and nothing else is on screen; the text first, Enter as
 * a write of its own once the text is seen in the box; and *delivered* only when the agent took it. The text is never written twice.
 */
export async function sendPrompt(port: SendPort, text: string, options: { pack: Pack; clock: Clock }): Promise<SendResult> {
  const { pack, clock } = options
  const clean = cleanText(text)
  if (clean === '') return refused('text', 'there is nothing to send')
  if (clean.length > TEXT_MAX) return refused('text', `the text has ${clean.length} characters; at most ${TEXT_MAX} can be sent`)
  const blocked = await waitForComposer(port, clock, pack)
  if (blocked) return blocked
  const isBusy = port.observation()?.busy === true
  await typeText(port, clean, pack, clock)
  if (!(await until(port, clock, ECHO_WAIT_MS, () => showsText(port.observation(), clean)))) {
    return { result: 'unconfirmed', detail: 'the text did not appear in the input box; Enter was not pressed' }
  }
  await delay(clock, pack.input.settleMs)
  return submit(port, clean, pack, clock, isBusy)
}

async function submit(port: SendPort, text: string, pack: Pack, clock: Clock, isBusy: boolean): Promise<SendResult> {
  const isTaken = () => {
    const seen = port.observation()
    if (!seen || port.isExited()) return false
    return !showsText(seen, text) && (seen.busy !== null || seen.user !== null || seen.composer === null || seen.composer.empty)
  }
  for (let presses = 0; presses < 2; presses++) {
    await port.press(pack.input.submit)
    if (await until(port, clock, presses === 0 ? RETRY_AFTER_MS : PROOF_WAIT_MS, isTaken)) return { result: isBusy ? 'queued' : 'delivered' }
    if (port.isExited()) return refused('gone', 'the session ended while the text was being sent')
    // Only a box that still shows our text gets the one further Enter.
    if (!showsText(port.observation(), text)) break
  }
  return { result: 'unconfirmed', detail: 'the text was typed, but nothing shows that the agent took it' }
}

async function waitForComposer(port: SendPort, clock: Clock, pack: Pack): Promise<SendResult | null> {
  const judge = (): SendResult | null => {
    const seen = port.observation()
    if (port.isExited()) return refused('gone', 'the session has ended')
    if (seen?.awaiting && seen.awaiting !== 'exit_confirm') return refused('menu', 'the agent waits for an answer; decide that first')
    if (!seen?.composer) return refused('no-composer', 'the agent shows no input box')
    if (!seen.composer.empty) return refused('draft', `there is text in the input box already: ${seen.composer.draft.slice(0, 60)}`)
    if (seen.busy && !pack.input.queue) return refused('busy', 'the agent is working and cannot queue a prompt')
    return null
  }
  await until(port, clock, READY_WAIT_MS, () => {
    const verdict = judge()
    return verdict === null || (verdict.result === 'refused' && verdict.reason !== 'no-composer')
  })
  return judge()
}

async function typeText(port: SendPort, text: string, pack: Pack, clock: Clock): Promise<void> {
  const isLong = text.length > TYPED_MAX || text.includes('\n')
  if (isLong && port.isBracketedPaste()) return port.press(`\u001b[200~${text}\u001b[201~`)
  if (pack.input.mode === 'bulk' || pack.input.paceMs === 0) return port.press(text.replaceAll('\n', pack.input.newline))
  for (const character of text) {
    await port.press(character === '\n' ? pack.input.newline : character)
    await delay(clock, pack.input.paceMs)
  }
}

/** The box shows the end of the text, or the mark of a paste. Blanks do not count: boxes wrap. */
function showsText(observation: Observation | null, text: string): boolean {
  const draft = observation?.composer?.draft ?? ''
  if ((observation?.composer?.pasted ?? 0) > 0) return true
  const tail = text.replace(/\s+/gu, '').slice(-20)
  return draft.replace(/\s+/gu, '').endsWith(tail)
}

/** Line breaks as LF; no control characters and no paste markers: a prompt is text, never keys. */
function cleanText(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(/\u001b\[20[01]~/g, '')
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '')
    .trim()
}

function refused(reason: SendRefusal, detail: string): SendResult {
  return { result: 'refused', reason, detail }
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
