import { type Clock, delay } from '../../clock/index.js'
import type { Observation, Pack } from '../../screen/index.js'

/** What interrupting needs of a session. */
interface InterruptPort {
  observation(): Observation | null
  isExited(): boolean
  /** The session is at work according to its phase. */
  isAtWork(): boolean
  press(keys: string): Promise<void>
  /** Whether the condition held within `ms`. */
  until(ms: number, holds: () => boolean): Promise<boolean>
}

export type InterruptResult =
  | { result: 'interrupted' }
  | { result: 'idle' }
  | { result: 'refused'; reason: 'gone' | 'menu' | 'no-keys'; detail: string }
  | { result: 'unconfirmed'; detail: string }

/** Two keys in one read may be another key: Escape twice is Alt-Escape. */
const KEY_GAP_MS = 150
const PROOF_MS = 5_000
/** How long an agent that has just got an answer must show its input box to count as idle. */
const CONTINUES_MS = 1_000
/** How long to wait before several keys are pressed again. */
const PRESS_AGAIN_MS = 2_000
/**
 * A busy program reads late and then reads all keys at once, so the pauses between keys are longer.
 * Others forget the first key after half a second.
 */
const RETRY_KEY_GAPS_MS = [600, 300, 450]

/**
 * Presses the agent's interrupt keys and checks whether it stopped: a row says so, or the agent
 * shows its idle input box. It also checks between two keys: for an agent that has stopped, the
 * next key may mean something else.
 *
 * Several keys may reach a slow agent in one read, and then mean nothing. If the agent needs
 * several keys and is still seen at work a while later, they are pressed again, at other distances.
 * A single key cannot get lost that way, and pressing it twice may mean *exit*: it is never pressed
 * again.
 *
 * @param isAnswered the agent has just got an answer: its screen may still show the menu, or an
 *   input box before it continues.
 */
export async function interruptAgent(
  port: InterruptPort,
  { pack, clock }: { pack: Pack; clock: Clock },
  { isAnswered = false }: { isAnswered?: boolean } = {},
): Promise<InterruptResult> {
  if (isAnswered) await untilContinued(port)
  const before = port.observation()
  if (port.isExited()) return { result: 'refused', reason: 'gone', detail: 'the session has ended' }
  if (before?.awaiting && before.awaiting !== 'exit_confirm')
    return { result: 'refused', reason: 'menu', detail: 'the agent waits for an answer; deny the request instead' }
  if (before?.busy !== true && !port.isAtWork()) return { result: 'idle' }
  const { interrupt, interruptPresses } = pack.input
  const keys = Array.from({ length: interruptPresses }, () => interrupt).flat()
  if (keys.length === 0 || pack.agent === 'generic')
    return { result: 'refused', reason: 'no-keys', detail: 'Signalbox does not know how to interrupt this program' }
  const hasStopped = () => port.isExited() || isStopped(port.observation(), before)
  const pressAll = async (apartMs: number) => {
    for (const [index, key] of keys.entries()) {
      if (index > 0) await delay(clock, apartMs)
      if (hasStopped() || isAsking(port.observation())) break
      await port.press(key)
    }
  }
  await pressAll(KEY_GAP_MS)
  for (const apartMs of keys.length > 1 ? RETRY_KEY_GAPS_MS : []) {
    const isLost = !(await port.until(PRESS_AGAIN_MS, hasStopped)) && port.observation()?.busy === true
    if (!isLost) break
    await pressAll(apartMs)
  }
  if (await port.until(PROOF_MS, hasStopped)) return { result: 'interrupted' }
  return {
    result: 'unconfirmed',
    detail: `the keys were pressed, but the agent is still working after ${PROOF_MS / 1000} s`,
  }
}

async function untilContinued(port: InterruptPort): Promise<void> {
  await port.until(PROOF_MS, () => port.isExited() || !isAsking(port.observation()))
  await port.until(CONTINUES_MS, () => port.isExited() || port.isAtWork() || port.observation()?.busy === true)
}

function isAsking(seen: Observation | null): boolean {
  return seen !== null && seen.awaiting !== null && seen.awaiting !== 'exit_confirm'
}

function isStopped(seen: Observation | null, before: Observation | null): boolean {
  if (!seen) return false
  const isNew = JSON.stringify(seen.terminator) !== JSON.stringify(before?.terminator ?? null)
  if (isNew && seen.terminator?.outcome === 'interrupted') return true
  return seen.busy === false && seen.composer !== null && seen.awaiting === null
}
