import type { Track } from './motion.js'
import type { ScreenBlockKind } from './pack/pack.js'

/** What the classifier remembers between frames, and nothing else. Time enters only through `frame.t` and recorded inputs. */
export interface ScreenMemory {
  /** A prompt was echoed or work began, and nothing has ended it since. */
  turnOpen: boolean
  /** The newest echo that was seen, by its text and how many rows from the newest terminator it stood; and since when. */
  echo: { text: string; since: number } | null
  /** Kind of the newest block, for screens that are scrolled back or show only its middle. */
  newest: { kind: ScreenBlockKind; isRunning: boolean } | null
  hasSeenComposer: boolean
  menu: { print: string; since: number; afterInput: boolean } | null
  lastInputAt: number | null
  lastWorkingAt: number | null
  /** Hash of the task panel and when it last changed; the same for the transcript. */
  panel: { hash: string; changedAt: number } | null
  transcript: { hash: string; changedAt: number } | null
  tracks: Track[]
  /** The shell's prompt as it was last seen, where the program is a shell. */
  prompt: string | null
  /** A question at the cursor that is believed only after it has stood for a while. */
  asking: { text: string; since: number } | null
  /** When the same picture should be looked at again although nothing changes: a sign lapses, a question has stood long enough. */
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

/** Tells the memory that keys, text or a paste went to the program: a menu that appears afterwards answers to it. */
export function recordInput(memory: ScreenMemory, t: number): ScreenMemory {
  return { ...memory, lastInputAt: t }
}
