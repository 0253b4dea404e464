/** What the classifier remembers between frames, and nothing else. Time enters only through `frame.t` and recorded inputs. */
export interface ScreenMemory {
  /** A prompt was echoed or work began, and no terminator has followed. */
  turnOpen: boolean
  /** Row id of the newest echoed prompt that was seen. */
  echoId: number | null
  /** Row id of the newest terminator that was seen. */
  terminatorId: number | null
  hasSeenComposer: boolean
  menu: { print: string; since: number; afterInput: boolean } | null
  lastInputAt: number | null
  /** When a working row was last seen, for packs whose turns end without a terminator. */
  lastWorkingAt: number | null
}

export function initialMemory(): ScreenMemory {
  return {
    turnOpen: false,
    echoId: null,
    terminatorId: null,
    hasSeenComposer: false,
    menu: null,
    lastInputAt: null,
    lastWorkingAt: null,
  }
}

/** Tells the memory that keys, text or a paste went to the program: a menu that appears afterwards answers to it. */
export function noteInput(memory: ScreenMemory, t: number): ScreenMemory {
  return { ...memory, lastInputAt: t }
}
