import type { AgentReport } from '../agents/index.js'
import type { Awaiting, Observation, Pack, TerminalView } from '../screen/index.js'
import {
  aggregateStatus,
  type EmulatorOptions,
  INITIAL_SHELL_STATE,
  openRecords,
  type ProgramStatus,
  reduceShellMark,
  type ShellMark,
  type ShellState,
  type TerminalEvidence,
} from '../terminal/index.js'
import { statusClaim, titleClaim } from './claims.js'
import type { Claim, Evidence } from './evidence.js'
import { type Look, PaneScreen, type PaneScreenState } from './pane-screen.js'
import { EvidenceSet, type Reading, type SavedEvidence, TITLE_LAPSE_S } from './reading.js'
import { reportEffect } from './report-evidence.js'
import type { ScreenView } from './screen-view.js'
import type { TerminalReadResult } from './terminal-read-check.js'

/** The state of a pane: the newest frame combined with the winning report. */
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
  /** `state`: the pane at this look, before anything that came after it. */
  | { type: 'look'; look: Look; state: PaneState }
  | { type: 'evidence'; evidence: Evidence }

export interface SavedPane {
  evidence: SavedEvidence
  shell: ShellState
  endedRecords: readonly string[]
}

/** Turns a terminal's bytes into looks and reports, and both into one reading. Time is data. */
export class Pane {
  readonly screen: ScreenView
  readonly #own: PaneScreen | null
  readonly #pack: Pack
  readonly #evidence: EvidenceSet
  #time = 0
  /** When keys last went to the program, if known. */
  inputAt: number | null = null
  #shell: ShellState = INITIAL_SHELL_STATE
  /** The newest mark was the end of a command. */
  #hasEnded = false
  /** The program marks its messages as a shell marks its commands. */
  #marksMessages = false
  /** What programs have reported about themselves (OSC 7501), and what of it ended with them. */
  #programStatus: ProgramStatus
  #endedRecords: readonly string[] = []
  /** Whether the owner can check if the program reads its terminal. */
  set canCheckReads(canCheckReads: boolean) {
    this.#evidence.readCheck.canCheck = canCheckReads
  }

  /** Off: OSC 7501 status reports of programs are not evidence. */
  usesStatusReports = true

  /**
   * With a screen of its own, or with one that another part feeds: then its outputs are passed to
   * `take`.
   */
  constructor(pack: Pack, options: EmulatorOptions | ScreenView, restored?: PaneScreenState) {
    this.#pack = pack
    this.#evidence = new EvidenceSet({ isAgent: pack.agent !== 'generic' })
    this.#own = 'readRows' in options ? null : new PaneScreen(pack, options, restored)
    this.screen = this.#own ?? (options as ScreenView)
    this.#programStatus = this.screen.programStatus
  }

