import type { ScreenMemory } from './memory.js'
import { MOTION_EXPIRY_S } from './motion.js'
import type { Observation } from './observation.js'
import { changedAt, newestBlock, panelHash, type Scene, transcriptHash } from './scene.js'
import { STALE_TURN_S } from './turn.js'

/** How long a question in words must be stable at the cursor. */
export const QUESTION_STABLE_S = 0.3

/** What the next frame needs to know about this one. */
export function nextMemory(scene: Scene, observation: Observation): ScreenMemory {
  const { memory, layout, turn } = scene
  const { t } = scene.frame
  const newest = newestBlock(scene)
  // A half-drawn frame shows older content, not the newest.
  const isScrap = observation.view === 'unknown' && memory.newest !== null
  const print = layout.menu?.candidate.menu.print
  const isWorking = scene.working !== null || observation.busy === true
  return {
    turnOpen: layout.menu ? memory.turnOpen : turn.isOpen,
    echo:
      turn.echoText === null || memory.echo?.text === turn.echoText ? memory.echo : { text: turn.echoText, since: t },
    newest: newest && !isScrap ? { kind: newest.kind, isRunning: newest.isRunning } : memory.newest,
    hasSeenComposer: memory.hasSeenComposer || layout.composer !== null,
    menu: print === undefined ? null : { print, ...firstSeen(scene, print) },
    lastInputAt: memory.lastInputAt,
    lastWorkingAt: isWorking ? t : memory.lastWorkingAt,
    panel: changedAt(memory.panel, panelHash(scene), t),
    transcript: changedAt(memory.transcript, transcriptHash(layout), t),
    tracks: scene.tracks,
    prompt: emptyShellPrompt(scene) ?? memory.prompt,
    asking: askingNow(scene),
    recheckAt: recheckAt(scene),
  }
}

/** When this menu was first seen, and whether keys had been sent before. */
export function firstSeen({ memory, frame }: Scene, print: string): { since: number; afterInput: boolean } {
  const { menu, lastInputAt } = memory
  return menu?.print === print
    ? { since: menu.since, afterInput: menu.afterInput }
    : { since: frame.t, afterInput: lastInputAt !== null }
}

function emptyShellPrompt({ shell }: Scene): string | null {
  return shell?.is === 'prompt' && shell.kind === 'shell' && shell.draft === '' ? shell.prompt : null
}

function askingNow({ layout, memory, frame }: Scene): ScreenMemory['asking'] {
  const found = layout.menu ?? layout.quoted
  if (!found?.candidate.isTentative) return null
  const text = found.candidate.menu.question
  return memory.asking?.text === text ? memory.asking : { text, since: frame.t }
}

/**
 * The next time at which the same frame means something else: a sign expires, a question is stable,
 * an open turn has become stale.
 */
function recheckAt(scene: Scene): number | null {
  const { t } = scene.frame
  const asking = askingNow(scene)
  const isWaitingForEnd = scene.pack.terminator === 'required' && scene.turn.isOpen
  const newest = changedAt(scene.memory.transcript, transcriptHash(scene.layout), t)
  const moments = [
    ...(asking ? [asking.since + QUESTION_STABLE_S] : []),
    ...(isWaitingForEnd ? [(newest?.changedAt ?? t) + STALE_TURN_S] : []),
    ...scene.tracks.flatMap(track => (track.lastMotion === null ? [] : [track.lastMotion + MOTION_EXPIRY_S + 0.001])),
  ].filter(at => at > t)
  return moments.length === 0 ? null : Math.min(...moments)
}
