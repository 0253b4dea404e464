import { hasNewContent } from '../../panes/index.js'
import { LocalReader } from '../../panes/reader/index.js'
import type { Frame } from '../../terminal/index.js'
import { firstRowNeeded, MessageWriter } from '../conversation/index.js'
import { Effects, Waiters } from '../effects.js'
import { AgentAllowances, liveMenu, SessionRequests } from '../requests/index.js'
import { AgentReportReader } from './agent-report-reader.js'
import type { InterruptResult } from './interrupt-agent.js'
import { Keyboard } from './keyboard.js'
import { PromptQueue } from './prompt-queue.js'
import { PromptReceipts } from './prompt-receipts.js'
import { type SendPort, sendPrompt } from './send-prompt.js'
import { SessionEnding } from './session-ending.js'
import { SessionNotices } from './session-notices.js'
import { DEFAULT_TIMES, type LiveSessionOptions, SCREEN_ONLY_AGENT, type SessionPorts } from './session-options.js'
import { SessionPhase } from './session-phase.js'
import { SessionTerminal } from './session-terminal.js'

/** How long work on a prompt may take to show; a command of the agent's own may begin none. */
const WORK_START_MAX_MS = 3_000
/** Reason recorded when a session is ended because no one signed in. */
const ABANDONED_LOGIN = 'no person signed in'

/** What the parts need of their session. */
interface PartsOwner extends Pick<SessionPorts, 'record'> {
  isReplaced(): boolean
  isIdle(): boolean
  /** How long no surface has shown the session. */
  unattendedMs(): number
  press(keys: string): Promise<void>
  /** Interrupts an agent that has just got an answer. */
  interruptAnswered(): Promise<InterruptResult>
  stop(reason: string): Promise<void>
  changed(): void
  releasePrompts(): void
}

export type LiveSessionParts = ReturnType<typeof liveSessionParts>

/**
 * Wires the parts of a live session, in the order in which they need each other. Each gets only the
 * ports that it needs; a port that calls a part further down is called after all parts exist.
 */
