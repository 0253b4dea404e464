import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { delay, systemClock } from '../../clock/index.js'

/*
 * `signalbox hook` forwards an agent's hook call to the daemon. The agent runs it many times a
 * turn, so it loads almost nothing (no commander, no settings) and must never disturb: a report
 * takes at most two seconds, prints nothing, and always succeeds.
 *
 * A permission hook may hold: the relay waits for a person's decision and prints it in the agent's
 * format. If the daemon restarts meanwhile, the relay asks again under the same id, with increasing
 * delays. If it gets no answer it prints nothing, and the agent shows its own dialog.
 */
const BODY_MAX = 1024 * 1024
const REPORT_MS = 2_000
const LAST_MOMENT_MS = 250
const RETRY_MIN_MS = 200
const RETRY_MAX_MS = 5_000
/** Gives up on a daemon that is away longer than this: some agents show their dialog only then. */
const GIVE_UP_MS = 300_000

export interface RelayRequest {
  source: string
  event: string | null
  mayHold: boolean
  env: NodeJS.ProcessEnv
  cwd: string
  input: AsyncIterable<Buffer | string>
}

/** What to print for the agent; null for nothing. Never throws. */
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
 * Waits two seconds for the answer, which is not used. On a loaded machine the body may not have
 * been sent by then: the relay waits a little longer, because the daemon handles a request even if
 * its sender has exited.
 */
async function report(post: Post): Promise<void> {
  const sent = new AbortController()
  const answered = send(post, () => sent.abort())
  await Promise.race([answered, delay(systemClock, REPORT_MS)])
  if (!sent.signal.aborted)
    await Promise.race([
      answered,
      new Promise<void>(resolve => sent.signal.addEventListener('abort', () => resolve())),
      delay(systemClock, LAST_MOMENT_MS),
    ])
}

/** The agent's payload, and what the daemon needs to find the pane; null if it is too large. */
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

/** Invalid JSON becomes null: the daemon records a malformed hook. */
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
      // The connection broke before the answer: the daemon is gone.
      wasReached = true
      lastReachedAt = systemClock.monotonic()
      if (lastReachedAt - askedAt > RETRY_MAX_MS) wait = RETRY_MIN_MS
    }
    if (!wasReached || systemClock.monotonic() - lastReachedAt > GIVE_UP_MS) return null
    await delay(systemClock, wait)
  }
}

/** `status` 0: the connection broke before the answer was complete. */
function send({ socketPath, source, token, body }: Post, onSent?: () => void): Promise<Reply> {
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
    if (onSent) posting.on('finish', onSent)
    posting.end(body)
  })
}

async function readAnswer(response: IncomingMessage): Promise<Reply> {
  try {
    const chunks: Buffer[] = []
    for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk)
    const reply = JSON.parse(Buffer.concat(chunks).toString('utf8')) as { answer?: unknown }
    const answer = typeof reply.answer === 'string' ? reply.answer : null
    return { isReached: true, status: response.statusCode ?? 500, answer }
  } catch {
    return { isReached: true, status: 0, answer: null }
  }
}

/**
 * Major device numbers of pseudo-terminals start here; each has 256 terminals (Linux,
 * Documentation/admin-guide/devices.txt).
 */
const PTS_MAJOR = 136
const PTS_PER_MAJOR = 256
const PTS_MAJORS = 8

/** The controlling terminal in field 7 of `/proc/<pid>/stat`; null if not a `/dev/pts`. */
export function terminalOfStat(stat: string): string | null {
  // The name in brackets may contain blanks and brackets.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const device = Number(fields[4])
  if (!Number.isInteger(device) || device <= 0) return null
  const major = (device >> 8) & 0xfff
  const minor = (device & 0xff) | ((device >> 12) & 0xfff00)
  if (major < PTS_MAJOR || major >= PTS_MAJOR + PTS_MAJORS) return null
  return `/dev/pts/${(major - PTS_MAJOR) * PTS_PER_MAJOR + minor}`
}

/** The terminal of this process, whose input and output are pipes; null if unknown. */
function ownTerminal(): string | null {
  try {
    return terminalOfStat(readFileSync('/proc/self/stat', 'utf8'))
  } catch {
    return null
  }
}
