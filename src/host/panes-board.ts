import { type AgentReport, agentNames, loadAgent, type PackShelf } from '../agents/index.js'
import { type Clock, newId, type Timer } from '../clock/index.js'
import { SignalboxError } from '../errors/index.js'
import {
  type Count,
  Counters,
  type LoggedReport,
  type Pane,
  type StatusEntry,
  Supervisor,
  type SupervisorSettings,
} from '../panes/index.js'
import { TmuxSource } from '../panes/tmux/index.js'
import { findExecutable, runCommand } from '../process/index.js'
import type { Frame } from '../terminal/index.js'
import type { Redactor } from '../text/index.js'
import type { ForeignCall } from './hook-inbox.js'
import { doingOf, type PaneInfo } from './panes-info.js'
import type { AgentPrograms } from './panes-job.js'
import { TmuxPane } from './panes-tmux.js'

export interface PaneBoardOptions {
  clock: Clock
  settings: SupervisorSettings
  packs: PackShelf
  redactor: Redactor
  env: NodeJS.ProcessEnv
  onError(error: unknown): void
}

/** A session of our own, as far as the board needs it. */
export interface SessionPane {
  id: string
  supervisor: Supervisor
  now(): number
  wall(t: number): number
  about(): { place: string; name: string; agent: string; cwd: string; approval: string | null }
}

export type BoardChange = { type: 'pane'; pane: PaneInfo; before: PaneInfo | null } | { type: 'gone'; pane: PaneInfo }

export interface PaneExplanation {
  pane: PaneInfo
  /** Every report of the last hour; times are wall milliseconds. */
  reports: (LoggedReport & { at: number; lastAt: number })[]
  status: (StatusEntry & { at: number })[]
  screen: string[]
}

/** All panes that are supervised, ours and tmux's: what each is, as one list that tells of its changes. */
export class PaneBoard {
  readonly #options: PaneBoardOptions
  readonly #sessions = new Map<string, SessionPane>()
  readonly #panes = new Map<string, TmuxPane>()
  readonly #opening = new Map<string, Promise<TmuxPane | null>>()
  /** A pane keeps its public id while its process lives, also over a lost connection. */
  readonly #ids = new Map<string, string>()
  readonly #shown = new Map<string, PaneInfo>()
  readonly #keys = new Map<string, string>()
  /** Sessions that a person has renamed since they were opened. */
  readonly #names = new Map<string, string>()
  readonly #listeners = new Set<(change: BoardChange) => void>()
  readonly #counters = new Counters()
  #source: TmuxSource | null = null
  #programs: Promise<AgentPrograms> | null = null
  #tick: Timer | null = null
  #isClosed = false

  constructor(options: PaneBoardOptions) {
    this.#options = options
  }

  get counters(): Counters {
    return this.#counters
  }

  get settings(): SupervisorSettings {
    return this.#options.settings
  }

