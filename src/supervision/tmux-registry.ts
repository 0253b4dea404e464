import { agentNames, type LivePacks, loadAgent } from '../agents/index.js'
import { type Clock, newId } from '../clock/index.js'
import { SignalboxError } from '../errors/index.js'
import type { Counters, SupervisorSettings } from '../panes/index.js'
import { TmuxSource } from '../panes/tmux/index.js'
import type { Redactor } from '../text/index.js'
import type { AgentPrograms } from './foreground-job.js'
import { TmuxPane } from './tmux-pane.js'

export interface TmuxLocations {
  directories?: readonly string[]
  sockets?: readonly string[]
}

export interface TmuxRegistryOptions {
  clock: Clock
  settings: SupervisorSettings
  packs: LivePacks
  redactor: Redactor
  env: NodeJS.ProcessEnv
  counters: Counters
  changed(id: string): void
  removed(id: string): void
  onError(error: unknown): void
}

/** The panes of all tmux servers: opened when tmux reports them, closed when they go. */
export class TmuxRegistry {
  readonly #options: TmuxRegistryOptions
  readonly #panes = new Map<string, TmuxPane>()
  readonly #byId = new Map<string, TmuxPane>()
  /** Every supervised pane, from the moment it was reported until it goes. */
  readonly #opening = new Map<string, Promise<TmuxPane | null>>()
  /** Panes beyond `panes.max_total`. */
  readonly #overflow = new Map<string, { socket: string; info: TmuxPane['info'] }>()
  /** What tmux reported about a pane while it was being opened, in order. */
  readonly #early = new Map<string, ((pane: TmuxPane) => void)[]>()
  /** A pane keeps its public id while its process lives, even if the connection is lost. */
  readonly #ids = new Map<string, string>()
  #source: TmuxSource | null = null
  #programs: Promise<AgentPrograms> | null = null
  #known: AgentPrograms | null = null
  #isClosed = false

  constructor(options: TmuxRegistryOptions) {
    this.#options = options
  }

  get panes(): readonly TmuxPane[] {
    return [...this.#panes.values()]
  }

  pane(id: string): TmuxPane | null {
    return this.#byId.get(id) ?? null
  }

  async join(locations: TmuxLocations): Promise<boolean> {
    const { settings, clock, env, onError } = this.#options
    if (!settings.panes.sources.includes('tmux')) return false
    await this.agentPrograms()
    this.#source ??= new TmuxSource({
      clock,
      env,
      described: (key, socket, info) => void this.#described(key, socket, info).catch(onError),
      output: (key, bytes) => this.#deliver(key, pane => pane.output(bytes)),
      content: (key, content) => this.#deliver(key, pane => pane.content(content)),
      paneClosed: key => this.#removePane(key),
      onError,
    })
    if (!this.#source.isAvailable) return false
    await this.#source.watch(locations)
    await Promise.all(this.#opening.values())
    return true
  }

  /** Closes every server and every pane; `join` may be called again. */
  closeAll(): void {
    this.#source?.close()
    this.#source = null
    this.#overflow.clear()
    for (const key of [...this.#opening.keys(), ...this.#panes.keys()]) this.#removePane(key)
  }

  close(): void {
    this.#isClosed = true
    this.#source?.close()
    for (const pane of this.#panes.values()) pane.close()
    this.#panes.clear()
    this.#byId.clear()
  }

  /** Agents by program names; null until they were loaded. */
  get knownPrograms(): AgentPrograms | null {
    return this.#known
  }

  agentPrograms(): Promise<AgentPrograms> {
    this.#programs ??= Promise.all(agentNames().map(loadAgent)).then(agents => {
      this.#known = new Map(agents.flatMap(agent => agent.programs.map(program => [program, agent.name] as const)))
      return this.#known
    })
    return this.#programs
  }

  #deliver(key: string, act: (pane: TmuxPane) => void): void {
    const early = this.#early.get(key)
    const pane = this.#panes.get(key)
    if (early) early.push(act)
    else if (pane) act(pane)
  }

  async #described(key: string, socket: string, info: TmuxPane['info']): Promise<void> {
    const known = this.#panes.get(key)
    if (known) {
      if (known.info.pid === info.pid) return known.describe(info)
      // The id now belongs to another process: another pane.
      this.#removePane(key)
    }
    if (this.#opening.has(key) && !known) return void (await this.#opening.get(key))?.describe(info)
    if (this.#opening.size >= this.#options.settings.panes.max_total) return this.#addOverflow(key, socket, info)
    await this.#begin(key, socket, info)
  }

  async #begin(key: string, socket: string, info: TmuxPane['info']): Promise<void> {
    this.#early.set(key, [])
    const opening = this.#openPane(key, socket, info).finally(() => this.#early.delete(key))
    this.#opening.set(key, opening)
    await opening
  }

  /** Beyond the limit: remembered until another pane goes, and reported once. */
  #addOverflow(key: string, socket: string, info: TmuxPane['info']): void {
    const { settings, counters, onError } = this.#options
    const isFirst = this.#overflow.size === 0
    if (!this.#overflow.has(key)) counters.add('pane.left_out', { reason: 'max_total' })
    this.#overflow.set(key, { socket, info })
    if (!isFirst) return
    onError(
      new SignalboxError(
        'E_LIMIT',
        `there are more than ${settings.panes.max_total} panes; the others are not supervised`,
        {
          next: 'raise panes.max_total',
        },
      ),
    )
  }

  /**
   * There is room again: the pane that has waited longest is added, and its content is captured.
   */
  #admitNext(): void {
    const [next] = this.#overflow
    if (!next || this.#isClosed || !this.#source) return
    const [key, { socket, info }] = next
    this.#overflow.delete(key)
    const source = this.#source
    void this.#begin(key, socket, info)
      .then(() => source.resync(key))
      .catch(this.#options.onError)
  }

  async #openPane(key: string, socket: string, info: TmuxPane['info']): Promise<TmuxPane | null> {
    const { clock, settings, packs, redactor, env, counters, onError } = this.#options
    const name = `${key} ${info.pid}`
    const id = this.#ids.get(name) ?? newId('pan')
    this.#ids.set(name, id)
    const pane = await TmuxPane.open({
      id,
      key,
      socket,
      info,
      clock,
      settings,
      packs,
      programs: await this.agentPrograms(),
      redactor,
      env,
      counters,
      changed: () => this.#options.changed(id),
      onError,
    })
    if (this.#isClosed || !this.#opening.has(key)) {
      pane.close()
      return null
    }
    this.#panes.set(key, pane)
    this.#byId.set(id, pane)
    const early = this.#early.get(key) ?? []
    this.#early.delete(key)
    for (const act of early) act(pane)
    await pane.untilPackChosen()
    this.#options.changed(id)
    return pane
  }

  #removePane(key: string): void {
    const pane = this.#panes.get(key)
    this.#overflow.delete(key)
    if (this.#opening.delete(key)) this.#admitNext()
    if (!pane) return
    this.#panes.delete(key)
    this.#byId.delete(pane.id)
    pane.close()
    this.#options.removed(pane.id)
  }
}
