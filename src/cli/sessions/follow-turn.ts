import { delay, systemClock, type Timer } from '../../clock/index.js'
import { EXIT } from '../../errors/index.js'
import type { EventData } from '../../events/index.js'
import type { Approval, InMilliseconds, MessageUpdate, Session } from '../../server/index.js'
import type { CommandContext } from '../context.js'
import type { DaemonClient } from '../daemon-client.js'
import { BlockStream } from './block-stream.js'

const EXIT_BY_OUTCOME: Readonly<Record<string, number>> = {
  done: EXIT.ok,
  denied: EXIT.rejected,
  interrupted: EXIT.interrupted,
}

/** A command may open no turn: how long to wait for an idle session without one. */
const NO_TURN_MS = 3_000
/** How long the report of a hook may take that supersedes a request from the screen. */
const SUPERSEDED_WITHIN_MS = 500

export interface FollowOptions {
  /** The position of the log before the prompt was sent, so that no event of the turn is missed. */
  since: string
  deadline: number | null
  isJson: boolean
  /** The prompt and how it was accepted: its turn may start later. */
  prompt: { id: string; result: 'delivered' | 'queued' | 'held' }
}

type Update = InMilliseconds<MessageUpdate>

/** A frame of the event stream: provisional text, or an event of the log. */
type EventBody = Update & {
  /** The stream of the event. */
  subject?: string
  data: Update &
    Partial<Pick<EventData<'turn.closed'>, 'outcome'> & Pick<EventData<'prompt.ended'>, 'prompt' | 'result'>>
}

/** Prints the answer until the turn ends or needs a person. @returns the exit code. */
export async function followTurn(
  context: CommandContext,
  client: DaemonClient,
  session: string,
  options: FollowOptions,
): Promise<number> {
  const stream = new BlockStream(context)
  const turn = new FollowedTurn(stream, options)
  const abort = new AbortController()
  const timers: (Timer | null)[] = []
  if (options.deadline !== null)
    timers.push(systemClock.setTimer(options.deadline - systemClock.monotonic(), () => abort.abort()))
  let isOver = false
  const checkIdle = async () => {
    const { idle } = await client.get<Session>(`/sessions/${session}`)
    if (abort.signal.aborted) return
    if (idle && turn.hasNoTurn) {
      isOver = true
      abort.abort()
    } else timers[1] = systemClock.setTimer(NO_TURN_MS, () => void checkIdle().catch(() => undefined))
  }
  timers[1] = systemClock.setTimer(NO_TURN_MS, () => void checkIdle().catch(() => undefined))
  try {
    const path = `/events?scope=session:${session}&since=${options.since}`
    for await (const { event, data } of client.events(path, abort.signal)) {
      if (options.isJson && event !== 'heartbeat') context.json({ event, ...(data as object) })
      // A grant decides a request at once: no person is needed.
      if (event === 'approval.requested' && !(await isWaiting(client, data as EventBody))) continue
      const code = turn.applyEvent(event, data as EventBody)
      if (code === null) continue
      stream.end()
      if (code === EXIT.needsHuman && !options.isJson) context.note('the agent needs you: signalbox approvals')
      return code
    }
  } finally {
    for (const timer of timers) timer?.cancel()
    abort.abort()
  }
  stream.end()
  if (isOver) return EXIT.ok
  return options.deadline !== null && systemClock.monotonic() >= options.deadline ? EXIT.timeout : EXIT.failed
}

/** A hook may report in full what the screen shows first, and a grant may cover it. */
async function isWaiting(client: DaemonClient, { subject = '' }: EventBody): Promise<boolean> {
  const id = subject.slice(subject.indexOf('/') + 1)
  const isPending = async () => (await client.get<Approval>(`/approvals/${encodeURIComponent(id)}`)).state === 'pending'
  if (!(await isPending())) return false
  await delay(systemClock, SUPERSEDED_WITHIN_MS)
  return isPending()
}

/** The turn that answers a prompt, among all events of its session. */
class FollowedTurn {
  readonly #stream: BlockStream
  readonly #isJson: boolean
  /** The prompt, until the log says that the agent accepted it. */
  #awaited: string | null
  /** Null until known, and for a command of the agent's own, whose messages have no turn. */
  #turn: string | null = null
  /** The agent has queued the prompt: the next turn is the prompt's. */
  readonly #isNext: boolean
  /** Events before the agent took the prompt: they may belong to its turn. */
  #early: EventBody[] = []

  constructor(stream: BlockStream, { isJson, prompt }: FollowOptions) {
    this.#stream = stream
    this.#isJson = isJson
    this.#awaited = prompt.id
    this.#isNext = prompt.result === 'queued'
  }

  get hasNoTurn(): boolean {
    return this.#turn === null && this.#awaited === null && !this.#isNext
  }

  /** @returns the exit code when the turn is over. */
  applyEvent(event: string, body: EventBody): number | null {
    switch (event) {
      case 'prompt.ended':
        if (body.data.prompt !== this.#awaited) return null
        this.#awaited = null
        if (body.data.result === 'delivered') return this.#start(body.data.turn)
        return body.data.result === 'queued' ? null : EXIT.failed
      case 'turn.opened':
        if (this.#awaited === null) this.#turn ??= body.data.turn
        return null
      case 'message.update':
        if (!this.#isJson && this.#isOurs(body.turn)) this.#stream.update(body.message, body.blocks)
        return null
      case 'message.final':
        if (this.#awaited !== null) this.#early.push(body)
        else if (!this.#isJson && this.#isOurs(body.data.turn)) this.#stream.finish(body.data.message, body.data.blocks)
        return null
      case 'approval.requested':
        return EXIT.needsHuman
      case 'turn.closed':
        if (this.#awaited !== null) this.#early.push(body)
        return this.#isOurs(body.data.turn) ? (EXIT_BY_OUTCOME[body.data.outcome ?? ''] ?? EXIT.failed) : null
      case 'session.ended':
      case 'session.lost':
        return EXIT.failed
      default:
        return null
    }
  }

  /** The agent took the prompt: handles the events of its turn that arrived before. */
  #start(turn: string | undefined): number | null {
    this.#turn = turn ?? null
    let code: number | null = null
    for (const { data } of this.#early) {
      if (turn !== undefined && data.turn !== turn) continue
      if (data.outcome === undefined) {
        if (!this.#isJson) this.#stream.finish(data.message, data.blocks)
      } else if (turn !== undefined) code = EXIT_BY_OUTCOME[data.outcome] ?? EXIT.failed
    }
    this.#early = []
    return code
  }

  #isOurs(turn: string): boolean {
    if (this.#awaited !== null) return false
    return this.#turn === null ? !this.#isNext : turn === this.#turn
  }
}
