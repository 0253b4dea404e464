import type { AgentReport } from '../../agents/index.js'
import type { EventData, EventType } from '../../events/index.js'
import { inputWrapper } from '../../process/index.js'
import { MessageWriter } from '../conversation/index.js'
import { Effects, Waiters } from '../effects.js'
import type { InterruptResult } from '../live/interrupt-agent.js'
import { type Delivery, PromptQueue } from '../live/prompt-queue.js'
import type { SendResult } from '../live/send-prompt.js'
import { SessionEnding } from '../live/session-ending.js'
import { SessionNotices } from '../live/session-notices.js'
import { DEFAULT_TIMES, type LiveSessionOptions, SCREEN_ONLY_AGENT } from '../live/session-options.js'
import { AcpChannel } from './acp-channel.js'
import { AcpConversation } from './acp-conversation.js'
import { AcpEvents } from './acp-events.js'
import { AcpHandshake } from './acp-handshake.js'
import { AcpPhase } from './acp-phase.js'
import { AcpRequests } from './acp-requests.js'
import { beginLabel } from './begin-label.js'
import { ClientCalls } from './client/client-calls.js'
import { type ClientDirectories, ClientFiles } from './client/client-files.js'
import { ClientTerminals } from './client/client-terminals.js'

export interface AcpSessionOptions
  extends Pick<
    LiveSessionOptions,
    | 'record'
    | 'keeper'
    | 'journal'
    | 'ledger'
    | 'clock'
    | 'hostName'
    | 'agent'
    | 'times'
    | 'pause'
    | 'emit'
    | 'onError'
    | 'onEnded'
    | 'onLagging'
  > {
  version: string
  /** Where Signalbox reads and writes for the agent; null in a sandbox: the agent has its own. */
  clientDirectories: ClientDirectories | null
  /** What the agent says about itself, for the status of its pane and its usage. */
  onReport(report: AgentReport): void
}

/** What the parts need of their session. */
interface SessionPorts {
  isLive(): boolean
  isIdle(): boolean
  record<T extends EventType>(type: T, data: EventData<T>): void
  deliver(text: string, how: Delivery): Promise<SendResult>
  interrupt(): Promise<InterruptResult>
  changed(): void
}

export type AcpParts = ReturnType<typeof acpParts>

/** Wires the parts of a session without a terminal. */
export function acpParts(options: AcpSessionOptions, ports: SessionPorts) {
  const { clock, onError, record, journal, ledger, hostName, keeper, emit } = options
  const times = { ...DEFAULT_TIMES, ...options.times }
  const session = record.id
  const isClient = options.clientDirectories !== null
  const waiters = new Waiters(clock)
  const effects = new Effects(onError, ports.changed)
  const conversation = new AcpConversation(session)
  const channel = new AcpChannel({ session, keeper, conversation, perform: event => events.perform(event) })
  const handshake = new AcpHandshake({
    record,
    version: options.version,
    offers: {
      reading: isClient && !options.agent?.readsItself,
      writing: isClient,
      terminals: isClient,
    },
    conversation,
    call: (method, params) => channel.call(method, params),
  })
  const common = {
    session,
    clock,
    isExited: () => ending.exit !== null,
    isCatchingUp: () => !ports.isLive(),
    record: ports.record,
    onError,
  }
  const notices: SessionNotices = new SessionNotices({
    session: record,
    clock,
    times,
    lastRows: count => channel.otherLines.slice(-count),
    unattendedMs: () => 0,
    notify: notice => ports.record('session.noticed', { session, ...notice }),
    onSilence: () => notices.silent(),
    onAbandoned: () => undefined,
  })
  const ending: SessionEnding = new SessionEnding({
    ...common,
    agent: options.agent ?? SCREEN_ONLY_AGENT,
    agentSessionId: record.agentSessionId ?? null,
    notices,
    lastLook: () => null,
  })
  const messages = new MessageWriter({
    ...common,
    typingRepeatMs: times.typingRepeatMs,
    transcriptWaitMs: 0,
    effects,
    waiters,
    emit,
    write: (type, data) => journal.write(type, data),
  })
  const phase = new AcpPhase({ ...common, conversation, notices, messages, onChanged: () => waiters.wake() })
  const { agent, project, cwd } = record
  const requests = new AcpRequests({
    subject: { agent, session, project, cwd, hostName },
    ledger,
    clock,
    answer: async (ask, option) => {
      await channel.answer(ask, option)
      ports.changed()
    },
    sendPrompt: async text => void (await prompts.send(text, { whenBusy: 'hold' })),
    interrupt: ports.interrupt,
    onError,
  })
  const prompts: PromptQueue = new PromptQueue({
    ...common,
    journal,
    deliver: ports.deliver,
    alone: sequentially(),
    changed: ms => waiters.changed(ms),
    isIdle: ports.isIdle,
    ...(options.pause && { pause: options.pause }),
    lastTurn: () => conversation.lastTurn,
    onTaken: (_, wasBusy) => (wasBusy ? 'queued' : { turn: conversation.lastTurn }),
    untilStarted: async () => undefined,
    effectsDone: () => effects.done(),
    onFailed: detail => notices.undelivered(detail),
  })
  const client =
    options.clientDirectories && clientParts(options, options.clientDirectories, { conversation, channel, ending })
  const clientCalls = client?.calls ?? null
  const parts = { conversation, channel, handshake, requests, clientCalls, messages, notices, ending, phase }
  const events: AcpEvents = new AcpEvents({
    ...common,
    ...parts,
    session: record,
    later: work => effects.enqueue(work),
    onReport: options.onReport,
    onChanged: ports.changed,
  })
  return { ...parts, terminals: client?.terminals ?? null, waiters, effects, prompts, events }
}

/** Performs the calls of the agent to its client. */
function clientParts(
  { record, keeper, clock, onError }: AcpSessionOptions,
  directories: ClientDirectories,
  { conversation, channel, ending }: { conversation: AcpConversation; channel: AcpChannel; ending: SessionEnding },
) {
  const terminals = new ClientTerminals({
    session: record.id,
    keeper,
    clock,
    limitOf: terminal => conversation.outputLimit(terminal),
    onPrinted: (terminal, output) => channel.printed(terminal, output),
    onError,
  })
  const calls = new ClientCalls({
    files: new ClientFiles(directories),
    terminals,
    cwd: record.cwd,
    agentSession: () => conversation.agentSession,
    inputWrapper: () => inputWrapper(record.pid),
    answer: async message => {
      if (ending.exit === null) await channel.write(message)
    },
    begin: ({ rpc }) => keeper.addMarker(record.id, beginLabel(rpc)),
    onError,
  })
  return { terminals, calls }
}

/** Each piece of work starts when the one before has ended. */
function sequentially(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return work => {
    const turn = last.then(work)
    last = turn.catch(() => undefined)
    return turn
  }
}
