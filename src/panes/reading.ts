import type { Awaiting, Observation, TerminalView } from '../screen/index.js'
import { AUTHORITIES, type Authority, type Claim, type Evidence } from './evidence.js'

/*
 * What the evidence adds up to. The highest report that has not expired wins; lower ones that disagree are kept as contradictions. When
 * nothing is left, the last claim stands and ages: idle is never a default.
 *
 * A report is replaced by the next of its authority. Some expire under a condition, which is not the same as being overruled: a *working*
 * that was reported from outside lapses when a live menu younger than the report has stood for a second (the program forgot to say that it
 * asks), and a *working* or *blocked* lapses when our own interrupt was followed by an end (no program reports that reliably).
 */
const MENU_STANDS_S = 1
export const TITLE_LAPSE_S = 3
const HOOK_IDLE_S = 30

export interface Reading {
  claim: Claim | null
  authority: Authority | 'none'
  /** The report that won, such as `osc7501/blocked` or `claude/menu.permission`. */
  rule: string
  confidence: number
  since: number
  contradictions: Evidence[]
}

export class Evidences {
  readonly #reports = new Map<Authority, Evidence>()
  #menuSince: number | null = null
  #interruptedAt: number | null = null
  #last: Reading = { claim: null, authority: 'none', rule: 'none', confidence: 0, since: 0, contradictions: [] }

  report(evidence: Evidence): void {
    this.#reports.set(evidence.authority, evidence)
  }

  withdraw(authority: Authority): void {
    this.#reports.delete(authority)
  }

  /** What the screen shows counts as a report of its own, and lets others lapse. */
  observe(observation: Observation, t: number, isSettled: boolean): void {
    const isMenu = observation.awaiting !== null && observation.view === 'tool_menu'
    this.#menuSince = isMenu ? (this.#menuSince ?? t) : null
    if (!isSettled) return
    const claim = claimOf(observation)
    const authority: Authority = observation.anchored ? 'screen' : 'structure'
    this.#reports.delete(authority === 'screen' ? 'structure' : 'screen')
    if (claim) this.report({ authority, claim, t, expires: null, ref: observation.rule })
    const isEnd = observation.composer !== null && observation.busy === false && observation.awaiting === null
    if (isEnd && this.#interruptedAt !== null) this.#lapseWorking(this.#interruptedAt)
  }

  interrupted(t: number): void {
    this.#interruptedAt = t
  }

  read(t: number): Reading {
    this.#expire(t)
    const order = AUTHORITIES.map(authority => this.#reports.get(authority)).filter(evidence => evidence !== undefined)
    const [winner, ...others] = order
    if (!winner) return this.#last
    const contradictions = others.filter(evidence => evidence.claim.is !== winner.claim.is)
    const isSame = this.#last.claim?.is === winner.claim.is && this.#last.authority === winner.authority
    this.#last = {
      claim: winner.claim,
      authority: winner.authority,
      rule: winner.ref,
      confidence: 0.95,
      since: isSame ? this.#last.since : winner.t,
      contradictions,
    }
    return this.#last
  }

  #expire(t: number): void {
    for (const [authority, evidence] of this.#reports) {
      if (evidence.expires !== null && t >= evidence.expires) this.#reports.delete(authority)
    }
    const menuStands = this.#menuSince !== null && t - this.#menuSince >= MENU_STANDS_S
    for (const authority of ['osc7501', 'hook', 'transcript', 'shell', 'title'] as const) {
      const evidence = this.#reports.get(authority)
      if (menuStands && evidence?.claim.is === 'working' && evidence.t < this.#menuSince!)
        this.#reports.delete(authority)
    }
    const hook = this.#reports.get('hook')
    const screen = this.#reports.get('screen')
    if (hook?.claim.is === 'working' && screen?.claim.is === 'idle' && t - hook.t > HOOK_IDLE_S)
      this.#reports.delete('hook')
  }

  #lapseWorking(before: number): void {
    for (const [authority, evidence] of this.#reports) {
      const isLapsing = evidence.claim.is === 'working' || evidence.claim.is === 'blocked'
      if (isLapsing && evidence.t <= before && authority !== 'screen' && authority !== 'structure')
        this.#reports.delete(authority)
    }
    this.#interruptedAt = null
  }
}

/** What an observation claims; null when it cannot tell. */
export function claimOf(observation: Observation): Claim | null {
  if (observation.awaiting && observation.awaiting !== 'exit_confirm')
    return { is: 'blocked', awaiting: observation.awaiting }
  switch (observation.view) {
    case 'startup':
      return { is: 'starting' }
    case 'unknown':
      return null
    case 'auth_required':
      return { is: 'blocked', awaiting: 'auth' }
    case 'error':
      return { is: 'failed', reason: (observation as Observation<'error'>).payload.message }
    case 'background_task':
      return { is: 'done', background: (observation as Observation<'background_task'>).payload.count }
    case 'idle_prompt': {
      const { fresh, lastTurn } = (observation as Observation<'idle_prompt'>).payload
      if (lastTurn === 'interrupted' || lastTurn === 'denied') return { is: 'stopped', by: lastTurn }
      if (lastTurn === 'done') return { is: 'done' }
      return { is: 'idle', fresh }
    }
    default:
      return observation.busy === null ? { is: 'working' } : observation.busy ? { is: 'working' } : null
  }
}

/** The view of a frame joined with the winning report: the report's truth, and the view nearest to it. */
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
      // A menu that the person opened, or that the report does not know of yet, is on screen all the same.
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

/** A command runs: a REPL, pager or editor inside it that waits for its user is what shows; a look-alike of the shell's own prompt is not. */
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
