import type { TerminalView } from '../screen/index.js'
import type { RecordingEvent } from '../terminal/recording/index.js'
import type { DatedStatement } from './any-transcript.js'
import type { TaughtMoment } from './recordings.js'

/*
 * The expected view of the screen, derived from the agent's transcript. A record is written when
 * something is over: an answer when it is complete, a result when the tool has ended. So the time
 * before it shows the work itself. Times of files and of terminals differ a little: moments near a
 * record are left out.
 */
const WORKING: TerminalView[] = ['thinking', 'user_message', 'response_content']
const RUNNING: TerminalView[] = ['tool_running', 'tool_menu']
const RESULT: TerminalView[] = ['tool_result', 'tool_running', 'thinking']
const IDLE: TerminalView[] = ['idle_prompt', 'background_task']

/** A shorter time between two records teaches nothing. */
const GAP_MIN_S = 0.6
/** An agent is idle if it wrote nothing for this long after its answer. */
const IDLE_S = 2

/** A model needs longer than this for its first words, mostly. */
const FIRST_WORDS_MIN_S = 0.8

/** The moments that a transcript teaches; `also` are further times to judge (milliseconds). */
export function momentsOf(
  statements: readonly DatedStatement[],
  recording: { startedAt: number | null; events: readonly RecordingEvent[]; also?: readonly number[] },
): TaughtMoment[] {
  const start = startOf(statements, recording)
  if (start === null) return []
  const endsAt = recording.events.at(-1)?.t ?? 0
  const also = (recording.also ?? []).map(at => (at - start) / 1000)
  const main = statements.filter(
    ({ subAgent, kind }) => subAgent === undefined && kind !== 'usage' && kind !== 'session',
  )
  return main.flatMap((statement, index): TaughtMoment[] => {
    const from = (statement.at - start) / 1000
    const to = index + 1 < main.length ? (main[index + 1]!.at - start) / 1000 : endsAt
    const found = viewsAfter(statement, main[index + 1])
    const isIdle = found === IDLE
    if (!found || from < 0 || to > endsAt + 1 || to - from < (isIdle ? IDLE_S : GAP_MIN_S)) return []
    // The next answer may already be on the screen before the transcript has it.
    const early = from + Math.min((to - from) / 3, FIRST_WORDS_MIN_S)
    const own = isIdle ? [from + IDLE_S / 2] : found === RUNNING ? [early, from + (2 * (to - from)) / 3] : [early]
    const times = [...own, ...also.filter(t => t > from + GAP_MIN_S / 2 && t < to - GAP_MIN_S / 2)]
    return times.map(t => ({ t, views: new Set(found), needsYou: isIdle ? false : null, from: 'transcript' }))
  })
}

/** The views between a statement and the next one; null where the transcript does not tell. */
function viewsAfter(statement: DatedStatement, next: DatedStatement | undefined): TerminalView[] | null {
  switch (statement.kind) {
    case 'prompt':
      return next && next.kind !== 'prompt' ? WORKING : null
    case 'tool':
      if (statement.state === 'started') return next?.kind === 'tool' && next.state !== 'started' ? RUNNING : null
      return next && next.kind !== 'prompt' ? RESULT : null
    case 'request':
      return ['tool_menu']
    case 'said':
      return next === undefined || next.kind === 'prompt' ? IDLE : null
    case 'turn-ended':
      return statement.outcome === 'done' ? IDLE : null
    default:
      return null
  }
}

/**
 * When the recording started, in the clock of the transcript. The first prompt is in both: in the
 * recording, Enter follows its text. The header of a recording has whole seconds only.
 */
function startOf(
  statements: readonly DatedStatement[],
  { startedAt, events }: { startedAt: number | null; events: readonly RecordingEvent[] },
): number | null {
  const prompt = statements.find(({ kind }) => kind === 'prompt')
  const sent = prompt?.kind === 'prompt' ? sentAt(prompt.text, events) : null
  if (prompt && sent !== null) return prompt.at - sent * 1000
  return startedAt === null ? null : startedAt * 1000
}

function sentAt(text: string, events: readonly RecordingEvent[]): number | null {
  const wanted = squeeze(text).slice(0, 40)
  let typed = ''
  for (const event of events) {
    if (event.kind !== 'input') continue
    const keys = Buffer.from(event.bytes).toString('utf8')
    typed = (typed + squeeze(keys)).slice(-4096)
    if (/[\r\n]$/.test(keys) && wanted !== '' && typed.includes(wanted)) return event.t
  }
  return null
}

function squeeze(text: string): string {
  return text.replace(/\u001b\[[\d;?]*[~A-Za-z]|[\s\u0000-\u001f]/gu, '')
}
