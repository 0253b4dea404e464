import type { AgentReport } from '../agents/index.js'
import type { Observation, Pack } from '../screen/index.js'
import {
  type EmulatorOptions,
  INITIAL_SHELL_STATE,
  reduceShellMark,
  type ShellMark,
  type ShellState,
  type Evidence as TerminalEvidence,
} from '../terminal/index.js'
import type { Claim, Evidence } from './evidence.js'
import { joinView } from './join-view.js'
import type { TerminalWitness } from './menu-witness.js'
import { type Look, PaneScreen, type PaneScreenState } from './pane-screen.js'
import { Evidences, type Reading, type SavedEvidences, TITLE_LAPSE_S } from './reading.js'
import { reportEffect } from './report-evidence.js'
import { statusClaim } from './status-evidence.js'
import { titleClaim } from './title-evidence.js'

/** What a pane is now, as far as its bytes tell: the newest frame joined with the winning report. */
export interface PaneState {
  t: number
  view: Observation['view']
  payload: unknown
  busy: boolean | null
  awaiting: Observation['awaiting']
  isSettled: boolean
  reading: Reading
  look: Look | null
}

export type PaneStep =
  | { type: 'reply'; bytes: Uint8Array }
  /** `state`: what the pane was at this very look, before anything that came after it. */
  | { type: 'look'; look: Look; state: PaneState }
  | { type: 'evidence'; evidence: Evidence }

export interface SavedPane {
  evidences: SavedEvidences
  shell: ShellState
}

/** A terminal's bytes turned into looks and reports, and both into one reading. Time is data. */
export class Pane {
  readonly screen: PaneScreen
  readonly #pack: Pack
  readonly #evidences: Evidences
  #time = 0
  /** When keys last went to the program, as far as that is known. */
  inputAt: number | null = null
  #shell: ShellState = INITIAL_SHELL_STATE
  /** Somebody can see whether the program reads its terminal. */
  set isWitnessed(isWitnessed: boolean) {
    this.#evidences.witness.isPresent = isWitnessed
  }

  /** Off: what programs say of themselves by OSC 7501 is no evidence. */
  hearsStatus = true

  /** Over a screen of its own, or over one that somebody else feeds: then its outputs are passed to `take`. */
  constructor(pack: Pack, options: EmulatorOptions | PaneScreen, restored?: PaneScreenState) {
    this.#pack = pack
    this.#evidences = new Evidences({ isAgent: pack.agent !== 'generic' })
    this.screen = options instanceof PaneScreen ? options : new PaneScreen(pack, options, restored)
  }

  feed(bytes: Uint8Array, t: number, options: { live: boolean }): PaneStep[] {
    return this.take(this.screen.feed(bytes, t, options), t)
  }

  tick(t: number): PaneStep[] {
    return this.take(this.screen.tick(t), t)
  }

  resize(cols: number, rows: number, t: number): PaneStep[] {
    return this.take(this.screen.resize(cols, rows, t), t)
  }

  /** Ends the open frame, for a question about this very moment. */
  force(t: number): PaneStep[] {
    return this.take(this.screen.force(t), t)
  }

  report(evidence: Evidence): void {
    this.#evidences.report(evidence)
  }

