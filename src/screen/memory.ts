import { emptyBoxGlyph } from './box-glyph.js'
import { promptGlyph } from './find-composer.js'
import { MOTION_EXPIRY_S, type Track } from './motion.js'
import type { Observation } from './observation.js'
import type { ScreenBlockKind } from './pack/pack.js'
import { changedAt, newestBlock, panelHash, type Scene, transcriptHash } from './scene.js'
import { TITLE_EXPIRY_S, type TitleMotion } from './title-motion.js'
import { ECHO_GRACE_S, STALE_TURN_S } from './turn.js'

/** What the classifier remembers between frames. Time comes from frames and inputs. */
export interface ScreenMemory {
  /** A prompt was echoed or work started, and nothing has ended it since. */
  turnOpen: boolean
  /** The newest echo by text and distance from the newest terminator; and since when. */
  echo: { text: string; since: number } | null
  /** The kind of the newest block, for screens that are scrolled back or show only its middle. */
  newest: { kind: ScreenBlockKind; isRunning: boolean } | null
  hasSeenComposer: boolean
  /** The program asked something before its first input box and before any key. */
  isSettingUp: boolean
  menu: { hash: string; since: number; afterInput: boolean } | null
  lastInputAt: number | null
  lastWorkingAt: number | null
  /** The hash of the task panel and when it last changed; the same for the transcript. */
  panel: { hash: string; changedAt: number } | null
  transcript: { hash: string; changedAt: number } | null
  tracks: Track[]
  /** How the symbol of the title moves. */
  title: TitleMotion | null
  /** The last prompt of the shell, if the program is a shell. */
  prompt: string | null
  /** The last text in the input box, if no pack says how the agent repeats it. */
  draft: string | null
  /** The glyph of the bare prompt that the program showed first, if no pack describes its box. */
  promptGlyph: string | null
  /** The glyph in the empty input box before the first prompt, and whether it changes for work. */
  boxGlyph: { rest: string; changes: boolean } | null
  /** The input box had that text when it was last seen. */
  isDrafting: boolean
  /** A question at the cursor that counts only after it has been stable for a while. */
  asking: { text: string; since: number } | null
  /** When the same frame must be read again: a sign expires, a question is stable. */
  recheckAt: number | null
}

export function initialMemory(): ScreenMemory {
  return {
    turnOpen: false,
    echo: null,
    newest: null,
    hasSeenComposer: false,
    isSettingUp: false,
    menu: null,
    lastInputAt: null,
    lastWorkingAt: null,
    panel: null,
    transcript: null,
    tracks: [],
    title: null,
    prompt: null,
    draft: null,
    isDrafting: false,
    promptGlyph: null,
    boxGlyph: null,
    asking: null,
    recheckAt: null,
  }
}

/** Something was sent to the program: a menu that appears now may be the reaction. */
export function recordInput(memory: ScreenMemory, t: number): ScreenMemory {
  return { ...memory, lastInputAt: t }
}

export const QUESTION_STABLE_S = 0.3

/** What the next frame needs to know about this one. */
export function nextMemory(scene: Scene, observation: Observation): ScreenMemory {
  const { memory, layout, turn } = scene
  const { t } = scene.frame
  const newest = newestBlock(scene)
  // A half-drawn frame shows older content, not the newest.
  const isScrap = observation.view === 'unknown' && memory.newest !== null
  const hash = layout.menu?.candidate.menu.hash
  const isWorking = scene.working !== null || observation.busy === true
  return {
    turnOpen: layout.menu ? memory.turnOpen : turn.isOpen,
    echo:
      turn.echoText === null || memory.echo?.text === turn.echoText ? memory.echo : { text: turn.echoText, since: t },
    newest: newest && !isScrap ? { kind: newest.kind, isRunning: newest.isRunning } : memory.newest,
    hasSeenComposer: memory.hasSeenComposer || layout.composer !== null,
    isSettingUp:
      layout.composer === null &&
      !memory.hasSeenComposer &&
      (memory.isSettingUp || (memory.lastInputAt === null && observation.awaiting !== null)),
    menu: hash === undefined ? null : { hash, ...firstSeen(scene, hash) },
    lastInputAt: memory.lastInputAt,
    lastWorkingAt: isWorking ? t : memory.lastWorkingAt,
    panel: changedAt(memory.panel, panelHash(scene), t),
    transcript: changedAt(memory.transcript, transcriptHash(layout), t),
    tracks: scene.tracks,
    title: scene.title,
    prompt: emptyShellPrompt(scene) ?? memory.prompt,
    draft: (scene.pack.byStructure && observation.composer?.draft) || memory.draft,
    isDrafting:
      scene.pack.byStructure && (observation.composer ? observation.composer.draft !== '' : memory.isDrafting),
    // A shell that shows its prompt again has ended the program that drew another one.
    promptGlyph: scene.shell?.kind === 'prompt' ? null : (memory.promptGlyph ?? shownGlyph(scene, observation)),
    boxGlyph: nextBoxGlyph(scene, observation),
    asking: askingNow(scene),
    recheckAt: recheckAt(scene),
  }
}