export function liveSessionParts(options: LiveSessionOptions, owner: PartsOwner) {
  const { record, pack, clock, keeper, journal, restored, emit, onError } = options
  const agent = options.agent ?? SCREEN_ONLY_AGENT
  const { startedAt = record.startedAt } = options
  const times = { ...DEFAULT_TIMES, ...options.times }
  const ports: SessionPorts = {
    session: record.id,
    clock,
    isExited: () => ending.exit !== null,
    isCatchingUp: () => owner.isReplaced() || terminal.isCatchingUp,
    record: owner.record,
    onError,
  }
  const waiters = new Waiters(clock)
  const effects = new Effects(onError, owner.changed)
  const keyboard = new Keyboard(clock)
  const receipts = new PromptReceipts(clock)
  const observation = () => terminal.last?.observation ?? null
  let lastFrame: Frame | null = null
  const terminal: SessionTerminal = new SessionTerminal({
    ...ports,
    reader: options.reader ?? new LocalReader(() => clock.monotonic()),
    ...(options.onRuleOff && { onRuleOff: options.onRuleOff }),
    pack,
    emulator: options.emulator,
    startedAt,
    restored: restored ? { ...restored, firstRow: firstRowNeeded(restored.phase.conversation) } : null,
    reply: bytes => void keeper.write(record.id, bytes).catch(onError),
    onLook: look => {
      // A spinner that spins is not progress.
      if (hasNewContent(lastFrame, look.frame)) notices.changed()
      lastFrame = look.frame
      ending.observe(look)
      phase.observe(look)
    },
    onEvidence: evidence => receipts.addEvidence(evidence, pack),
    onTime: t => phase.tick(t),
    nextDeadline: () => phase.nextDeadline(),
    onOutputs: outputs => {
      if (outputs.length > 0) waiters.wake()
      owner.releasePrompts()
    },
  })
  const notices: SessionNotices = new SessionNotices({
    session: { ...record, startedAt },
    clock,
    times,
    lastRows: count => terminal.lastRows(count),
    unattendedMs: owner.unattendedMs,
    notify: notice => owner.record('session.noticed', { session: record.id, ...notice }),
    onSilence: () => phase.dispatch('silence', terminal.last),
    onAbandoned: () => void owner.stop(ABANDONED_LOGIN).catch(onError),
  })
  const ending: SessionEnding = new SessionEnding({
    ...ports,
    agent,
    agentSessionId: record.agentSessionId ?? null,
    notices,
    lastLook: () => terminal.screen.last,
  })
  const messages = new MessageWriter({
    ...ports,
    typingRepeatMs: times.typingRepeatMs,
    transcriptWaitMs: times.transcriptWaitMs,
    effects,
    waiters,
    emit,
    write: (type, data) => journal.write(type, data),
  })
  const { id: session, agent: agentName, project, cwd } = record
  const allowances = new AgentAllowances({
    known: record.allows,
    onAllowed: allowed => owner.record('session.allowance-made', { session, ...allowed }),
    onAsksAgain: label => owner.record('session.allowance-ended', { session, label }),
  })
  const requests = new SessionRequests({
    ...ports,
    subject: { agent: agentName, session, project, cwd, hostName: options.hostName },
    ledger: options.ledger,
    ...(options.answers && { answers: options.answers }),
    onAsked: asked => allowances.asked(asked),
    onEnded: ended => allowances.ended(ended),
    menu: {
      menu: () => liveMenu(observation()),
      press: owner.press,
      nextFrame: ms => waiters.changed(ms),
      instance: () => phase.menuInstance,
      age: () => terminal.menuAge(),
      picture: () => terminal.last?.frame.lines.map(row => row.text).join('\n') ?? '',
    },
    alone: work => keyboard.alone(work),
    isSteady: () => terminal.isSteady,
    say: async text => void (await prompts.send(text, { whenBusy: 'hold' })),
    interrupt: async () => {
      const interrupted = await owner.interruptAnswered()
      if ('detail' in interrupted) throw new Error(`denied, but not interrupted: ${interrupted.detail}`)
    },
  })
  const port: SendPort = {
    observation,
    isExited: ports.isExited,
    isBracketedPaste: () => terminal.screen.modes.isBracketedPaste,
    press: owner.press,
    changed: ms => waiters.changed(ms),
    absence: () => options.absence?.() ?? null,
    quietMs: () => keyboard.quietMs,
    proof: (text, since, wasBusy) => receipts.proofOf(text, since, wasBusy),
    lastRowAboveBox: () => phase.lastRowAboveBox,
    hasHooks: () => agent.hasHooks,
  }
  const prompts: PromptQueue = new PromptQueue({
    ...ports,
    journal,
    deliver: (text, { onStarted, ...how }) => {
      phase.promptTyping(text)
      const press = (keys: string) => onStarted().then(() => port.press(keys))
      return sendPrompt({ ...port, press }, text, { pack, clock, readyWaitMs: times.readyWaitMs, ...how })
    },
    alone: work => keyboard.alone(work),
    changed: port.changed,
    isIdle: owner.isIdle,
    ...(options.pause && { pause: options.pause }),
    lastTurn: () => phase.lastTurn,
    onTaken: (sent, wasBusy) => phase.promptTaken(sent, wasBusy),
    untilStarted: turn => waiters.until(WORK_START_MAX_MS, () => ports.isExited() || phase.hasStarted(turn)),
    effectsDone: () => effects.done(),
    onFailed: detail => notices.undelivered(detail),
  })
  const phase: SessionPhase = new SessionPhase({
    ...ports,
    pack,
    rows: terminal.screen,
    effects,
    messages,
    notices,
    requests: requests.screen,
    isResumed: record.resumedFrom !== undefined,
    hasTranscript: agent.hasTranscript,
    restored: restored?.phase ?? null,
    typing: isOn => messages.typing(isOn),
    onEnd: () => {
      ending.write()
      effects.enqueue(() => keeper.forget(record.id))
      effects.enqueue(async () => options.onEnded?.())
    },
  })
  const reports = new AgentReportReader({
    clock,
    startedAt,
    receipts,
    lastTurn: () => phase.lastTurn,
    onIdentified: (agentSession, source, version) => ending.identify(agentSession, source, version),
    onText: text => phase.applyReported(text, terminal.time.now()),
    onTurnEnded: outcome => phase.turnEnded(outcome),
  })
  return {
    agent,
    ports,
    waiters,
    effects,
    keyboard,
    terminal,
    notices,
    ending,
    messages,
    requests,
    prompts,
    phase,
    reports,
  }
}