  /** What was reported so far, for a later host. */
  get saved(): SavedPane {
    return { evidences: this.#evidences.saved, shell: this.#shell }
  }

  restore({ evidences, shell }: SavedPane): void {
    this.#evidences.restore(evidences)
    this.#shell = shell
  }

  /** Reports that still count, from the highest to the lowest. */
  standing(t: number): Evidence[] {
    return this.#evidences.standing(t)
  }

  get pack(): Pack {
    return this.#pack
  }

  /** What the agent says beside its screen; `t` is when it said so. */
  hear(report: AgentReport, t: number): PaneStep[] {
    const effect = reportEffect(report, t)
    if (!effect) return []
    if ('withdraw' in effect) {
      this.#evidences.withdraw(effect.withdraw)
      return []
    }
    this.#evidences.report(effect.evidence)
    return [{ type: 'evidence', evidence: effect.evidence }]
  }

  noteInput(t: number, bytes: Uint8Array): void {
    this.screen.noteInput(t)
    this.inputAt = t
    const isInterrupt = bytes.length === 1 && (bytes[0] === 0x1b || bytes[0] === 0x03)
    if (isInterrupt) this.#evidences.interrupted(t)
  }

  exited(exit: { code: number | null; signal: string | null }, t: number): void {
    this.#evidences.report({ authority: 'exit', claim: { is: 'exited', ...exit }, t, expires: null, ref: 'exit' })
  }

  /** Whoever can see the program is to be asked now whether it reads its terminal. */
  isWitnessDue(t: number): boolean {
    return this.#evidences.isMenuOverCommand && this.#evidences.witness.isDue(t)
  }

  hearWitness(witness: TerminalWitness): void {
    this.#evidences.witness.hear(witness)
  }

  /** When a menu over a shell's command will have stood for long enough. */
  witnessDeadline(): number | null {
    return this.#evidences.isMenuOverCommand ? this.#evidences.witness.nextDeadline() : null
  }

  nextDeadline(): number | null {
    return this.screen.nextDeadline()
  }

  state(t: number): PaneState {
    return this.#stateOf(this.screen.last, t)
  }

  #stateOf(look: Look | null, t: number): PaneState {
    const reading = this.#evidences.read(t)
    if (reading.claim?.is === 'exited') {
      const { code, signal } = reading.claim
      return {
        t,
        view: 'unknown',
        payload: { exit: { code, signal } },
        busy: null,
        awaiting: null,
        isSettled: true,
        reading,
        look,
      }
    }
    if (!look)
      return {
        t,
        view: 'unknown',
        payload: { recognised: false },
        busy: null,
        awaiting: null,
        isSettled: false,
        reading,
        look,
      }
    return { t, ...joinView(look.observation, reading, look.atWork), isSettled: look.isSettled, reading, look }
  }

  take(outputs: ReturnType<PaneScreen['feed']>, t: number): PaneStep[] {
    this.#time = Math.max(this.#time, t)
    const steps: PaneStep[] = []
    for (const output of outputs) {
      if (output.type === 'reply') steps.push(output)
      else if (output.type === 'look') {
        this.#evidences.observe(output.look.observation, output.look.t, output.look.isBelieved)
        steps.push({ ...output, state: this.#stateOf(output.look, output.look.t) })
      } else {
        const evidence = this.#evidenceOf(output.evidence, output.t)
        if (evidence === 'withdraw-status') this.#evidences.withdraw('osc7501')
        else if (evidence) {
          this.#evidences.report(evidence)
          steps.push({ type: 'evidence', evidence })
        }
      }
    }
    return steps
  }

  /** Marks of a shell. Agents mark their own messages with the same codes: only where no agent is known are they believed. */
  #shellMark(mark: ShellMark, t: number): Evidence | null {
    const { state, signals } = reduceShellMark(this.#shell, mark, null)
    this.#shell = state
    const signal = signals.at(-1)
    if (!signal) return null
    const claim: Claim =
      signal.name === 'command-start'
        ? { is: 'working' }
        : signal.name === 'prompt'
          ? { is: 'idle' }
          : endClaim(signal.exit)
    return { authority: 'shell', claim, t, expires: null, ref: `shell/${signal.name}` }
  }

  #evidenceOf(evidence: TerminalEvidence, t: number): Evidence | 'withdraw-status' | null {
    if (evidence.kind === 'status') {
      if (!this.hearsStatus) return null
      const claim = statusClaim(evidence.aggregate)
      if (!claim) return 'withdraw-status'
      return { authority: 'osc7501', claim, t, expires: null, ref: `osc7501/${evidence.aggregate!.state}` }
    }
    if (evidence.kind === 'shell-mark' && this.#pack.agent === 'generic') return this.#shellMark(evidence.mark, t)
    if (evidence.kind === 'title') {
      const found = titleClaim(evidence.title, this.#pack)
      if (found)
        return {
          authority: 'title',
          claim: found.claim,
          t,
          expires: found.claim.is === 'working' ? t + TITLE_LAPSE_S : null,
          ref: found.ref,
        }
      this.#evidences.withdraw('title')
    }
    return null
  }
}

function endClaim(exit: number | null): Claim {
  return exit === null || exit === 0 ? { is: 'done', exit } : { is: 'failed', reason: `exit ${exit}`, exit }
}
