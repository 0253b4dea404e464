import type { Awaiting, Observation, TerminalView } from '../screen/index.js'
import { AUTHORITIES, type Authority, type Claim, type Evidence } from './evidence.js'

/*
 * What the evidence adds up to. The highest report that has not expired wins; lower ones that disagree are kept as contradictions. Hooks
 * and the transcript are of one rank: the newer of the two speaks. When nothing is left, the last claim stands and ages: idle is never a
 * default.
 *
 * A report is replaced by the next of its authority, never by an older one: a transcript is read late. Some reports expire under a
 * condition, which is not the same as being overruled:
 *   - a *working* that was reported from outside lapses when a live menu younger than the report has stood for a second (the program forgot
 *     to say that it asks);
 *   - a *working* or *blocked* lapses when our own interrupt was followed by an end (no program reports that reliably);
 *   - a hook's or transcript's *working* lapses 30 s after the last of them while the screen is anchored at rest (no word comes after Esc
 *     or a denial), its *blocked* when the input box has been live for 5 s, its *starting* with the first live input box;
 *   - its *done* (or rest) lapses with the next start: when the screen has shown work for 2 s since. Shorter, it is the last of the old
 *     work still being drawn;
 *   - what the screen said lapses when it has been unreadable for 5 s.
 */
const MENU_STANDS_S = 1
export const TITLE_LAPSE_S = 3
const HOOK_IDLE_S = 30
const BOX_STANDS_S = 5
const WORK_STANDS_S = 2
/** A picture that nobody can read any more says nothing for ever: after this, guesses may speak. */
const UNREADABLE_S = 5

/** A menu so long after the last work was opened by the person. */
const RESTED_S = 3

const REPORTED = ['hook', 'transcript'] as const

/** How much a report of each authority is believed; what the screen shows carries its own figure. */
const CONFIDENCE: Readonly<Record<Authority, number>> = {
  exit: 1,
  osc7501: 0.95,
  hook: 0.95,
  transcript: 0.95,
  shell: 0.95,
  title: 0.95,
  screen: 0.9,
  structure: 0.6,
  silence: 0.5,
}

export interface Reading {
  claim: Claim | null
  authority: Authority | 'none'
  /** The report that won, such as `osc7501/blocked` or `claude/menu.permission`. */
  rule: string
  confidence: number
  since: number
  contradictions: Evidence[]
}

export interface SavedEvidences {
  reports: Evidence[]
  menuSince: number | null
  interruptedAt: number | null
  busySince: number | null
  boxSince: number | null
  unreadSince: number | null
  last: Reading
}

export class Evidences {
  readonly #reports = new Map<Authority, Evidence>()
  #menuSince: number | null = null
  #interruptedAt: number | null = null
  /** Since when the screen has been at work, or has shown a live input box at rest, without a break. */
  #busySince: number | null = null
  #boxSince: number | null = null
  /** Since when no look could be read. */
  #unreadSince: number | null = null
  /** The input box has been seen at rest, without work since. */
  #rested: { since: number; hasDraft: boolean } | null = null
  #wasAsking = false
  #isOpenedByPerson = false
  readonly #isAgent: boolean
  #last: Reading = { claim: null, authority: 'none', rule: 'none', confidence: 0, since: 0, contradictions: [] }

  /** `isAgent`: the pane runs an agent whose screens are known. */
  constructor({ isAgent = false }: { isAgent?: boolean } = {}) {
    this.#isAgent = isAgent
  }