/** When this menu was first seen, and whether keys had been sent before. */
export function firstSeen({ memory, frame }: Scene, hash: string): { since: number; afterInput: boolean } {
  const { menu, lastInputAt } = memory
  return menu?.hash === hash
    ? { since: menu.since, afterInput: menu.afterInput }
    : { since: frame.t, afterInput: lastInputAt !== null }
}

/** A bare prompt without a draft, before anything was said: later rows may only look like one. */
function shownGlyph({ layout, pack, memory }: Scene, { view, composer }: Observation): string | null {
  const box = layout.composer
  if (!pack.byStructure || !box || box.first !== box.last || memory.echo !== null) return null
  return view === 'idle_prompt' && composer?.empty ? promptGlyph(layout.rows[box.first]!) : null
}

function nextBoxGlyph({ layout, pack, memory, boxSign }: Scene, { view }: Observation): ScreenMemory['boxGlyph'] {
  const { boxGlyph } = memory
  if (boxGlyph) return boxSign === 'busy' && !boxGlyph.changes ? { ...boxGlyph, changes: true } : boxGlyph
  const rest = pack.byStructure && memory.echo === null && view === 'idle_prompt' ? emptyBoxGlyph(layout) : null
  return rest === null ? null : { rest, changes: false }
}

function emptyShellPrompt({ shell }: Scene): string | null {
  return shell?.kind === 'prompt' && shell.program === 'shell' && shell.draft === '' ? shell.prompt : null
}

function askingNow({ layout, memory, frame }: Scene): ScreenMemory['asking'] {
  const found = layout.menu ?? layout.quoted
  if (!found?.candidate.isTentative) return null
  const text = found.candidate.menu.question
  return memory.asking?.text === text ? memory.asking : { text, since: frame.t }
}

/** When the frame means something else: a sign expires, a question is stable. */
function recheckAt(scene: Scene): number | null {
  const { t } = scene.frame
  const asking = askingNow(scene)
  const isWaitingForEnd = scene.pack.terminator === 'required' && scene.turn.isOpen
  const newest = changedAt(scene.memory.transcript, transcriptHash(scene.layout), t)
  const { echoText, isOpen } = scene.turn
  // An echo without any sign of work counts only for a while.
  const isUnanswered = isOpen && scene.working === null && scene.pack.terminator !== 'required' && echoText !== null
  const echoedAt = scene.memory.echo?.text === echoText ? scene.memory.echo!.since : t
  const moments = [
    ...(isUnanswered ? [echoedAt + ECHO_GRACE_S] : []),
    ...(asking ? [asking.since + QUESTION_STABLE_S] : []),
    ...(isWaitingForEnd ? [(newest?.changedAt ?? t) + STALE_TURN_S] : []),
    ...(scene.title?.movedAt ? [scene.title.movedAt + TITLE_EXPIRY_S + 0.001] : []),
    ...scene.tracks.flatMap(track => (track.lastMotion === null ? [] : [track.lastMotion + MOTION_EXPIRY_S + 0.001])),
  ].filter(at => at > t)
  return moments.length === 0 ? null : Math.min(...moments)
}
