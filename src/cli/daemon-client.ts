import { request as httpRequest, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { delay, systemClock } from '../clock/index.js'
import { type ErrorCode, type FilePosition, SignalboxError } from '../errors/index.js'
import { openHome } from '../host/home/index.js'
import {
  buildTime,
  type DetachedStart,
  isAlive,
  ownProgram,
  readStartProgress,
  startDetached,
} from '../process/index.js'
import type { ApiError, DaemonInfo, InMilliseconds } from '../server/index.js'
import { currentTrace } from '../telemetry/index.js'
import { plural } from '../text/index.js'
import { callingAgent, refuseToServe } from './approvals/local-person.js'
import type { CommandContext } from './context.js'
import { version } from './version.js'

/** How long to wait for a daemon that holds the lock, is not starting, and does not answer. */
const LOCKED_TIMEOUT_MS = 20_000
const STOP_TIMEOUT_MS = 20_000
/** Another daemon is starting or stopping: how long to wait before the next attempt. */
const RETRY_START_MS = 1_000
const RETRY_START_MAX_MS = 8_000
/** A daemon that accepts a connection and does not answer this long hangs. */
const HEALTH_TIMEOUT_MS = 10_000

/** A wait that is longer than this is explained, and again after each further interval. */
const EXPLAIN_MS = 5_000
const EXPLAIN_AGAIN_MS = 15_000

/** How long to wait for the next daemon: one that is replaced by a newer build is away briefly. */
const RESTART_WAIT_MS = 8_000
const RESTART_POLL_MS = 100

/** A client of the daemon of this home directory, over its unix socket. */
export class DaemonClient {
  readonly socketPath: string
  /** Asks at the terminal for a proof that a person calls, where the daemon wants one. */
  proves: boolean
  readonly #context: Pick<CommandContext, 'progress' | 'isInteractive'>

  private constructor(socketPath: string, context: Pick<CommandContext, 'progress' | 'isInteractive'>) {
    this.socketPath = socketPath
    this.#context = context
    this.proves = context.isInteractive
  }

  /**
   * Connects; starts the daemon if none runs, with these options of `serve`. It waits as long as a
   * daemon is starting, and says what that daemon does.
   */
  static async connect(context: CommandContext, options: readonly string[] = []): Promise<DaemonClient> {
    const home = openHome(context)
    const client = new DaemonClient(home.settings.daemonSocket, context)
    if ((await client.isUp()) && (callingAgent(context) !== null || !(await client.#isSuperseded(context))))
      return client
    refuseToServe(context)
    const logFile = join(home.directories.state, 'daemon.log')
    const script = ownProgram('cli')
    const start = () => startDetached(script, ['serve', ...options], { logFile, cwd: '/', env: { ...context.env } })
    const waiting = new StartWait(home.directories.runtime, logFile, context)
    const isOtherStarting = () => readStartProgress(home.directories.runtime) !== null
    let pauseMs = RETRY_START_MS
    let starting: DetachedStart | null = isOtherStarting() ? null : start()
    let retryAt = starting ? Number.POSITIVE_INFINITY : systemClock.monotonic() + pauseMs
    for (;;) {
      const ended: unknown = await Promise.race([
        starting?.ended ?? delay(systemClock, 25),
        delay(systemClock, 25).then(() => undefined),
      ])
      if (await client.isUp()) return client
      if (starting && ended !== undefined) {
        const failure = startFailure(ended, logFile)
        if (failure.code !== 'E_DAEMON_RUNNING') throw failure
        // Another daemon is starting or stopping: it answers soon, or the lock is free soon.
        starting = null
        retryAt = systemClock.monotonic() + pauseMs
        // A daemon that starts on a busy machine is not helped by further attempts.
        pauseMs = isOtherStarting() ? Math.min(2 * pauseMs, RETRY_START_MAX_MS) : RETRY_START_MS
      }
      waiting.check(starting)
      if (systemClock.monotonic() < retryAt) continue
      starting = start()
      retryAt = Number.POSITIVE_INFINITY
    }
  }

  /** The running daemon, or null. Starts nothing. */
  static async running(context: CommandContext): Promise<DaemonClient | null> {
    const client = new DaemonClient(openHome(context).settings.daemonSocket, context)
    return (await client.isUp()) ? client : null
  }

  /**
   * The daemon that replaces one that has ended; null if none starts in time. Waits as long as one
   * is starting. Starts nothing: a person may have stopped it.
   */
  static async next(context: CommandContext, signal?: AbortSignal): Promise<DaemonClient | null> {
    const { runtime } = openHome(context).directories
    let until = systemClock.monotonic() + RESTART_WAIT_MS
    while (systemClock.monotonic() < until && !signal?.aborted) {
      const client = await DaemonClient.running(context).catch(() => null)
      if (client) return client
      if (readStartProgress(runtime)) until = systemClock.monotonic() + RESTART_WAIT_MS
      await delay(systemClock, RESTART_POLL_MS, signal)
    }
    return null
  }

  /**
   * A daemon may be of an older build than this program. One that a command started is stopped, and
   * the caller starts a new one, which takes over sessions and runs. One that a person started, or
   * that is locked down, keeps running.
   */
  async #isSuperseded(context: CommandContext): Promise<boolean> {
    const daemon = await this.#quick<DaemonInfo>('GET', '/daemon')
    // A collator takes 5 ms to create: nearly always the versions are equal.
    const isEqual = version() === daemon.version
    const order = isEqual
      ? buildTime() - daemon.build
      : version().localeCompare(daemon.version, 'en', { numeric: true })
    if (order <= 0) return false
    if (!daemon.isDetached || daemon.isLocked) {
      context.note(`the daemon (${daemon.version}, pid ${daemon.pid}) is older than this program: restart it`)
      return false
    }
    context.note(`replacing the older daemon (${daemon.version}, pid ${daemon.pid}); agents keep running`)
    await this.end(daemon.pid)
    return true
  }

  /** Stops the daemon cleanly, if it is still that process. */
  async end(pid: number): Promise<void> {
    await this.#quick('POST', '/shutdown', { pid })
    const deadline = systemClock.monotonic() + STOP_TIMEOUT_MS
    while (isAlive(pid)) {
      if (systemClock.monotonic() > deadline)
        throw new SignalboxError('E_TIMEOUT', `the daemon (pid ${pid}) did not stop within ${STOP_TIMEOUT_MS / 1000} s`)
      await delay(systemClock, 20)
    }
  }

  async isUp(): Promise<boolean> {
    try {
      await this.#quick('GET', '/healthz')
      return true
    } catch (error) {
      if (error instanceof SignalboxError && error.code === 'E_NOT_READY') throw error
      // Only a failed connection means down; a daemon that answers with an error is up.
      return error instanceof SignalboxError && error.code !== 'E_DAEMON_GONE'
    }
  }

  /** A request that a working daemon answers at once. @throws SignalboxError `E_NOT_READY` */
  async #quick<T = unknown>(method: string, path: string, body?: unknown): Promise<InMilliseconds<T>> {
    try {
      return await this.#call<T>(method, path, body, AbortSignal.timeout(HEALTH_TIMEOUT_MS))
    } catch (error) {
      if (!isTimeout(error)) throw error
      throw new SignalboxError('E_NOT_READY', `the daemon does not answer within ${HEALTH_TIMEOUT_MS / 1000} s`, {
        next: 'the daemon hangs: kill the process of signalbox serve; agents keep running',
        cause: error,
      })
    }
  }

  /** `T` is a type of the API, such as `Session`. */
  get<T = unknown>(path: string): Promise<InMilliseconds<T>> {
    return this.#explained(this.#call<T>('GET', path))
  }

  post<T = unknown>(path: string, body: unknown = {}): Promise<InMilliseconds<T>> {
    return this.#proven(() => this.#explained(this.#call<T>('POST', path, body)))
  }

  /** Where any process could have sent the call, the person confirms it, and it is sent again. */
  async #proven<T>(call: () => Promise<T>): Promise<T> {
    try {
      return await call()
    } catch (error) {
      if (!this.proves || !isUnproven(error)) throw error
      const { proveByTerminal } = await import('./prove-person.js')
      await proveByTerminal((method, path, body) => this.#call(method, path, body), error)
      return call()
    }
  }

  /** Says why a call waits, if its session may still be catching up after a restart. */
  async #explained<T>(call: Promise<T>): Promise<T> {
    const answered = new AbortController()
    void delay(systemClock, EXPLAIN_MS, answered.signal).then(async () => {
      if (answered.signal.aborted) return
      const daemon = await this.#call<DaemonInfo>('GET', '/daemon').catch(() => null)
      if (answered.signal.aborted || !daemon?.catchingUp) return
      this.#context.progress(`the daemon was restarted: ${plural(daemon.catchingUp, 'session')} catching up`)
    })
    return call.finally(() => answered.abort())
  }

  delete<T = unknown>(path: string): Promise<InMilliseconds<T>> {
    return this.#proven(() => this.#call<T>('DELETE', path))
  }

  patch<T = unknown>(path: string, body: unknown): Promise<InMilliseconds<T>> {
    return this.#proven(() => this.#call<T>('PATCH', path, body))
  }

  /** Posts a form with files. */
  async upload<T = unknown>(path: string, form: FormData): Promise<InMilliseconds<T>> {
    const encoded = new Response(form)
    const bytes = Buffer.from(await encoded.arrayBuffer())
    return this.#call<T>('POST', path, { bytes, type: encoded.headers.get('content-type') ?? 'multipart/form-data' })
  }

  /** Streams a file. */
  async download(path: string): Promise<IncomingMessage> {
    const response = await this.#open('GET', path)
    if ((response.statusCode ?? 500) >= 400) await this.#answerOf(response)
    return response
  }

  /** Server-sent events, one by one, until the signal aborts or the daemon ends the stream. */
  async *events<F extends { event: string; data: unknown } = { event: string; data: unknown }>(
    path: string,
    signal: AbortSignal,
  ): AsyncGenerator<InMilliseconds<F>> {
    const response = await this.#open('GET', path, undefined, signal)
    let rest = ''
    try {
      for await (const chunk of response as AsyncIterable<Buffer>) {
        rest += chunk.toString('utf8')
        for (let end = rest.indexOf('\n\n'); end >= 0; end = rest.indexOf('\n\n')) {
          yield parseEvent(rest.slice(0, end)) as InMilliseconds<F>
          rest = rest.slice(end + 2)
        }
      }
    } catch (error) {
      if (!signal.aborted) throw daemonGone(error)
    }
  }

  async #call<T>(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<InMilliseconds<T>> {
    return this.#answerOf<T>(await this.#open(method, path, body, signal))
  }

  async #answerOf<T>(response: IncomingMessage): Promise<InMilliseconds<T>> {
    const chunks: Buffer[] = []
    try {
      for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk)
    } catch (error) {
      throw daemonGone(error)
    }
    const answer = JSON.parse(Buffer.concat(chunks).toString('utf8') || '{}') as unknown
    if ((response.statusCode ?? 500) < 400) return answer as InMilliseconds<T>
    const { code, message, next, details } = (answer as { error: ApiError }).error
    throw new SignalboxError(code as ErrorCode, message, { next, ...(details && { details }) })
  }

  #open(method: string, path: string, body?: unknown, signal?: AbortSignal) {
    return new Promise<IncomingMessage>((resolve, reject) => {
      const text = body === undefined ? undefined : isFile(body) ? body.bytes : JSON.stringify(body)
      const trace = currentTrace()
      const sending = httpRequest(
        {
          socketPath: this.socketPath,
          method,
          path: path.startsWith('/healthz') ? path : `/api/v1${path}`,
          headers: {
            host: 'signalbox',
            'x-signalbox-time': 'ms',
            ...(trace !== undefined && { traceparent: trace }),
            ...(text !== undefined && {
              'content-type': isFile(body) ? body.type : 'application/json',
              'content-length': Buffer.byteLength(text),
            }),
          },
          ...(signal && { signal }),
        },
        resolve,
      )
      sending.on('error', error => reject(daemonGone(error)))
      sending.end(text)
    })
  }
}

