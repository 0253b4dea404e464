import type { KeptExit } from '../../keeper/index.js'
import { MessageWriter } from '../conversation/message-writer.js'
import { AgentAllowances } from '../requests/agent-allowances.js'
import { liveMenu } from '../requests/live-menu.js'
import { SessionRequests } from '../requests/session-requests.js'
import { AgentReportReader } from './agent-report-reader.js'
import type { Effects, Waiters } from './effects.js'
import type { Keyboard } from './keyboard.js'
import { PromptQueue } from './prompt-queue.js'
import type { PromptReceipts } from './prompt-receipts.js'
import type { SessionEnding } from './session-ending.js'
import { SessionNotices } from './session-notices.js'
import type { AgentTraits, LiveSessionOptions } from './session-options.js'
import { SessionPhase } from './session-phase.js'
import type { SessionPhaseOptions } from './session-phase-options.js'
import type { SessionTerminal } from './session-terminal.js'
import type { SessionTimes } from './session-times.js'
import type { Notice } from './sink.js'

/** Work on a prompt that was taken shows within so long; an agent's own command may begin none. */
const BEGINS_MS = 3_000
/** Why the session is ended when nobody sees to its sign-in. */
const ABANDONED = 'nobody signed in'

/** What the parts of a session share, and what they need of the session itself. */
export interface SessionGround {
  options: LiveSessionOptions
  times: SessionTimes
  agent: AgentTraits
  terminal: SessionTerminal
  ending: SessionEnding
  waiters: Waiters
  effects: Effects
  keyboard: Keyboard
  signals: PromptReceipts
  record: SessionPhaseOptions['record']
  press(keys: string | Uint8Array): Promise<void>
  stop(reason: string): Promise<void>
  interrupt(): Promise<unknown>
  /** How long nobody has looked at the terminal itself. */
  unattendedMs(): number
  isIdle(): boolean
}

export interface SessionParts {
  messages: MessageWriter
  notices: SessionNotices
  approvals: SessionRequests
  prompts: PromptQueue
  phase: SessionPhase
  ear: AgentReportReader
}

/** Ties the parts together: they know each other only by what is passed here. */
export function createParts(ground: SessionGround): SessionParts {
  const parts = {} as SessionParts
  parts.messages = createMessages(ground)
  parts.notices = createNotices(ground, parts)
  parts.approvals = createApprovals(ground, parts)
  parts.prompts = createPrompts(ground, parts)
  parts.phase = createPhase(ground, parts)
  parts.ear = createEar(ground, parts)
  return parts
}

function createMessages({ options, terminal, ending, effects, waiters, times }: SessionGround): MessageWriter {
  const { record, sinks, journal, onError } = options
  return new MessageWriter({
    session: record.id,
    sinks,
    effects,
    waiters,
    transcriptWaitMs: times.transcriptWaitMs,
    isSilent: () => terminal.isCatchingUp,
    hasEnded: () => ending.exit !== null,
    write: (type, data) => journal.write(type, data),
    onError,
  })
}

function createNotices(ground: SessionGround, parts: SessionParts): SessionNotices {
  const { options, terminal, times } = ground
  const { record, clock, sinks, onError } = options
  const tell = (notice: Notice) => {
    ground.record('session.noticed', { session: record.id, ...notice })
    for (const sink of sinks) void sink.notice(record.id, notice).catch(onError)
  }
  return new SessionNotices({
    session: record,
    clock,
    times,
    lastRows: count => terminal.lastRows(count),
    unattendedMs: () => ground.unattendedMs(),
    tell,
    onSilence: () => parts.phase.dispatch('silence', terminal.last),
    onAbandoned: () => void ground.stop(ABANDONED).catch(onError),
  })
}

