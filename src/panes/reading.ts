import type { Observation } from '../screen/index.js'
import { claimOf } from './claims.js'
import { AUTHORITIES, type Authority, type Claim, type Evidence } from './evidence.js'
import { MENU_STABLE_S, TerminalReadCheck } from './terminal-read-check.js'

/*
 * Combines the evidence. The highest report that has not expired wins; lower ones that disagree are
 * kept as contradictions. Hooks and the transcript have the same rank: the newer of the two counts.
 * If nothing is left, the last claim stays and ages: idle is never a default.
 *
 * A report is replaced by the next of its authority, never by an older one: a transcript is read
 * late. Some reports expire under a condition, which is not the same as being overruled:
 * - a *working* that was reported from outside lapses when a live menu younger than the report has
 *   been there for a second (the program did not report that it asks). A *working*
 *   of the shell is suspended only while the menu is on screen, because its command has not ended;
 *   where terminal reads can be checked, only if the program reads its terminal
 *   (`TerminalReadCheck`);
 * - a *working* or *blocked* lapses when our own interrupt was followed by an end (no program
 *   reports that reliably);
 * - a hook's or transcript's *working* lapses 30 s after their last report while the screen is
 *   anchored and idle (nothing is reported after Esc or a denial), its *blocked* when the input box
 *   has been live for 5 s, its *starting* with the first live input box;
 * - its *done* (or *idle*) lapses with the next start: when the screen has shown work for 2 s
 *   since. Shorter work is the end of the old work still being drawn;
 * - a program's own *working* or *blocked* (OSC 7501) ends with the program: at its exit, at the
 *   shell's next prompt, or when the shell owns the terminal again;
 * - that a program is in the foreground ends with the program;
 * - what the screen said lapses when it has been unreadable for 5 s; a question without a rule
 *   lapses at once.
 */
export const TITLE_LAPSE_S = 3
const HOOK_IDLE_S = 30
const BOX_STABLE_S = 5
const WORK_STABLE_S = 2
/** A screen that can no longer be read does not count forever: after this, guesses may count. */
const UNREADABLE_S = 5

/** A menu this long after the last work was opened by the person. */
const IDLE_LONG_S = 3

const REPORTED = ['hook', 'transcript'] as const

/** The confidence of a report of each authority; the screen has its own figure. */
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

export interface SavedEvidence {
  reports: Evidence[]
  menuSince: number | null
  interruptedAt: number | null
  busySince: number | null
  boxSince: number | null
  unreadSince: number | null
  last: Reading
}

export class EvidenceSet {
  readonly #reports = new Map<Authority, Evidence>()
  #menuSince: number | null = null
  #interruptedAt: number | null = null
  /** Since when the screen has shown work, or a live and idle input box, without a break. */
  #busySince: number | null = null
  #boxSince: number | null = null
  /** Since when no look could be read. */
  #unreadSince: number | null = null
  /** The input box has been seen idle, without work since. */
  #idle: { since: number; hasDraft: boolean } | null = null
  #wasAsking = false
  #isOpenedByPerson = false
  /** The heuristics read the program: a missing prompt is not evidence of work. */
  #isLeftToHeuristics = false
  readonly #isAgent: boolean
  /** Whether the program behind the menu reads its terminal. */
  readonly readCheck = new TerminalReadCheck()
  #last: Reading = { claim: null, authority: 'none', rule: 'none', confidence: 0, since: 0, contradictions: [] }

  /** `isAgent`: the pane runs an agent whose screens are known. */
  constructor({ isAgent = false }: { isAgent?: boolean } = {}) {
    this.#isAgent = isAgent
  }