  /** All that a later host needs to read on as this one would. */
  get saved(): SavedEvidences {
    return {
      reports: [...this.#reports.values()],
      menuSince: this.#menuSince,
      interruptedAt: this.#interruptedAt,
      busySince: this.#busySince,
      boxSince: this.#boxSince,
      unreadSince: this.#unreadSince,
      last: this.#last,
    }
  }

  restore(saved: SavedEvidences): void {
    this.#reports.clear()
    for (const evidence of saved.reports) this.#reports.set(evidence.authority, evidence)
    this.#menuSince = saved.menuSince
    this.#interruptedAt = saved.interruptedAt
    this.#busySince = saved.busySince
    this.#boxSince = saved.boxSince
    this.#unreadSince = saved.unreadSince
    this.#last = saved.last
  }

  report(evidence: Evidence): void {
    const before = this.#reports.get(evidence.authority)
    if (before && before.t > evidence.t) return
    this.#reports.set(evidence.authority, evidence)
  }

  withdraw(authority: Authority): void {
    this.#reports.delete(authority)
  }

  /** What the screen shows counts as a report of its own, and lets others lapse. */
  observe(observation: Observation, t: number, isSettled: boolean): void {
    const isMenu = observation.awaiting !== null && observation.view === 'tool_menu'
    const isBox = observation.composer !== null && observation.busy === false && observation.awaiting === null
    this.#menuSince = isMenu ? (this.#menuSince ?? t) : null
    this.#busySince = observation.busy === true ? (this.#busySince ?? t) : null
    this.#boxSince = isBox ? (this.#boxSince ?? t) : null
    this.#followOpened(observation, t)
    if (!isSettled) return
    const claim = this.#isOpenedByPerson ? openedByPerson(claimOf(observation)) : claimOf(observation)
    this.#unreadSince = claim ? null : (this.#unreadSince ?? t)
    const authority: Authority = observation.anchored ? 'screen' : 'structure'
    this.#reports.delete(authority === 'screen' ? 'structure' : 'screen')
    const { rule, confidence } = observation
    if (claim) this.report({ authority, claim, t, expires: null, ref: rule, confidence })
    if (isBox && this.#interruptedAt !== null) this.#lapseWorking(this.#interruptedAt)
  }

  /**
   * A list that no rule knows, and that comes up while the agent rests, is one that the person opened: `/config` was in the box, or the
   * agent had rested for a while. Agents ask at work, or right after their start.
   */
  #followOpened(observation: Observation, t: number): void {
    const { composer, awaiting, busy, anchored } = observation
    if (busy === true) this.#rested = null
    if (busy === false && composer !== null && awaiting === null)
      this.#rested = { since: this.#rested?.since ?? t, hasDraft: !composer.empty }
    if (awaiting === null) this.#isOpenedByPerson = false
    else if (!this.#wasAsking) {
      const isLong = this.#rested !== null && (this.#rested.hasDraft || t - this.#rested.since >= RESTED_S)
      this.#isOpenedByPerson =
        this.#isAgent && !anchored && isLong && this.standing(t).every(({ claim }) => isRest(claim))
    }
    this.#wasAsking = awaiting !== null
  }

  /** The newest report of each authority that still counts. */
  standing(t: number): Evidence[] {
    this.#expire(t)
    return this.#inOrder()
  }

  interrupted(t: number): void {
    this.#interruptedAt = t
  }

  read(t: number): Reading {
    this.#expire(t)
    const [winner, ...others] = this.#inOrder()
    if (!winner) return this.#last
    const contradictions = others.filter(evidence => evidence.claim.is !== winner.claim.is)
    const isSame = this.#last.claim?.is === winner.claim.is && this.#last.authority === winner.authority
    this.#last = {
      claim: winner.claim,
      authority: winner.authority,
      rule: winner.ref,
      confidence: winner.confidence ?? CONFIDENCE[winner.authority],
      since: isSame ? this.#last.since : winner.t,
      contradictions,
    }
    return this.#last
  }

  #expire(t: number): void {
    for (const [authority, evidence] of this.#reports) {
      if (evidence.expires !== null && t >= evidence.expires) this.#reports.delete(authority)
    }
    if (this.#unreadSince !== null && t - this.#unreadSince >= UNREADABLE_S)
      for (const authority of ['screen', 'structure'] as const) this.#reports.delete(authority)
    const menuStands = this.#menuSince !== null && t - this.#menuSince >= MENU_STANDS_S
    for (const authority of ['osc7501', 'hook', 'transcript', 'shell', 'title'] as const) {
      const evidence = this.#reports.get(authority)
      if (menuStands && evidence?.claim.is === 'working' && evidence.t < this.#menuSince!)
        this.#reports.delete(authority)
    }
    for (const authority of REPORTED) {
      const evidence = this.#reports.get(authority)
      if (evidence && this.#hasLapsed(evidence, t)) this.#reports.delete(authority)
    }
  }

  #hasLapsed({ claim, t: reportedAt }: Evidence, t: number): boolean {
    const stands = (since: number | null) => (since === null ? -1 : t - Math.max(since, reportedAt))
    switch (claim.is) {
      case 'starting':
        return this.#boxSince !== null
      case 'working': {
        const last = Math.max(...REPORTED.map(authority => this.#reports.get(authority)?.t ?? 0))
        const isAtRest = this.#boxSince !== null && isRest(this.#reports.get('screen')?.claim)
        return isAtRest && t - last > HOOK_IDLE_S
      }
      case 'blocked':
        return stands(this.#boxSince) >= BOX_STANDS_S
      case 'done':
      case 'idle':
      case 'stopped':
      case 'failed':
        return stands(this.#busySince) >= WORK_STANDS_S
      default:
        return false
    }
  }

  #inOrder(): Evidence[] {
    const [hook, transcript] = REPORTED.map(authority => this.#reports.get(authority))
    const isTranscriptNewer = hook !== undefined && transcript !== undefined && transcript.t > hook.t
    return AUTHORITIES.map(authority => {
      if (isTranscriptNewer && authority === 'hook') return transcript
      if (isTranscriptNewer && authority === 'transcript') return hook
      return this.#reports.get(authority)
    }).filter(evidence => evidence !== undefined)
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

function isRest(claim: Claim | undefined): boolean {
  return claim?.is === 'idle' || claim?.is === 'done' || claim?.is === 'stopped'
}

function openedByPerson(claim: Claim | null): Claim | null {
  return claim?.is === 'blocked' ? { ...claim, awaiting: 'picker' } : claim
}

/** What an observation claims; null when it cannot tell. */
export function claimOf(observation: Observation): Claim | null {
  const { awaiting } = observation
  // A REPL, a debugger, a pager or an editor at its own prompt waits for its user as a shell does: it rests, and calls nobody.
  if (awaiting && awaiting !== 'exit_confirm' && observation.view !== 'idle_prompt') return { is: 'blocked', awaiting }
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
