import { systemClock } from '../clock/index.js'
import { EXIT } from '../errors/index.js'
import type { Block } from '../screen/index.js'
import { BlockStream } from './block-stream.js'
import type { CommandContext } from './context.js'
import type { DaemonClient } from './daemon-client.js'

const EXIT_BY_OUTCOME: Readonly<Record<string, number>> = {
  done: EXIT.ok,
  denied: EXIT.rejected,
  interrupted: EXIT.interrupted,
}

interface Update {
  session: string
  turn: string
  message: string
  blocks: Block[]
}

/**
 * Prints what the agent says until its turn ends, it needs a person, or it is gone; the exit code says which. `since` is a position of the
 * log taken before the prompt was sent, so that a turn shorter than our own start is not missed.
 */
export async function followTurn(
  context: CommandContext,
  client: DaemonClient,
  session: string,
  options: { since: number; deadline: number | null; isJson: boolean },
): Promise<number> {
  const stream = new BlockStream(context)
  const abort = new AbortController()
  const timer =
    options.deadline === null
      ? null
      : systemClock.setTimer(options.deadline - systemClock.monotonic(), () => abort.abort())
  try {
    for await (const { event, data } of client.events(
      `/events?scope=session:${session}&since=${options.since}`,
      abort.signal,
    )) {
      if (options.isJson && event !== 'heartbeat') context.json({ event, ...(data as object) })
      const code = handle(event, data as never, stream, options.isJson)
      if (code === null) continue
      if (code === EXIT.needsHuman && !options.isJson) context.note('the agent needs you: signalbox approvals')
      return code
    }
  } finally {
    timer?.cancel()
    abort.abort()
  }
  return options.deadline !== null && systemClock.monotonic() >= options.deadline ? EXIT.timeout : EXIT.failed
}

function handle(
  event: string,
  data: Update & { data: Update & { outcome?: string; exit?: { code: number | null } } },
  stream: BlockStream,
  isJson: boolean,
): number | null {
  switch (event) {
    case 'message.update':
      if (!isJson) stream.update(data.message, data.blocks)
      return null
    case 'message.final':
      if (!isJson) stream.finish(data.data.message, data.data.blocks)
      return null
    case 'approval.requested':
      stream.pause()
      return EXIT.needsHuman
    case 'turn.closed':
      return EXIT_BY_OUTCOME[data.data.outcome ?? ''] ?? EXIT.failed
    case 'session.ended':
    case 'session.lost':
      return EXIT.failed
    default:
      return null
  }
}
