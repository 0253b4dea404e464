import { systemClock, type Timer } from '../../clock/index.js'
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

/** An agent's own command may open no turn: a session that rests for so long without one is not waited for. */
const NO_TURN_MS = 3_000

export interface FollowOptions {
  /** A position of the log taken before the prompt was sent, so that a turn shorter than our own start is not missed. */
  since: string
  deadline: number | null
  isJson: boolean
  /** Where the prompt is: its turn may not be the one that runs now. */
  prompt?: 'delivered' | 'queued' | { held: string }
}

type Update = InMilliseconds<MessageUpdate>

/** A frame of the event stream: provisional text, or an event of the log. */
type EventBody = Update & {
  subject?: string
  data: Update &
    Partial<Pick<EventData<'turn.closed'>, 'outcome'> & Pick<EventData<'prompt.released'>, 'prompt' | 'result'>>
}

/** Prints what the agent says until its turn ends, it needs a person, or it is gone; the exit code says which. */
export async function followTurn(
  context: CommandContext,
  client: DaemonClient,
  session: string,
  options: FollowOptions,
): Promise<number> {
  const turn = new FollowedTurn(new BlockStream(context), options)
  const abort = new AbortController()
  const timers: (Timer | null)[] = []
  if (options.deadline !== null)
    timers.push(systemClock.setTimer(options.deadline - systemClock.monotonic(), () => abort.abort()))
  let isOver = false
  const lookForRest = async () => {
    const { idle } = await client.get<Session>(`/sessions/${session}`)
    if (abort.signal.aborted) return
    if (idle && turn.hasNoTurn) {
      isOver = true
      abort.abort()
    } else timers[1] = systemClock.setTimer(NO_TURN_MS, () => void lookForRest().catch(() => undefined))
  }
  timers[1] = systemClock.setTimer(NO_TURN_MS, () => void lookForRest().catch(() => undefined))
  try {
    const path = `/events?scope=session:${session}&since=${options.since}`
    for await (const { event, data } of client.events(path, abort.signal)) {
      if (options.isJson && event !== 'heartbeat') context.json({ event, ...(data as object) })
      // What a grant covers was asked and decided at once: nobody is needed.
      if (event === 'approval.requested' && !(await isWaiting(client, data as EventBody))) continue
      const code = turn.take(event, data as EventBody)
      if (code === null) continue
      if (code === EXIT.needsHuman && !options.isJson) context.note('the agent needs you: signalbox approvals')
      return code
    }
  } finally {
    for (const timer of timers) timer?.cancel()
    abort.abort()
  }
  if (isOver) return EXIT.ok
  return options.deadline !== null && systemClock.monotonic() >= options.deadline ? EXIT.timeout : EXIT.failed
}

async function isWaiting(client: DaemonClient, { subject = '' }: EventBody): Promise<boolean> {
  const id = subject.slice(subject.indexOf('/') + 1)
  const { state } = await client.get<Approval>(`/approvals/${encodeURIComponent(id)}`)
  return state === 'pending'
}

/** The one turn that answers a prompt, among all that happens in its session. */
class FollowedTurn {
  readonly #stream: BlockStream
  readonly #isJson: boolean
  #held: string | null
  /** Null: not known yet; what is said until then is printed unless it belongs to a turn before. */
  #turn: string | null = null
  readonly #isNext: boolean
  /** What happened while the prompt was held, as far as it may be about its turn. */
  #early: EventBody[] = []

  constructor(stream: BlockStream, { isJson, prompt = 'delivered' }: FollowOptions) {
    this.#stream = stream
    this.#isJson = isJson
    this.#held = typeof prompt === 'object' ? prompt.held : null
    this.#isNext = prompt !== 'delivered'
  }

  get hasNoTurn(): boolean {
    return this.#turn === null && this.#held === null && !this.#isNext
  }

  /** The exit code when it is over. */
  take(event: string, body: EventBody): number | null {
    switch (event) {
      case 'prompt.released':
        if (body.data.prompt !== this.#held) return null
        this.#held = null
        return body.data.result === 'delivered' ? this.#begin(body.data.turn) : EXIT.failed
      case 'turn.opened':
        if (this.#held === null) this.#turn ??= body.data.turn
        return null
      case 'message.update':
        if (!this.#isJson && this.#isOurs(body.turn)) this.#stream.update(body.message, body.blocks)
        return null
      case 'message.final':
        if (this.#held !== null) this.#early.push(body)
        else if (!this.#isJson && this.#isOurs(body.data.turn)) this.#stream.finish(body.data.message, body.data.blocks)
        return null
      case 'approval.requested':
        this.#stream.pause()
        return EXIT.needsHuman
      case 'turn.closed':
        if (this.#held !== null) this.#early.push(body)
        return this.#isOurs(body.data.turn) ? (EXIT_BY_OUTCOME[body.data.outcome ?? ''] ?? EXIT.failed) : null
      case 'session.ended':
      case 'session.lost':
        return EXIT.failed
      default:
        return null
    }
  }

  /** A held prompt was taken: what its turn said and did before we were told is told now. */
  #begin(turn: string | undefined): number | null {
    this.#turn = turn ?? null
    let code: number | null = null
    for (const body of this.#early) {
      if (!turn || body.data.turn !== turn) continue
      if (body.data.outcome !== undefined) code = EXIT_BY_OUTCOME[body.data.outcome] ?? EXIT.failed
      else if (!this.#isJson) this.#stream.finish(body.data.message, body.data.blocks)
    }
    this.#early = []
    return code
  }

  #isOurs(turn: string): boolean {
    return this.#turn === null ? !this.#isNext : turn === this.#turn
  }
}