  /** Everything that a later host needs to continue reading like this one. */
  get saved(): SavedEvidence {
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

  restore(saved: SavedEvidence): void {
    this.#reports.clear()
    for (const evidence of saved.reports) this.#reports.set(evidence.authority, evidence)
    this.#menuSince = saved.menuSince
    this.#interruptedAt = saved.interruptedAt
    this.#busySince = saved.busySince
    this.#boxSince = saved.boxSince
    this.#unreadSince = saved.unreadSince
    this.#last = saved.last
    this.readCheck.follow(saved.menuSince)
  }

  /** A menu on the screen would count instead of the shell, whose command has not ended. */
  get isMenuOverCommand(): boolean {
    return this.#menuSince !== null && appearedAfter(this.#menuSince, this.#reports.get('shell'))
  }

  report(evidence: Evidence): void {
    const before = this.#reports.get(evidence.authority)
    if (before && before.t > evidence.t) return
    this.#reports.set(evidence.authority, evidence)
  }

  withdraw(authority: Authority): void {
    this.#reports.delete(authority)
  }

  programChanged(): void {
    this.#isLeftToHeuristics = false
    if (isOfProcess(this.#reports.get('structure'))) this.#reports.delete('structure')
  }

  endProgram(): void {
    const is = this.#reports.get('osc7501')?.claim.is
    if (is === 'working' || is === 'blocked') this.#reports.delete('osc7501')
  }

  leaveToHeuristics(): void {
    this.#isLeftToHeuristics = true
    if (isMissingPrompt(this.#reports.get('structure')?.ref)) this.#reports.delete('structure')
  }

  /** The screen counts as a report of its own, and lets others lapse. */
  observe(observation: Observation, t: number, isSettled: boolean): void {
    const isMenu = observation.awaiting !== null && observation.view === 'tool_menu'
    const isBox = observation.composer !== null && observation.busy === false && observation.awaiting === null
    this.#menuSince = isMenu ? (this.#menuSince ?? t) : null
    this.readCheck.follow(this.#menuSince)
    this.#busySince = observation.busy === true ? (this.#busySince ?? t) : null
    this.#boxSince = isBox ? (this.#boxSince ?? t) : null
    this.#followOpened(observation, t)
    if (!isSettled) return
    if (this.#isLeftToHeuristics && isMissingPrompt(observation.rule)) return
    const claim = this.#isOpenedByPerson ? openedByPerson(claimOf(observation)) : claimOf(observation)
    if (claim) this.#isLeftToHeuristics = false
    this.#unreadSince = claim ? null : (this.#unreadSince ?? t)
    const authority: Authority = observation.anchored ? 'screen' : 'structure'
    this.#reports.delete(authority === 'screen' ? 'structure' : 'screen')
    const { rule, confidence } = observation
    // A question that only its structure proved is over when it is no longer on the screen.
    if (!claim && this.#reports.get('structure')?.claim.is === 'blocked') this.#reports.delete('structure')
    if (claim) this.report({ authority, claim, t, expires: null, ref: rule, confidence })
    if (isBox && this.#interruptedAt !== null) this.#lapseWorking(this.#interruptedAt)
  }

  /**
   * A list without a rule that appears while the agent is idle was opened by the person:
   * `/config` was in the box, or the agent had been idle for a while. Agents ask at work, or
   * right after their start.
   */
  #followOpened(observation: Observation, t: number): void {
    const { composer, awaiting, busy, anchored } = observation
    if (busy === true) this.#idle = null
    if (busy === false && composer !== null && awaiting === null)
      this.#idle = { since: this.#idle?.since ?? t, hasDraft: !composer.empty }
    if (awaiting === null) this.#isOpenedByPerson = false
    else if (!this.#wasAsking) {
      const isLong = this.#idle !== null && (this.#idle.hasDraft || t - this.#idle.since >= IDLE_LONG_S)
      this.#isOpenedByPerson =
        this.#isAgent && !anchored && isLong && this.unexpired(t).every(({ claim }) => isIdle(claim))
    }
    this.#wasAsking = awaiting !== null
  }

  /** The newest report of each authority that still counts. */
  unexpired(t: number): Evidence[] {
    this.#expire(t)
    return this.#inOrder(t)
  }

  interrupted(t: number): void {
    this.#interruptedAt = t
  }

  read(t: number): Reading {
    this.#expire(t)
    const [winner, ...others] = this.#inOrder(t)
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
      for (const authority of ['screen', 'structure'] as const)
        if (!isOfProcess(this.#reports.get(authority))) this.#reports.delete(authority)
    const isMenuStable = this.#menuSince !== null && t - this.#menuSince >= MENU_STABLE_S
    for (const authority of ['osc7501', 'hook', 'transcript', 'title'] as const)
      if (isMenuStable && appearedAfter(this.#menuSince!, this.#reports.get(authority))) this.#reports.delete(authority)
    for (const authority of REPORTED) {
      const evidence = this.#reports.get(authority)
      if (evidence && this.#hasLapsed(evidence, t)) this.#reports.delete(authority)
    }
  }

  #hasLapsed({ claim, t: reportedAt }: Evidence, t: number): boolean {
    const secondsSince = (since: number | null) => (since === null ? -1 : t - Math.max(since, reportedAt))
    switch (claim.is) {
      case 'starting':
        return this.#boxSince !== null
      case 'working': {
        const last = Math.max(...REPORTED.map(authority => this.#reports.get(authority)?.t ?? 0))
        const isScreenIdle = this.#boxSince !== null && isIdle(this.#reports.get('screen')?.claim)
        return isScreenIdle && t - last > HOOK_IDLE_S
      }
      case 'blocked':
        return secondsSince(this.#boxSince) >= BOX_STABLE_S
      case 'done':
      case 'idle':
      case 'stopped':
      case 'failed':
        return secondsSince(this.#busySince) >= WORK_STABLE_S
      default:
        return false
    }
  }

  #inOrder(t: number): Evidence[] {
    const isYielding = this.isMenuOverCommand && this.readCheck.menuCounts(t)
    const [hook, transcript] = REPORTED.map(authority => this.#reports.get(authority))
    const isTranscriptNewer = hook !== undefined && transcript !== undefined && transcript.t > hook.t
    return AUTHORITIES.map(authority => {
      if (authority === 'shell' && isYielding) return undefined
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

/** A menu that appeared after the report of work. */
function appearedAfter(menuSince: number, report: Evidence | undefined): boolean {
  return report?.claim.is === 'working' && report.t < menuSince
}

/**
 * Reported because the program is there, not from the screen: only what the screen shows replaces
 * it.
 */
function isOfProcess(report: Evidence | undefined): boolean {
  return report?.ref.startsWith('process/') === true
}

/** The shell's known prompt is not at the cursor; nothing else is known. */
export function isMissingPrompt(rule: string | undefined): boolean {
  return rule === 'generic/shell-running'
}

function isIdle(claim: Claim | undefined): boolean {
  return claim?.is === 'idle' || claim?.is === 'done' || claim?.is === 'stopped'
}

function openedByPerson(claim: Claim | null): Claim | null {
  return claim?.is === 'blocked' ? { ...claim, awaiting: 'picker' } : claim
}