  /** Joins the tmux servers in these places, and every one that comes. False: there is no tmux, or it is switched off. */
  async joinTmux(places: { directories?: readonly string[]; sockets?: readonly string[] }): Promise<boolean> {
    const { settings, clock, env, onError } = this.#options
    if (!settings.panes.sources.includes('tmux')) return false
    await this.#agentPrograms()
    this.#source ??= new TmuxSource({
      clock,
      env,
      described: (key, socket, info) => void this.#described(key, socket, info).catch(onError),
      output: (key, bytes) => this.#panes.get(key)?.output(bytes),
      content: (key, content) =>
        void this.#opening
          .get(key)
          ?.then(pane => pane?.content(content))
          .catch(onError),
      gone: key => this.#gone(key),
      onError,
    })
    if (!this.#source.isAvailable) return false
    await this.#source.watch(places)
    await Promise.all(this.#opening.values())
    this.#startTicking()
    return true
  }

  get tmux(): TmuxSource | null {
    return this.#source
  }

  /** The supervisor for a pane of ours. */
  supervise(pane: Pane): Supervisor {
    const { settings, onError } = this.#options
    return new Supervisor(pane, { settings, agentPrograms: agentNames(), counters: this.#counters, onError })
  }

  addSession(pane: SessionPane | null): void {
    if (!pane || !this.#options.settings.panes.sources.includes('session')) return
    this.#sessions.set(pane.id, pane)
    this.#startTicking()
    this.changed(pane.id)
  }

  /** A session has another name, or none of its own again. */
  renamed(id: string, name: string | null): void {
    if (name === null) this.#names.delete(id)
    else this.#names.set(id, name)
    this.changed(id)
  }

  /** Its end has been told by its status; a moment later it leaves the list. */
  removeSession(id: string): void {
    if (!this.#sessions.delete(id)) return
    this.#leave(id)
  }

  list(): PaneInfo[] {
    return [
      ...[...this.#sessions.values()].map(pane => this.#ofSession(pane)),
      ...[...this.#panes.values()].map(pane => this.#ofTmux(pane)),
    ]
  }

  listen(listener: (change: BoardChange) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** By id, a unique beginning of it, a session's number, or a place in tmux. */
  find(word: string): PaneInfo {
    const all = this.list()
    const exact = all.find(pane => pane.id === word || pane.place === word || pane.tmuxPane === word)
    if (exact) return exact
    const begun = all.filter(pane => pane.id.startsWith(word))
    if (begun.length === 1) return begun[0]!
    if (begun.length > 1)
      throw new SignalboxError('E_ID_AMBIGUOUS', `"${word}" is the beginning of ${begun.length} panes`, {
        next: 'write more of the id',
      })
    throw new SignalboxError('E_UNKNOWN', `there is no pane "${word}"`, { next: 'signalbox watch lists them' })
  }

  act(id: string, what: 'seen' | 'clear' | 'heuristics-off' | 'heuristics-auto'): PaneInfo {
    const { supervisor, now } = this.#of(id)
    if (what === 'seen') supervisor.seen(now)
    else if (what === 'clear') supervisor.clear(now)
    else supervisor.setHeuristics(what === 'heuristics-off' ? 'off' : 'auto')
    this.changed(id)
    return this.find(id)
  }

  explain(id: string): PaneExplanation {
    const { supervisor, now, wall } = this.#of(id)
    return {
      pane: this.find(id),
      reports: supervisor.reports(now).map(report => ({ ...report, at: wall(report.t), lastAt: wall(report.lastT) })),
      status: supervisor.history.map(entry => ({ ...entry, at: wall(entry.t) })),
      screen:
        supervisor.pane.screen.last?.frame.lines.map(row => this.#options.redactor.redactSameWidth(row.text)) ?? [],
    }
  }

  /** Brings a pane of tmux to the front, as far as that can be done from outside: its window and itself are selected. */
  async focus(id: string): Promise<{ ok: boolean; message: string }> {
    const pane = this.tmuxPane(id)
    if (!pane)
      throw new SignalboxError('E_STATE', 'a session of ours has no window', { next: `signalbox attach ${id}` })
    const { env } = this.#options
    const file = findExecutable('tmux', { path: env.PATH, cwd: '/' })
    if (!file || !/^%\d+$/.test(pane.info.pane)) return { ok: false, message: 'tmux was not found' }
    const target = pane.info.pane
    const args = ['-S', pane.socket, 'select-window', '-t', target, ';', 'select-pane', '-t', target]
    const { code, stderr } = await runCommand(file, args, { cwd: '/', env, timeoutMs: 5_000 })
    if (code !== 0) return { ok: false, message: `tmux: ${stderr.trim() || 'the pane is gone'}` }
    return { ok: true, message: `selected ${pane.info.place}` }
  }

  /** What a pane shows; null for one that is gone, or shows nothing yet. */
  screenOf(id: string): Frame | null {
    const found = this.#sessions.get(id) ?? this.tmuxPane(id)
    return found?.supervisor.pane.screen.last?.frame ?? null
  }

  stats(): { panes: Record<string, number>; counters: Count[] } {
    const panes: Record<string, number> = {}
    for (const { status } of this.list()) panes[status] = (panes[status] ?? 0) + 1
    return { panes, counters: this.#counters.all() }
  }

  /** The tmux pane that a hook call comes from: by its own id, its terminal, or the one pane of this agent in this directory. */
  hearerOf(call: ForeignCall): { id: string; hear(report: AgentReport): void } | null {
    const pane = this.#paneOf(call)
    return pane && { id: pane.id, hear: report => pane.hear(report) }
  }

  #paneOf({ agent, tmuxPane, socket, tty, cwd }: ForeignCall): TmuxPane | null {
    const all = [...this.#panes.values()]
    if (tmuxPane !== null) {
      const named = all.filter(pane => pane.info.pane === tmuxPane && (socket === null || pane.socket === socket))
      return named.length === 1 ? named[0]! : null
    }
    const onTerminal = tty === null ? undefined : all.find(pane => pane.info.tty === tty)
    if (onTerminal) return onTerminal
    const here = all.filter(pane => pane.agent === agent && cwd !== null && pane.info.cwd === cwd)
    return here.length === 1 ? here[0]! : null
  }

  tmuxPane(id: string): TmuxPane | null {
    return [...this.#panes.values()].find(pane => pane.id === id) ?? null
  }

  /** Tells of a pane if there is something to tell. */
  changed(id: string): void {
    const session = this.#sessions.get(id)
    const pane = session ? null : this.tmuxPane(id)
    if (pane?.isOwn) return this.#leave(id)
    const info = session ? this.#ofSession(session) : pane ? this.#ofTmux(pane) : null
    if (!info) return
    const key = JSON.stringify({
      ...info,
      stateId: 0,
      why: { ...info.why, staleForS: info.why.staleForS === null ? null : 1 },
    })
    if (this.#keys.get(id) === key) return
    this.#keys.set(id, key)
    const before = this.#shown.get(id) ?? null
    this.#shown.set(id, info)
    this.#tell({ type: 'pane', pane: info, before })
  }

  close(): void {
    this.#isClosed = true
    this.#tick?.cancel()
    this.#source?.close()
    for (const pane of this.#panes.values()) pane.close()
    this.#panes.clear()
  }

  // — inside —

  async #described(key: string, socket: string, info: TmuxPane['info']): Promise<void> {
    const known = this.#panes.get(key)
    if (known) {
      if (known.info.pid === info.pid) return known.describe(info)
      // The id was given to another process: another pane.
      this.#gone(key)
    }
    if (this.#opening.has(key) && !known) return void (await this.#opening.get(key))?.describe(info)
    if (this.#panes.size + this.#opening.size >= this.#options.settings.panes.max_total) return
    const opening = this.#openPane(key, socket, info)
    this.#opening.set(key, opening)
    await opening
  }

  async #openPane(key: string, socket: string, info: TmuxPane['info']): Promise<TmuxPane | null> {
    const { clock, settings, packs, redactor, onError } = this.#options
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
      programs: await this.#agentPrograms(),
      redactor,
      counters: this.#counters,
      changed: () => this.changed(id),
      onError,
    })
    if (this.#isClosed || !this.#opening.has(key)) {
      pane.close()
      return null
    }
    this.#panes.set(key, pane)
    await pane.settled()
    this.changed(id)
    return pane
  }

  #gone(key: string): void {
    const pane = this.#panes.get(key)
    this.#opening.delete(key)
    if (!pane) return
    this.#panes.delete(key)
    pane.close()
    this.#leave(pane.id)
  }

  #leave(id: string): void {
    const info = this.#shown.get(id)
    this.#shown.delete(id)
    this.#keys.delete(id)
    if (info) this.#tell({ type: 'gone', pane: info })
  }

  #tell(change: BoardChange): void {
    for (const listener of this.#listeners) {
      try {
        listener(change)
      } catch (error) {
        this.#options.onError(error)
      }
    }
  }

  /** One tick for all: a pane whose turn fails does not keep the others from theirs. */
  #startTicking(): void {
    if (this.#tick || this.#isClosed) return
    const { clock, settings, onError } = this.#options
    const beat = () => {
      this.#tick = clock.setTimer(settings.panes.poll_s * 1000, beat)
      for (const pane of this.#panes.values()) attempt(() => pane.tick(), onError)
      for (const pane of this.#sessions.values())
        attempt(() => {
          pane.supervisor.tick(pane.now())
          this.changed(pane.id)
        }, onError)
    }
    this.#tick = clock.setTimer(settings.panes.poll_s * 1000, beat)
  }

  #agentPrograms(): Promise<AgentPrograms> {
    this.#programs ??= Promise.all(agentNames().map(loadAgent)).then(
      agents => new Map(agents.flatMap(agent => agent.programs.map(program => [program, agent.name] as const))),
    )
    return this.#programs
  }

  #of(id: string): { supervisor: Supervisor; now: number; wall(t: number): number } {
    const found = this.#sessions.get(id) ?? this.tmuxPane(id)
    if (!found)
      throw new SignalboxError('E_UNKNOWN', `there is no pane "${id}"`, { next: 'signalbox watch lists them' })
    return { supervisor: found.supervisor, now: found.now(), wall: t => found.wall(t) }
  }

  #ofSession(pane: SessionPane): PaneInfo {
    const { place, name, agent, cwd, approval } = pane.about()
    return {
      ...this.#common(pane),
      source: 'session',
      place,
      name: this.#names.get(pane.id) ?? name,
      agent: agent === 'generic' ? null : agent,
      cwd,
      isFocused: false,
      isInMode: false,
      ...(approval !== null && { approval }),
    }
  }

  #ofTmux(pane: TmuxPane): PaneInfo {
    const { info, agent, socket } = pane
    return {
      ...this.#common(pane),
      source: 'tmux',
      place: info.place,
      name: info.window,
      socket,
      tmuxPane: info.pane,
      agent,
      cwd: info.cwd,
      isFocused: info.isFocused,
      isInMode: info.isInMode,
    }
  }

  #common(pane: { id: string; supervisor: Supervisor; now(): number; wall(t: number): number }) {
    const t = pane.now()
    const state = pane.supervisor.state(t)
    const { redactor } = this.#options
    const { job } = pane.supervisor
    const paneState = pane.supervisor.pane.state(t)
    return {
      id: pane.id,
      job: job?.name ?? null,
      command: job?.commandLine ?? '',
      title: redactor.redact(pane.supervisor.pane.screen.last?.frame.title ?? ''),
      status: state.status,
      shown: state.shown,
      since: Math.round(pane.wall(state.since)),
      startedAt: Math.round(pane.wall(state.startedAt)),
      ...(state.waitedSince !== undefined && { waitedSince: Math.round(pane.wall(state.waitedSince)) }),
      needsYou: state.status === 'waiting-approval',
      doing: doingOf(paneState, state, text => redactor.redact(text)),
      seen: state.seen,
      background: state.background,
      stuck: state.stuck,
      ...(state.exitCode !== undefined && { exitCode: state.exitCode }),
      isFaded: state.isFaded,
      isRecent: state.isRecent,
      why: {
        claim: state.claim?.is ?? null,
        authority: state.authority,
        rule: state.rule,
        confidence: state.confidence,
        staleForS: state.staleFor === null ? null : Math.round(state.staleFor),
      },
      heuristics: state.heuristics,
      gate: state.gate,
      flicker: state.flicker,
      generation: state.generation,
      stateId: state.stateId,
    }
  }
}

function attempt(work: () => void, onError: (error: unknown) => void): void {
  try {
    work()
  } catch (error) {
    onError(error)
  }
}
