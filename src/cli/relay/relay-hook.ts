import { randomUUID } from 'node:crypto'
import { type IncomingMessage, request } from 'node:http'
import { delay, systemClock } from '../../clock/index.js'
import { ownTerminal } from './own-terminal.js'

/*
 * `signalbox hook`: an agent's hook call, carried to the daemon. It runs inside the agent, many times a turn, so it loads next to nothing
 * (no commander, no settings) and must never disturb: a mere report takes two seconds at most, says nothing, and always succeeds.
 *
 * A permission hook may hold. Then the relay waits for a person's decision and prints the agent's own answer. The daemon may die and come
 * back meanwhile: the relay asks again under the same id, more and more slowly. Whenever it cannot help it says nothing, and the agent's
 * own dialog is what remains.
 */
const BODY_MAX = 1024 * 1024
const REPORT_MS = 2_000
const LAST_TURN_MS = 250
const RETRY_MIN_MS = 200
const RETRY_MAX_MS = 5_000
/** A daemon that has been away for so long is not waited for: behind some hooks a dialog waits to appear. */
const GIVE_UP_MS = 300_000

export interface RelayRequest {
  source: string
  event: string | null
  mayHold: boolean
  env: NodeJS.ProcessEnv
  cwd: string
  input: AsyncIterable<Buffer | string>
}

/** What to print for the agent; null is nothing. Never throws. */
export async function relayHook(call: RelayRequest): Promise<string | null> {
  try {
    const body = await envelope(call)
    if (body === null) return null
    const socketPath = call.env.SIGNALBOX_SOCKET || (await homeSocket(call.env))
    const post: Post = { socketPath, source: call.source, token: call.env.SIGNALBOX_HOOK_TOKEN ?? null, body }
    if (call.mayHold) return await waitForAnswer(post)
    await report(post)
    return null
  } catch {
    return null
  }
}

/**
 * Two seconds for the answer, which nobody reads. On a machine that had no time for us meanwhile, those may be over before the body has left:
 * then it is given a last turn, because what has left is heard by the daemon also when we are gone.
 */
async function report(post: Post): Promise<void> {
  const left = new AbortController()
  const answered = send(post, () => left.abort())
  await Promise.race([answered, delay(systemClock, REPORT_MS)])
  if (!left.signal.aborted)
    await Promise.race([
      answered,
      new Promise<void>(resolve => left.signal.addEventListener('abort', () => resolve())),
      delay(systemClock, LAST_TURN_MS),
    ])
}

/** The agent's payload with what the daemon needs to find the pane. Null when there is more than it would take. */
async function envelope({ event, mayHold, env, cwd, input }: RelayRequest): Promise<string | null> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of input) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk
    size += bytes.length
    if (size > BODY_MAX) return null
    chunks.push(bytes)
  }
  const tty = ownTerminal()
  return JSON.stringify({
    id: randomUUID(),
    ...(event !== null && { event }),
    ...(env.SIGNALBOX_SESSION && { session: env.SIGNALBOX_SESSION }),
    ...(env.TMUX_PANE && { tmuxPane: env.TMUX_PANE }),
    ...(env.TMUX && { tmuxSocket: env.TMUX.split(',')[0] }),
    ...(env.ITERM_SESSION_ID && { itermSession: env.ITERM_SESSION_ID }),
    ...(tty !== null && { tty }),
    cwd,
    hold: mayHold,
    data: parsed(Buffer.concat(chunks).toString('utf8')),
  })
}

/** What is not JSON goes as nothing: the daemon writes down that this agent's hook is malformed. */
function parsed(text: string): unknown {
  try {
    return text.trim() === '' ? {} : JSON.parse(text)
  } catch {
    return null
  }
}

async function homeSocket(env: NodeJS.ProcessEnv): Promise<string> {
  const { resolveDirectories, socketPath } = await import('../../config/directories/index.js')
  return socketPath(resolveDirectories(env, env.HOME), 'signalbox.sock')
}

interface Post {
  socketPath: string
  source: string
  token: string | null
  body: string
}

type Reply = { isReached: false } | { isReached: true; status: number; answer: string | null }

async function waitForAnswer(post: Post): Promise<string | null> {
  let wasReached = false
  let lastReachedAt = systemClock.monotonic()
  for (let wait = RETRY_MIN_MS; ; wait = Math.min(RETRY_MAX_MS, wait * 2)) {
    const askedAt = systemClock.monotonic()
    const reply = await send(post)
    if (reply.isReached && reply.status !== 0) return reply.status === 200 ? reply.answer : null
    if (reply.isReached) {
      // Heard, and cut off before it was answered: the daemon went away.
      wasReached = true
      lastReachedAt = systemClock.monotonic()
      if (lastReachedAt - askedAt > RETRY_MAX_MS) wait = RETRY_MIN_MS
    }
    if (!wasReached || systemClock.monotonic() - lastReachedAt > GIVE_UP_MS) return null
    await delay(systemClock, wait)
  }
}

/** `status` 0: the connection stood and broke before the answer was whole. */
function send({ socketPath, source, token, body }: Post, onLeft?: () => void): Promise<Reply> {
  return new Promise(resolve => {
    let isConnected = false
    const posting = request(
      {
        socketPath,
        method: 'POST',
        path: `/api/v1/hooks/${encodeURIComponent(source)}`,
        agent: false,
        headers: {
          host: 'signalbox',
          connection: 'close',
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
          ...(token !== null && { authorization: `Bearer ${token}` }),
        },
      },
      response => void readAnswer(response).then(resolve),
    )
    posting.on('socket', socket => socket.once('connect', () => (isConnected = true)))
    posting.on('error', () =>
      resolve(isConnected ? { isReached: true, status: 0, answer: null } : { isReached: false }),
    )
    if (onLeft) posting.on('finish', onLeft)
    posting.end(body)
  })
}

async function readAnswer(response: IncomingMessage): Promise<Reply> {
  try {
    const chunks: Buffer[] = []
    for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk)
    const said = JSON.parse(Buffer.concat(chunks).toString('utf8')) as { answer?: unknown }
    const answer = typeof said.answer === 'string' ? said.answer : null
    return { isReached: true, status: response.statusCode ?? 500, answer }
  } catch {
    return { isReached: true, status: 0, answer: null }
  }
}
