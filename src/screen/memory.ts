import type { Track } from './motion.js'
import type { ScreenBlockKind } from './pack/pack.js'

/**
 * Everything that the classifier remembers between frames. Time enters only through `frame.t` and
 * recorded inputs.
 */
export interface ScreenMemory {
  /** A prompt was echoed or work started, and nothing has ended it since. */
  turnOpen: boolean
  /**
   * The newest echo, by its text and its distance in rows from the newest terminator; and since
   * when.
   */
  echo: { text: string; since: number } | null
  /** The kind of the newest block, for screens that are scrolled back or show only its middle. */
  newest: { kind: ScreenBlockKind; isRunning: boolean } | null
  hasSeenComposer: boolean
  menu: { print: string; since: number; afterInput: boolean } | null
  lastInputAt: number | null
  lastWorkingAt: number | null
  /** The hash of the task panel and when it last changed; the same for the transcript. */
  panel: { hash: string; changedAt: number } | null
  transcript: { hash: string; changedAt: number } | null
  tracks: Track[]
  /** The last prompt of the shell, if the program is a shell. */
  prompt: string | null
  /** A question at the cursor that counts only after it has been stable for a while. */
  asking: { text: string; since: number } | null
  /**
   * When the same frame must be classified again although nothing changes: a sign expires, a
   * question has been stable long enough.
   */
  recheckAt: number | null
}

export function initialMemory(): ScreenMemory {
  return {
    turnOpen: false,
    echo: null,
    newest: null,
    hasSeenComposer: false,
    menu: null,
    lastInputAt: null,
    lastWorkingAt: null,
    panel: null,
    transcript: null,
    tracks: [],
    prompt: null,
    asking: null,
    recheckAt: null,
  }
}

/**
 * Records that keys, text or a paste were sent to the program: a menu that appears afterwards may
 * be the reaction.
 */
export function recordInput(memory: ScreenMemory, t: number): ScreenMemory {
  return { ...memory, lastInputAt: t }
}