/** The daemon wants a proof that a person calls. */
export function isUnproven(error: unknown): error is SignalboxError {
  return error instanceof SignalboxError && error.code === 'E_STEP_UP' && error.details?.unproven !== undefined
}

/** Explains how long it takes until a daemon answers, and gives up only if none is starting. */
class StartWait {
  readonly #directory: string
  readonly #logFile: string
  readonly #context: Pick<CommandContext, 'progress'>
  #idleSince = systemClock.monotonic()
  #explainAt = systemClock.monotonic() + EXPLAIN_MS

  constructor(directory: string, logFile: string, context: Pick<CommandContext, 'progress'>) {
    this.#directory = directory
    this.#logFile = logFile
    this.#context = context
  }

  /** @throws SignalboxError `E_NOT_READY` */
  check(starting: DetachedStart | null): void {
    const now = systemClock.monotonic()
    const progress = readStartProgress(this.#directory)
    if (starting || progress) this.#idleSince = now
    if (now - this.#idleSince > LOCKED_TIMEOUT_MS)
      throw new SignalboxError('E_NOT_READY', 'another daemon holds this home directory and does not answer', {
        next: `see ${this.#logFile}; kill that daemon if it hangs: agents keep running`,
      })
    if (now < this.#explainAt) return
    this.#explainAt = now + EXPLAIN_AGAIN_MS
    const pid = progress?.pid ?? starting?.pid
    const who = pid === undefined ? 'another daemon' : `the daemon (pid ${pid})`
    this.#context.progress(`waiting for ${who}: ${progress?.doing ?? 'it is starting'}`)
  }
}

function isFile(body: unknown): body is { bytes: Buffer; type: string } {
  return typeof body === 'object' && body !== null && 'bytes' in body && body.bytes instanceof Buffer
}

function daemonGone(error: unknown): SignalboxError {
  return new SignalboxError('E_DAEMON_GONE', 'the daemon does not answer', {
    next: 'run the command again: it starts a new daemon',
    cause: error,
  })
}

function isTimeout(error: unknown): boolean {
  return (
    error instanceof Error && error.cause instanceof Error && ['AbortError', 'TimeoutError'].includes(error.cause.name)
  )
}

/** The reason why the daemon could not start becomes the error of the command. */
function startFailure(report: unknown, logFile: string): SignalboxError {
  const { code, message, next, place } = (report ?? {}) as {
    code?: ErrorCode
    message?: string
    next?: string
    place?: FilePosition
  }
  if (!code || !message)
    return new SignalboxError('E_NOT_READY', `the daemon exited before it was ready${message ? `: ${message}` : ''}`, {
      next: `see ${logFile}`,
    })
  return new SignalboxError(code, message, { ...(next !== undefined && { next }), ...(place && { place }) })
}

function parseEvent(text: string): { event: string; data: unknown } {
  const fields = new Map(
    text.split('\n').map(line => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trimStart()]),
  )
  return {
    event: fields.get('event') ?? 'message',
    data: JSON.parse(fields.get('data') ?? 'null'),
  }
}
