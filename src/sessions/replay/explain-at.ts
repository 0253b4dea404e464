import {
  claimOf,
  type JudgedEvidence,
  type Look,
  type PaneState,
  type ReplayEvent,
  type StatusEntry,
  type SupervisorSettings,
} from '../../panes/index.js'
import {
  classify,
  explainFrame,
  type FrameExplanation,
  initialMemory,
  outlineOf,
  type Pack,
} from '../../screen/index.js'
import type { Frame } from '../../terminal/index.js'
import { type ChangeFields, changeFields, seconds } from './changes.js'
import { SessionReplay } from './session-replay.js'
import { type Moment, Timeline, type TimelineCounters } from './timeline.js'

/** Why a pane is read as it is: what `explain` shows. */
export interface Explanation {
  reading: ChangeFields & { sinceS: number; age: number }
  /** From the highest authority to the lowest. */
  evidence: JudgedEvidence[]
  frame: FrameExplanation
  /** The last changes, oldest first. */
  history: ChangeFields[]
  /** The last events of the pane's status, accepted and refused. */
  status: StatusEntry[]
  counters: TimelineCounters
}

export function explainMoment(
  moment: Moment,
  pack: Pack,
  timeline: Timeline,
  history: readonly ChangeFields[],
): Explanation {
  const { state } = moment
  return {
    reading: { ...changeFields(moment), ...ageOf(state) },
    evidence: timeline.evidence(state, state.t),
    frame: state.look ? explainFrame(state.look.frame, pack) : { regions: [], rules: [], menus: [] },
    history: [...history],
    status: [...timeline.statusHistory],
    counters: timeline.counters,
  }
}

function ageOf({ reading, t }: PaneState): { sinceS: number; age: number } {
  return { sinceS: seconds(reading.since), age: seconds(Math.max(0, t - reading.since)) }
}

/** One screen alone, without earlier frames and reports. */
export function explainScreen(frame: Frame, pack: Pack): Explanation {
  const { observation, layout, atWork } = classify(frame, initialMemory(), pack)
  const { view, payload, busy, awaiting, confidence, rule } = observation
  const authority = observation.anchored ? ('screen' as const) : ('structure' as const)
  const claim = claimOf(observation)
  const reading = {
    claim,
    authority: claim ? authority : ('none' as const),
    rule,
    confidence,
    since: frame.t,
    contradictions: [],
  }
  const outline = outlineOf(layout, frame)
  const look: Look = { t: frame.t, frame, observation, outline, atWork, isSettled: true, isConfirmed: true }
  const timeline = new Timeline(pack)
  const [moment] = timeline.addSteps([
    { type: 'look', look, state: { t: frame.t, view, payload, busy, awaiting, isSettled: true, reading, look } },
  ])
  return explainMoment(moment!, pack, timeline, [])
}

/** A recording up to a time; read event by event, so that it does not block the process. */
export async function explainRecording(
  events: AsyncIterable<ReplayEvent> | Iterable<ReplayEvent>,
  options: { pack: Pack; cols: number; rows: number; at: number | null; settings?: SupervisorSettings },
): Promise<Explanation> {
  const replay = new SessionReplay(options)
  for await (const event of events) {
    if (options.at !== null && event.t > options.at) break
    replay.apply(event)
  }
  const { moment } = replay.at(options.at ?? replay.t)
  return explainMoment(moment, options.pack, replay.timeline, replay.history)
}