function createApprovals(ground: SessionGround, parts: SessionParts): SessionRequests {
  const { options, terminal, keyboard, waiters, ending } = ground
  const { record, ledger, clock, sinks, hostName, answers, onError } = options
  const allowances = new AgentAllowances({
    known: record.allows,
    onAllowed: allowed => ground.record('session.allows', { session: record.id, ...allowed }),
    onAsksAgain: label => ground.record('session.asks', { session: record.id, label }),
  })
  return new SessionRequests({
    onAsked: asked => allowances.asked(asked),
    onEnded: ended => allowances.ended(ended),
    ledger,
    clock,
    sinks,
    subject: { agent: record.agent, session: record.id, project: record.project, cwd: record.cwd, hostName },
    menu: {
      menu: () => liveMenu(terminal.last?.observation ?? null),
      press: keys => ground.press(keys),
      nextFrame: ms => waiters.changed(ms),
      instance: () => parts.phase.menuInstance,
      age: () => terminal.menuAge(),
      picture: () => terminal.last?.frame.lines.map(row => row.text).join('\n') ?? '',
    },
    ...(answers && { answers }),
    alone: work => keyboard.alone(work),
    isSteady: () => terminal.isSteady,
    interrupt: () => ground.interrupt(),
    say: async text => void (await parts.prompts.send(text, { whenBusy: 'hold' })),
    isExited: () => ending.exit !== null,
    onError,
  })
}

function createPrompts(ground: SessionGround, parts: SessionParts): PromptQueue {
  const { options, terminal, keyboard, signals, waiters, effects, ending, agent, times } = ground
  const { record, pack, clock, journal, absence, onError } = options
  const hasExited = () => ending.exit !== null
  return new PromptQueue({
    session: record.id,
    pack,
    clock,
    keyboard,
    readyWaitMs: times.readyWaitMs,
    journal,
    port: {
      observation: () => terminal.last?.observation ?? null,
      isExited: hasExited,
      isBracketedPaste: () => terminal.screen.emulator.isBracketedPaste,
      press: keys => ground.press(keys),
      changed: ms => waiters.changed(ms),
      absence: () => absence?.() ?? null,
      quietMs: () => keyboard.quietMs,
      proof: (text, since, wasBusy) => signals.proofOf(text, since, wasBusy),
      lastRow: () => parts.phase.lastRow,
      hasHooks: () => agent.hasHooks,
    },
    isIdle: () => ground.isIdle(),
    record: ground.record,
    lastTurn: () => parts.phase.lastTurn,
    onDelivered: sent => parts.phase.noteSent(sent),
    untilBegun: turn => waiters.until(BEGINS_MS, () => hasExited() || parts.phase.hasBegun(turn)),
    settled: () => effects.settled(),
    onFailed: detail => parts.notices.undelivered(detail),
    onError,
  })
}

function createPhase(ground: SessionGround, parts: SessionParts): SessionPhase {
  const { options, terminal, ending, effects, agent } = ground
  const { record, pack, clock, sinks, restored, keeper, onEnded, onError } = options
  return new SessionPhase({
    session: record.id,
    pack,
    rows: terminal.screen,
    clock,
    sinks,
    effects,
    messages: parts.messages,
    notices: parts.notices,
    approvals: parts.approvals,
    isResumed: record.resumedFrom !== undefined,
    hasTranscript: agent.hasTranscript,
    restored: restored?.phase ?? null,
    isCatchingUp: () => terminal.isCatchingUp,
    exit: (): KeptExit | null => ending.exit,
    lastLook: () => terminal.last,
    record: ground.record,
    onEnd: () => {
      ending.write()
      effects.later(() => keeper.forget(record.id))
      effects.later(async () => onEnded?.())
    },
    onError,
  })
}

function createEar({ options, signals, ending, terminal }: SessionGround, parts: SessionParts): AgentReportReader {
  return new AgentReportReader({
    clock: options.clock,
    startedAt: options.record.startedAt,
    signals,
    onIdentified: (agentSession, source, version) => ending.identify(agentSession, source, version),
    onSaid: said => parts.phase.hear(said, terminal.time.now()),
    onTurnEnded: outcome => parts.phase.turnEnded(outcome),
  })
}
