import { mkdirSync, watch } from 'node:fs'
import type { Clock, Timer } from '../clock/index.js'
import { SignalboxError, toSignalboxError } from '../errors/index.js'
import { isInRange, type Pack, type PackSource } from '../screen/pack/index.js'
import { buildPack, loadDetections, type PackDirectories, readSources } from './pack-files.js'

/** Editors write a file in several steps. */
const DEBOUNCE_MS = 200

/** A pack in use: its content is replaced, so a holder sees new rules at once. */
export interface LivePack {
  readonly pack: Pack
  readonly version: string | null
  /** Switches to the file for the agent's version, once that is known. */
  useVersion(version: string): Promise<{ isInRange: boolean }>
  /** Called when its content was replaced. */
  onReplaced: (() => void) | null
  release(): void
}

export interface PackProblem {
  agent: string
  file: string
  line: number | null
  message: string
}

export interface LivePacksOptions {
  directories: PackDirectories
  clock: Clock
  onFailed(problem: PackProblem): void
  onReloaded(agent: string): void
}

/**
 * The packs of running sessions. The person's own directory is watched: a changed file takes effect
 * at once in every session; a broken one is reported and changes nothing.
 */
export class LivePacks {
  readonly #options: LivePacksOptions
  readonly #live = new Set<OwnedPack>()
  readonly #problems = new Map<string, PackProblem>()
  #timer: Timer | null = null
  #watcher: { close(): void } | null = null

  constructor(options: LivePacksOptions) {
    this.#options = options
  }

  /** An agent's pack, until the session ends. A person's broken file is reported and ignored. */
  async acquire(agent: string | null, version: string | null = null): Promise<LivePack> {
    const name = agent ?? 'generic'
    const owned = new OwnedPack(name, version, await this.#build(name, version), this)
    this.#live.add(owned)
    return owned
  }

  /** The pack that names a program for which there is no adapter; null if none does. */
  async nameFor(program: string): Promise<string | null> {
    const name = program.slice(program.lastIndexOf('/') + 1)
    const detections = await loadDetections(this.#options.directories)
    return detections.find(({ argv0 }) => argv0.includes(name))?.agent ?? null
  }

  /** Files that could not be loaded. */
  problems(): PackProblem[] {
    return [...this.#problems.values()]
  }

  /** Watches the person's directory; if it cannot, packs are read when a session starts. */
  watch(): void {
    const { user } = this.#options.directories
    if (user === null || this.#watcher) return
    try {
      mkdirSync(user, { recursive: true, mode: 0o700 })
      const watcher = watch(user, { recursive: true, persistent: false }, () => this.#changed())
      watcher.on('error', () => watcher.close())
      this.#watcher = watcher
    } catch {
      this.#watcher = null
    }
  }

  close(): void {
    this.#watcher?.close()
    this.#timer?.cancel()
  }

  /** Reloads all packs in use. */
  async reload(): Promise<void> {
    const agents = new Set([...this.#live].map(owned => owned.agent))
    for (const agent of agents) {
      const owners = [...this.#live].filter(owned => owned.agent === agent)
      try {
        const [shipped, own] = await readSources(agent, this.#options.directories)
        const fresh = owners.map(owned => buildPack(shipped, own, owned.version))
        owners.forEach((owned, index) => {
          owned.replace(fresh[index]!)
        })
        this.#forget(agent)
        this.#options.onReloaded(agent)
      } catch (error) {
        this.#failed(agent, error)
      }
    }
  }

  /** @internal */
  async rebuild(owned: OwnedPack, version: string): Promise<Pack> {
    return this.#build(owned.agent, version)
  }

  /** @internal */
  drop(owned: OwnedPack): void {
    this.#live.delete(owned)
  }

  #changed(): void {
    this.#timer?.cancel()
    this.#timer = this.#options.clock.setTimer(DEBOUNCE_MS, () => {
      this.#timer = null
      void this.reload()
    })
  }

  async #build(agent: string, version: string | null): Promise<Pack> {
    const [shipped, all] = await readSources(agent, this.#options.directories)
    let own: PackSource[] = all
    for (;;) {
      try {
        return buildPack(shipped, own, version)
      } catch (error) {
        const { place } = toSignalboxError(error)
        const without = own.filter(source => source.file !== place?.file)
        if (without.length === own.length) throw error
        this.#failed(agent, error)
        own = without
      }
    }
  }

  #failed(agent: string, error: unknown): void {
    const { place, message } = error instanceof SignalboxError ? error : toSignalboxError(error)
    const problem: PackProblem = { agent, file: place?.file ?? agent, line: place?.line ?? null, message }
    const before = this.#problems.get(problem.file)
    this.#problems.set(problem.file, problem)
    if (JSON.stringify(before) !== JSON.stringify(problem)) this.#options.onFailed(problem)
  }

  #forget(agent: string): void {
    for (const [file, problem] of this.#problems) if (problem.agent === agent) this.#problems.delete(file)
  }
}

class OwnedPack implements LivePack {
  readonly agent: string
  readonly pack: Pack
  version: string | null
  onReplaced: (() => void) | null = null
  readonly #packs: LivePacks

  constructor(agent: string, version: string | null, pack: Pack, packs: LivePacks) {
    this.agent = agent
    this.version = version
    this.pack = pack
    this.#packs = packs
  }

  async useVersion(version: string): Promise<{ isInRange: boolean }> {
    this.version = version
    this.replace(await this.#packs.rebuild(this, version))
    return { isInRange: isInRange(version, this.pack.range) }
  }

  replace(fresh: Pack): void {
    Object.assign(this.pack, fresh)
    this.onReplaced?.()
  }

  release(): void {
    this.#packs.drop(this)
  }
}