  /** The screen of a pane that feeds it itself. */
  get ownScreen(): PaneScreen {
    if (!this.#own) throw new Error('this pane has no screen of its own')
    return this.#own
  }

  feed(bytes: Uint8Array, t: number, options: { live: boolean }): PaneStep[] {
    return this.applyOutputs(this.ownScreen.feed(bytes, t, options), t)
  }

  tick(t: number): PaneStep[] {
    return this.applyOutputs(this.ownScreen.tick(t), t)
  }

  resize(cols: number, rows: number, t: number): PaneStep[] {
    return this.applyOutputs(this.ownScreen.resize(cols, rows, t), t)
  }

  /** Ends the open frame, for a query at this moment. */
  endFrame(t: number): PaneStep[] {
    return this.applyOutputs(this.ownScreen.endFrame(t), t)
  }

  report(evidence: Evidence): void {
    this.#evidence.report(evidence)
  }

  /** The reports so far, for a later host. */
  get saved(): SavedPane {
    return { evidence: this.#evidence.saved, shell: this.#shell, endedRecords: this.#endedRecords }
  }

  restore({ evidence, shell, endedRecords }: SavedPane): void {
    this.#evidence.restore(evidence)
    this.#shell = shell
    this.#endedRecords = endedRecords
  }

  /** Another program is in the foreground: the evidence about the previous one is dropped. */
  programChanged(): void {
    this.#evidence.programChanged()
  }

  /**
   * The program has ended, and the shell is back: what it last reported as going on or as waiting
   * is over, even if it could not withdraw it.
   */
  programEnded(): void {
    this.#endedRecords = openRecords(this.#programStatus)
    this.#evidence.endProgram()
  }

  /** The heuristics read this program: that no prompt is shown is not evidence of work. */
  leaveToHeuristics(): void {
    this.#evidence.leaveToHeuristics()
  }

  /** Reports that still count, from the highest to the lowest. */
  unexpired(t: number): Evidence[] {
    return this.#evidence.unexpired(t)
  }

  get pack(): Pack {
    return this.#pack
  }

  /** What the agent reports besides its screen; `t` is when it reported it. */
  applyReport(report: AgentReport, t: number): PaneStep[] {
    const effect = reportEffect(report, t)
    if (!effect) return []
    if ('withdraw' in effect) {
      this.#evidence.withdraw(effect.withdraw)
      return []
    }
    this.#evidence.report(effect.evidence)
    return [{ type: 'evidence', evidence: effect.evidence }]
  }

  recordInput(t: number, bytes: Uint8Array): void {
    this.screen.recordInput(t)
    this.inputAt = t
    const isInterrupt = bytes.length === 1 && (bytes[0] === 0x1b || bytes[0] === 0x03)
    if (isInterrupt) this.#evidence.interrupted(t)
  }

  exited(exit: { code: number | null; signal: string | null }, t: number): void {
    this.programEnded()
    this.#evidence.report({ authority: 'exit', claim: { is: 'exited', ...exit }, t, expires: null, ref: 'exit' })
  }

  /** Whether the owner should check now if the program reads its terminal. */
  isReadCheckDue(t: number): boolean {
    return this.#evidence.isMenuOverCommand && this.#evidence.readCheck.isDue(t)
  }

  applyReadCheck(result: TerminalReadResult): void {
    this.#evidence.readCheck.applyResult(result)
  }

  /** When a menu over a shell's command will have stayed long enough. */
  readCheckDeadline(): number | null {
    return this.#evidence.isMenuOverCommand ? this.#evidence.readCheck.nextDeadline() : null
  }

  nextDeadline(): number | null {
    return this.ownScreen.nextDeadline()
  }

  state(t: number): PaneState {
    return this.#stateOf(this.screen.last, t)
  }

  #stateOf(look: Look | null, t: number): PaneState {
    const reading = this.#evidence.read(t)
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

  applyOutputs(outputs: ReturnType<PaneScreen['feed']>, t: number): PaneStep[] {
    this.#time = Math.max(this.#time, t)
    const steps: PaneStep[] = []
    for (const output of outputs) {
      if (output.type === 'reply') steps.push(output)
      else if (output.type === 'look') {
        this.#evidence.observe(output.look.observation, output.look.t, output.look.isConfirmed)
        steps.push({ ...output, state: this.#stateOf(output.look, output.look.t) })
      } else {
        const evidence = this.#evidenceOf(output.evidence, output.t)
        if (evidence === 'withdraw-status') this.#evidence.withdraw('osc7501')
        else if (evidence) {
          this.#evidence.report(evidence)
          steps.push({ type: 'evidence', evidence })
        }
      }
    }
    return steps
  }

  /**
   * Marks of a shell. Agents use the same codes in their own messages, so the codes count only if
   * no agent is known.
   */
  #shellMark(mark: ShellMark, t: number): Evidence | null {
    const { state, signals } = reduceShellMark(this.#shell, mark, null)
    this.#shell = state
    if (signals.some(({ name }) => name === 'prompt')) this.programEnded()
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

  /**
   * Some agents put the marks of a shell around their messages: they draw the marks of a typed
   * command with nothing between them. And a program with an input box runs no commands for a
   * shell; only after the end of a command the prompt is the shell's again.
   */
  #isMessageMark(mark: ShellMark): boolean {
    if (mark.mark === 'C' && mark.isAdjacent && !this.#marksMessages) {
      this.#marksMessages = true
      this.#shell = INITIAL_SHELL_STATE
      this.#evidence.withdraw('shell')
    }
    // A command's end with output above it, or a command that was typed: the shell is back.
    else if ((mark.mark === 'C' || mark.mark === 'D') && !mark.isAdjacent) this.#marksMessages = false
    if (this.#marksMessages) return true
    const box = this.screen.last?.observation.composer?.rows
    const isAfterEnd = this.#hasEnded
    this.#hasEnded = mark.mark === 'D'
    const hasBox = box !== undefined && box[1] > box[0] + 1
    return hasBox && mark.mark !== 'D' && !(mark.mark === 'A' && isAfterEnd)
  }

  #evidenceOf(evidence: TerminalEvidence, t: number): Evidence | 'withdraw-status' | null {
    if (evidence.kind === 'status') {
      this.#programStatus = evidence.status
      if (!this.usesStatusReports) return null
      const record = aggregateStatus(evidence.status, this.#endedRecords)
      const claim = statusClaim(record)
      if (!claim) return 'withdraw-status'
      return { authority: 'osc7501', claim, t, expires: null, ref: `osc7501/${record!.state}` }
    }
    if (evidence.kind === 'shell-mark' && this.#pack.agent === 'generic' && !this.#isMessageMark(evidence.mark))
      return this.#shellMark(evidence.mark, t)
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
      this.#evidence.withdraw('title')
    }
    return null
  }
}

function endClaim(exit: number | null): Claim {
  return exit === null || exit === 0 ? { is: 'done', exit } : { is: 'failed', reason: `exit ${exit}`, exit }
}

/**
 * Combines the view of a frame with the winning report: the report's claim, and the view closest to
 * it.
 */
function joinView(
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
