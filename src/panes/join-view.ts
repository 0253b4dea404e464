import type { Awaiting, Observation, TerminalView } from '../screen/index.js'
import type { Reading } from './reading.js'

/**
 * Combines the view of a frame with the winning report: the report's claim, and the view closest to
 * it.
 */
export function joinView(
  observation: Observation,
  reading: Reading,
  atWork: { view: TerminalView; payload: unknown },
): { view: TerminalView; payload: unknown; busy: boolean | null; awaiting: Awaiting | null } {
  const own = {
    view: observation.view,
    payload: observation.payload,
    busy: observation.busy,
    awaiting: observation.awaiting,
  }
  if (!reading.claim || !['osc7501', 'hook', 'transcript', 'shell', 'title'].includes(reading.authority)) return own
  const isRecognised = observation.view === 'unknown' && (observation as Observation<'unknown'>).payload.recognised
  switch (reading.claim.is) {
    case 'working':
      if (observation.busy === true || observation.view === 'startup' || isRecognised)
        return { ...own, busy: own.busy ?? true }
      // A menu that the person opened, or that the report does not cover yet, is still on the
      // screen.
      if (observation.awaiting !== null) return own
      if (reading.authority === 'shell') return joinShell(observation)
      return { view: atWork.view, payload: atWork.payload, busy: true, awaiting: null }
    case 'blocked':
      if (observation.awaiting !== null) return own
      if (observation.view === 'auth_required') return { ...own, awaiting: reading.claim.awaiting }
      return { view: 'tool_menu', payload: { menu: null }, busy: false, awaiting: reading.claim.awaiting }
    case 'idle':
    case 'done':
    case 'failed':
      if (reading.claim.is === 'failed' && reading.authority !== 'shell') return own
      if (observation.busy === false || isRecognised) return own
      if (observation.view === 'unknown' || observation.view === 'startup') return own
      return { view: 'idle_prompt', payload: { fresh: false, prompt: 'agent' }, busy: false, awaiting: null }
    default:
      return own
  }
}

/**
 * A command runs: a REPL, pager or editor inside it that waits for its user is what is shown; a
 * look-alike of the shell's own prompt is not.
 */
function joinShell(observation: Observation): {
  view: TerminalView
  payload: unknown
  busy: boolean | null
  awaiting: Awaiting | null
} {
  const isInside =
    observation.view === 'idle_prompt' && (observation as Observation<'idle_prompt'>).payload.prompt !== 'shell'
  if (isInside) return { view: observation.view, payload: observation.payload, busy: observation.busy, awaiting: null }
  return {
    view: 'tool_running',
    payload: { tool: { name: 'Shell', kind: 'shell', summary: '' } },
    busy: true,
    awaiting: null,
  }
}
