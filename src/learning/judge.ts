import { type PaneState, Replay } from '../panes/index.js'
import type { Pack } from '../screen/index.js'
import { isForPerson } from './labels.js'
import type { TaughtMoment, TaughtRecording } from './recordings.js'

/** One moment as a pack reads it. */
export interface JudgedMoment {
  moment: TaughtMoment
  state: PaneState
  isRight: boolean
}

export interface JudgedRecording {
  recording: TaughtRecording
  moments: JudgedMoment[]
  /** Every text that a row had: a pattern that matches none of them changes nothing. */
  texts: ReadonlySet<string>
}

/** Reads a recording with a pack and compares every moment with what is known about it. */
export function judge(recording: TaughtRecording, pack: Pack): JudgedRecording {
  const replay = new Replay({ pack, cols: recording.cols, rows: recording.rows })
  const texts = new Set<string>()
  const moments: JudgedMoment[] = []
  const waiting = [...recording.moments]
  const see = (steps: ReturnType<Replay['apply']>) => {
    for (const step of steps)
      if (step.type === 'look')
        step.look.frame.lines.forEach((row, index) => {
          texts.add(step.look.outline.texts[index] ?? row.text)
        })
  }
  const readUntil = (end: number) => {
    while (waiting.length > 0 && waiting[0]!.t < end) {
      const moment = waiting.shift()!
      see(replay.endFrame(moment.t))
      const state = replay.pane.state(moment.t)
      moments.push({ moment, state, isRight: isRight(moment, state) })
    }
  }
  for (const event of recording.events) {
    readUntil(event.t)
    see(replay.apply(event))
  }
  readUntil(Number.POSITIVE_INFINITY)
  return { recording, moments, texts }
}

function isRight({ views, needsYou }: TaughtMoment, { view, awaiting }: PaneState): boolean {
  const isWaiting = isForPerson(awaiting) || view === 'auth_required'
  return views.has(view) && (needsYou === null || needsYou === isWaiting)
}

export function countRight(judged: readonly JudgedRecording[]): { right: number; all: number } {
  const moments = judged.flatMap(recording => recording.moments)
  return { right: moments.filter(moment => moment.isRight).length, all: moments.length }
}

/** How a pack reads recordings, in figures, and where it is wrong. */
export function judgeAll(recordings: readonly TaughtRecording[], pack: Pack) {
  const sum = { all: 0, views: 0, missedWaits: 0, falseWaits: 0, wrong: [] as string[] }
  for (const recording of recordings)
    for (const { moment, state } of judge(recording, pack).moments) {
      sum.all++
      const isView = moment.views.has(state.view)
      if (isView) sum.views++
      else sum.wrong.push(`${recording.name} ${moment.t}: ${state.view}, not ${[...moment.views].join(' or ')}`)
      const isWaiting = isForPerson(state.awaiting) || state.view === 'auth_required'
      if (moment.needsYou !== null && isWaiting !== moment.needsYou) sum[isWaiting ? 'falseWaits' : 'missedWaits']++
    }
  return sum
}
