import { join } from 'node:path'
import { type Clock, delay } from '../../clock/index.js'
import { SignalboxError } from '../../errors/index.js'
import type { SessionPort, SessionState } from '../../sessions/index.js'
import { readPart } from '../../terminal/recording/index.js'
import type { ServerLinks } from '../../workers/index.js'
import type { Host } from '../host.js'
import type { StartRequest } from '../prepare-session.js'
import type { RemoteSessionUpdate } from '../remote/index.js'
import { RecordingUpload } from './recording-upload.js'

/** A session that changes all the time is published at most this often. */
const PUBLISH_MS = 250
/** A session without a change is compared this often. */
const QUIET_MS = 30_000
const PART_BYTES = 1024 * 1024

export interface WorkerSessionsOptions {
  host: Host
  link: Pick<ServerLinks, 'send' | 'call'>
  /** When recordings are sent to the server (`recordings.upload`). */
  upload: 'live' | 'end'
  clock: Clock
  onError(error: unknown): void
}

/** Performs the server's calls on this worker's sessions, and publishes their state. */
export class WorkerSessions {
  readonly #options: WorkerSessionsOptions
  /** What the server knows of each session, as JSON by part. */
  readonly #published = new Map<string, Map<string, string>>()
  readonly #stops: (() => void)[]
  readonly #upload: RecordingUpload
  #isClosed = false

  constructor(options: WorkerSessionsOptions) {
    this.#options = options
    const { host } = options
    this.#stops = [
      host.bus.listen(update => this.#send(update.session, { update })),
      host.onCaughtUp(id => this.#follow(id)),
      host.panes?.listen(({ type, pane }) => {
        if (pane.source === 'session') this.#send(pane.id, type === 'gone' ? { isGone: true } : { pane })
      }) ?? (() => undefined),
    ]
    for (const { id } of host.localSessions()) this.#follow(id)
    this.#upload = new RecordingUpload({
      when: options.upload,
      store: host.store,
      server: options.link,
      clock: options.clock,
      records: () => host.records(),
      fileOf: session => this.#fileOf(session),
      onError: options.onError,
    })
    this.#upload.start()
  }

  /** The sessions whose terminals this worker has. */
  get ids(): string[] {
    return [...this.#published.keys()]
  }

  close(): void {
    this.#isClosed = true
    this.#upload.close()
    for (const stop of this.#stops) stop()
  }

  /** A server is connected: it gets everything, and sessions that it has as ended are ended. */
  connected(ended: readonly string[]): void {
    const { host, onError } = this.#options
    for (const id of ended) void host.local(id)?.stop('its server has ended it').catch(onError)
    for (const id of this.ids) this.#publishAll(id)
  }

  /** No server was reachable for too long: the sessions count as lost. */
  async giveUp(): Promise<void> {
    await Promise.all(this.#options.host.localSessions().map(session => session.stop('its worker was lost')))
  }

  /** @throws SignalboxError for an unknown session or operation. */
  async answer(method: string, params: Record<string, unknown>): Promise<unknown> {
    const { host } = this.#options
    const id = String(params.session)
    if (method === 'session.start') {
      await host.startSession({ ...(params.request as StartRequest), id, terminal: null })
      this.#follow(id)
      return null
    }
    if (method === 'session.recording') {
      const part = await readPart(this.#fileOf(id), Number(params.offset), Math.min(Number(params.most), PART_BYTES))
      return part.toString('base64')
    }
    const session = await host.whenLocal(id)
    if (!session) throw new SignalboxError('E_STATE', `session ${id} has ended`)
    const result = await this.#operate(session, method, params)
    // The caller sees the resulting state.
    this.publish(id)
    return result ?? null
  }

  async #operate(session: SessionPort, method: string, params: Record<string, unknown>): Promise<unknown> {
    const { host } = this.#options
    switch (method) {
      case 'session.frame':
        return session.currentFrame()
      case 'session.type':
        return session.type(Buffer.from(String(params.data), 'base64'), params.person as string | null)
      case 'session.send':
        return session.send(String(params.text), params.options as Parameters<SessionPort['send']>[1])
      case 'session.drop':
        return session.dropPrompt(String(params.prompt))
      case 'session.interrupt':
        return session.interrupt()
      case 'session.stop':
        return session.stop(String(params.reason), params.graceMs as number | undefined)
      case 'session.effects-done':
        return session.effectsDone()
      case 'session.apply':
        return this.#apply(session, String(params.approval))
      case 'session.explain':
        return host.explain(await host.record(session.id), params.at as number | null)
      default:
        throw new SignalboxError('E_UNKNOWN', `unknown operation ${method}`)
    }
  }

  async #apply(session: SessionPort, approval: string): Promise<void> {
    const record = await this.#options.host.sessionLedger.get(approval)
    if (record?.subject.session === session.id) await session.apply(record)
  }

  /** Publishes the changes of a session until it has ended. */
  #follow(id: string): void {
    if (this.#published.has(id)) return
    this.#published.set(id, new Map())
    void this.#publishing(id).catch(this.#options.onError)
  }

  async #publishing(id: string): Promise<void> {
    const { host, clock } = this.#options
    while (!this.#isClosed) {
      const session = host.local(id)
      this.publish(id)
      if (!session || session.exit) break
      await session.changed(QUIET_MS)
      this.publish(id)
      await delay(clock, PUBLISH_MS)
    }
    if (this.#isClosed) return
    this.#send(id, { isGone: true })
    this.#published.delete(id)
    this.#upload.ended(id)
  }

  #fileOf(session: string): string {
    if (!/^ses_\w+$/.test(session)) throw new SignalboxError('E_INPUT', `"${session}" is not a session of this worker`)
    return join(this.#options.host.settings.dataDirectory, 'recordings', `${session}.cast`)
  }

  #publishAll(id: string): void {
    this.#published.set(id, new Map())
    this.publish(id)
    const pane = this.#options.host.panes?.list().find(candidate => candidate.id === id)
    if (pane) this.#send(id, { pane })
  }

  /** Sends the parts of a session that have changed since. */
  publish(id: string): void {
    const { host } = this.#options
    const session = host.local(id)
    const published = this.#published.get(id)
    if (!session || !published) return
    const changed = (name: string, value: unknown) => {
      const text = JSON.stringify(value)
      if (published.get(name) === text) return false
      published.set(name, text)
      return true
    }
    const state = Object.fromEntries(Object.entries(stateOf(session)).filter(([name, value]) => changed(name, value)))
    const stats = host.agentStats(id)
    const usage = host.usageOf(id)
    const update: RemoteSessionUpdate = {
      ...(Object.keys(state).length > 0 && { state }),
      ...(changed('stats', stats) && { stats }),
      ...(changed('usage', usage) && { usage }),
    }
    if (Object.keys(update).length > 0) this.#send(id, update)
  }

  #send(session: string, update: RemoteSessionUpdate): void {
    this.#options.link.send({ type: 'live', session, update: update as Record<string, unknown> })
  }
}

/** Blocks come with their updates: a long answer is not sent again for each change. */
function stateOf(session: SessionPort): Omit<SessionState, 'blocks'> {
  const { observation } = session
  return {
    phase: session.phase,
    lastTurn: session.lastTurn,
    exit: session.exit,
    observation: observation && {
      view: observation.view,
      busy: observation.busy,
      awaiting: observation.awaiting,
      rule: observation.rule,
      facets: observation.facets,
    },
    question: session.question,
    compactCommand: session.compactCommand,
    approval: session.approval,
    openMessage: session.openMessage,
    holder: session.holder,
    heldPrompts: session.heldPrompts,
    viewers: session.viewers,
    isIdle: session.isIdle,
    offset: session.offset,
    isApplicationCursor: session.isApplicationCursor,
  }
}
