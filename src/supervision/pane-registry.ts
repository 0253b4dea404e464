import { agentNames, type LivePacks } from '../agents/index.js'
import type { Clock, Timer } from '../clock/index.js'
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
import { findExecutable, runCommand } from '../process/index.js'
import type { ForeignCall, ReportReceiver } from '../reports/index.js'
import type { JoinedConversation } from '../sessions/index.js'
import type { Frame } from '../terminal/index.js'
import type { Redactor } from '../text/index.js'
import { paneByWord, paneOfCall } from './find-pane.js'
import { readJob } from './foreground-job.js'
import { copyOf, type LiveSettings, type SwitchChange } from './live-settings.js'
import { digestOf, PaneChangeFeed, type PaneListChange } from './pane-changes.js'
import { describeSession, describeTmux, type PaneInfo } from './pane-info.js'
import { checkTerminalReads } from './terminal-read-check.js'
import type { TmuxPane } from './tmux-pane.js'
import { type TmuxLocations, TmuxRegistry } from './tmux-registry.js'

export interface PaneRegistryOptions {
  clock: Clock
  settings: SupervisorSettings
  packs: LivePacks
  redactor: Redactor
  env: NodeJS.ProcessEnv
  onSwitch(change: SwitchChange): void
  onError(error: unknown): void
}

/**
 * `seen`: the result that is shown. `read`: the same, and a result that appears within a moment;
 * its answer was read elsewhere.
 */
export const PANE_ACTIONS = [
  'seen',
  'read',
  'clear',
  'heuristics-off',
  'heuristics-auto',
  'notify-off',
  'notify-on',
] as const
export type PaneAction = (typeof PANE_ACTIONS)[number]

/** Panes that are updated together, and the pause until the next ones. */
const BATCH = 16
const PAUSE_MS = 20
/** An idle session is updated once in this many ticks: hundreds of them cost hardly anything. */
const IDLE_TICKS = 30
/** How long after an answer was read its status may still appear. */
const READ_MS = 3_000
/** A new pane is read when its screen has been still for a moment. */
const FIRST_READ_MS = 3_000

/** A session of our own, as far as the registry needs it. */
export interface SessionPane {
  id: string
  supervisor: Supervisor
  now(): number
  wall(t: number): number
  about(): { place: string; name: string; agent: string; cwd: string; approval: string | null; pid: number }
}

export interface PaneExplanation {
  pane: PaneInfo
  /** Every report of the last hour; times are wall-clock milliseconds. */
  reports: (LoggedReport & { at: number; lastAt: number })[]
  status: (StatusEntry & { at: number })[]
  screen: string[]
}

/** All supervised panes, our own and tmux's, as one list that publishes its changes. */
export class PaneRegistry {
  readonly #options: PaneRegistryOptions
  /** A copy that switches may change at run time. */
  readonly #settings: LiveSettings
  readonly #sessions = new Map<string, SessionPane>()
  /** Sessions on workers, as those describe them. */
  readonly #remote = new Map<string, PaneInfo>()
  readonly #tmux: TmuxRegistry
  readonly #muted = new Set<string>()
  readonly #changes: PaneChangeFeed
  /** Sessions that have got another name since they were opened. */
  readonly #names = new Map<string, string>()
  /** Sessions whose answer a person has just read, before their status says that it is there. */
  readonly #readUntil = new Map<string, number>()
  readonly #counters = new Counters()
  /** Where tmux servers are searched, also after tmux was switched off and on again. */
  #locations: Required<TmuxLocations> = { directories: [], sockets: [] }
  #tick: Timer | null = null
  #ticks = 0
  /** Panes that are not updated yet in this tick. */
  #rest: Timer | null = null
  #isClosed = false

  constructor(options: PaneRegistryOptions) {
    this.#options = options
    this.#settings = copyOf(options.settings)
    this.#changes = new PaneChangeFeed(options.onError)
    this.#tmux = new TmuxRegistry({
      ...options,
      settings: this.#settings,
      counters: this.#counters,
      changed: id => this.changed(id),
      removed: id => this.#changes.remove(id),
    })
  }

  get counters(): Counters {
    return this.#counters
  }

  get settings(): SupervisorSettings {
    return this.#settings
  }

  /** Connects to the tmux servers there, and to new ones. False if tmux is missing or off. */
  async joinTmux({ directories = [], sockets = [] }: TmuxLocations): Promise<boolean> {
    const before = this.#locations
    this.#locations = {
      directories: [...new Set([...before.directories, ...directories])],
      sockets: [...new Set([...before.sockets, ...sockets])],
    }
    const isJoined = await this.#tmux.join(this.#locations)
    if (isJoined) this.#startTicking()
    return isJoined
  }

  supervise(pane: Pane): Supervisor {
    const { onError } = this.#options
    return new Supervisor(pane, {
      settings: this.#settings,
      agentPrograms: agentNames(),
      counters: this.#counters,
      canCheckReads: true,
      onError,
    })
  }

  addSession(pane: SessionPane | null): void {
    if (!pane || !this.#settings.panes.sources.includes('session')) return
    this.#sessions.set(pane.id, pane)
    this.#startTicking()
    this.changed(pane.id)
  }

  /** A session has another name, or its default name again. */
  renamed(id: string, name: string | null): void {
    if (name === null) this.#names.delete(id)
    else this.#names.set(id, name)
    this.changed(id)
  }

  /** Its status has reported the end; a moment later it leaves the list. */
  removeSession(id: string): void {
    if (this.#sessions.delete(id)) this.#changes.remove(id)
  }

  /** A session on a worker has appeared or changed. */
  addRemote(pane: PaneInfo): void {
    this.#remote.set(pane.id, pane)
    this.changed(pane.id)
  }

  /** Its worker is away: what it does is not known. */
  remoteAway(id: string, doing: string): void {
    const pane = this.#remote.get(id)
    if (pane) this.addRemote({ ...pane, doing })
  }

  removeRemote(id: string): void {
    if (this.#remote.delete(id)) this.#changes.remove(id)
  }

  list(): PaneInfo[] {
    return [
      ...[...this.#sessions.values()].map(pane => this.#ofSession(pane)),
      ...[...this.#remote.values()].map(pane => this.#ofRemote(pane)),
      ...this.#tmux.panes.filter(pane => !pane.isOwn).map(pane => this.#ofTmux(pane)),
    ]
  }

  listen(listener: (change: PaneListChange) => void): () => void {
    return this.#changes.listen(listener)
  }

  /** Finds a pane by id, a unique prefix of it, a session's number, or a place in tmux. */
  find(word: string): PaneInfo {
    return paneByWord(this.list(), word)
  }

  /** Notifications are muted here; the rest of a remote pane is switched by its worker. */
  performAction(id: string, what: PaneAction): PaneInfo {
    if (what === 'notify-off' || what === 'notify-on') {
      if (what === 'notify-off') this.#muted.add(id)
      else this.#muted.delete(id)
      this.#options.onSwitch({ switch: 'notify', isOn: what === 'notify-on', pane: id })
    } else this.#supervise(id, what)
    this.changed(id)
    return this.find(id)
  }

  #supervise(id: string, what: Exclude<PaneAction, 'notify-off' | 'notify-on'>): void {
    const { supervisor, now } = this.#of(id)
    switch (what) {
      case 'read':
        this.#readUntil.set(id, this.#options.clock.now() + READ_MS)
        return supervisor.seen(now)
      case 'seen':
        return supervisor.seen(now)
      case 'clear':
        return supervisor.clear(now)
      case 'heuristics-off':
      case 'heuristics-auto':
        supervisor.setHeuristics(what === 'heuristics-off' ? 'off' : 'auto')
        this.#options.onSwitch({ switch: 'heuristics', isOn: what === 'heuristics-auto', pane: id })
    }
  }

  /** Switches a source of evidence on or off for all panes, at once. */
  setSwitch(name: 'heuristics' | 'osc7501' | 'tmux', isOn: boolean): void {
    if (name === 'heuristics') this.#settings.heuristics.mode = isOn ? 'auto' : 'off'
    if (name === 'osc7501') this.#settings.osc7501.enabled = isOn
    if (name === 'tmux') {
      const others = this.#settings.panes.sources.filter(source => source !== 'tmux')
      this.#settings.panes.sources = isOn ? [...others, 'tmux'] : others
      if (!isOn) this.#tmux.closeAll()
      else void this.joinTmux(this.#locations).catch(this.#options.onError)
    }
    for (const { supervisor } of [...this.#sessions.values(), ...this.#tmux.panes]) supervisor.applySettings()
    for (const { id } of this.list()) this.changed(id)
  }

  explain(id: string): PaneExplanation {
    const { supervisor, now, wall } = this.#of(id)
    const at = (t: number) => Math.round(wall(t))
    return {
      pane: this.find(id),
      reports: supervisor.reports(now).map(report => ({ ...report, at: at(report.t), lastAt: at(report.lastT) })),
      status: supervisor.history.map(entry => ({ ...entry, at: at(entry.t) })),
      screen:
        supervisor.pane.screen.last?.frame.lines.map(row => this.#options.redactor.redactSameWidth(row.text)) ?? [],
    }
  }

  /** Brings a tmux pane to the front: selects its window and the pane. */
  async focus(id: string): Promise<{ ok: boolean; message: string }> {
    const pane = this.tmuxPane(id)
    if (!pane)
      throw new SignalboxError('E_STATE', 'a Signalbox session has no window', { next: `signalbox attach ${id}` })
    const { env } = this.#options
    const file = findExecutable('tmux', { path: env.PATH, cwd: '/' })
    if (!file || !/^%\d+$/.test(pane.info.pane)) return { ok: false, message: 'tmux was not found' }
    const target = pane.info.pane
    const args = ['-S', pane.socket, 'select-window', '-t', target, ';', 'select-pane', '-t', target]
    const { code, stderr } = await runCommand(file, args, { cwd: '/', env, timeoutMs: 5_000 })
    if (code !== 0) return { ok: false, message: `tmux: ${stderr.trim() || 'the pane is gone'}` }
    return { ok: true, message: `selected ${pane.info.place}` }
  }

  /** The screen of a pane; null for one that is gone, or has no screen yet. */
  screenOf(id: string): Frame | null {
    const found = this.#sessions.get(id) ?? this.tmuxPane(id)
    return found?.supervisor.pane.screen.last?.frame ?? null
  }

  /** The conversation in a tmux pane, as far as its terminal kept it; else null. */
  async conversationOf(id: string): Promise<JoinedConversation | null> {
    const talk = this.tmuxPane(id)?.conversation ?? null
    await talk?.untilRead(FIRST_READ_MS)
    return talk
  }

  stats(): { panes: Record<string, number>; counters: Count[] } {
    const panes: Record<string, number> = {}
    for (const { status } of this.list()) panes[status] = (panes[status] ?? 0) + 1
    return { panes, counters: this.#counters.all() }
  }

  /** A hook call's tmux pane: by its id, its terminal, or the agent's only one here. */
  receiverOf(call: ForeignCall): ReportReceiver | null {
    const pane = paneOfCall(this.#tmux.panes, call)
    return pane && { id: pane.id, receive: report => pane.applyReport(report) }
  }

  tmuxPane(id: string): TmuxPane | null {
    return this.#tmux.pane(id)
  }

  /** Publishes a pane if it has changed. */
  changed(id: string): void {
    const remote = this.#remote.get(id)
    if (remote) return this.#changes.publish(this.#ofRemote(remote))
    const session = this.#sessions.get(id)
    if (session && this.#readUntil.has(id)) this.#settleRead(session)
    const pane = session ? null : this.tmuxPane(id)
    if (pane?.isOwn) return this.#changes.remove(id)
    const found = session ?? pane
    if (!found || !this.#changes.isNew(id, digestOf(found, [this.#muted.has(id), this.#names.get(id)]))) return
    this.#changes.publish(session ? this.#ofSession(session) : this.#ofTmux(pane!))
  }

  close(): void {
    this.#isClosed = true
    this.#tick?.cancel()
    this.#rest?.cancel()
    this.#tmux.close()
  }

  // — internal —

  /** The result that a person has read already appears now. */
  #settleRead({ id, supervisor, now }: SessionPane): void {
    const { status } = supervisor.state(now())
    const isOver = status === 'done' || status === 'failed'
    const isLate = this.#options.clock.now() > this.#readUntil.get(id)!
    if (!isOver && !isLate) return
    this.#readUntil.delete(id)
    if (!isLate) supervisor.seen(now())
  }

  /** One tick for all: a pane whose update fails does not prevent the others. */
  #startTicking(): void {
    if (this.#tick || this.#isClosed) return
    const { clock } = this.#options
    const everyMs = this.#settings.panes.poll_s * 1000
    const beat = () => {
      this.#tick = clock.setTimer(everyMs, beat)
      this.#ticks++
      // The last panes are updated before the first ones again, however busy the machine is.
      if (this.#rest) return
      const tmux = this.#tmux.panes.map(pane => () => pane.tick())
      const due = [...this.#sessions.values()].filter((pane, index) => this.#isDue(pane, index))
      this.#updatePanes([...tmux, ...due.map(pane => () => this.#tickSession(pane))])
    }
    this.#tick = clock.setTimer(everyMs, beat)
  }

  /** A few at a time: updating hundreds of panes in one go would delay other work. */
  #updatePanes(updates: readonly (() => void)[]): void {
    const { clock, onError } = this.#options
    for (const update of updates.slice(0, BATCH)) attempt(update, onError)
    const others = updates.slice(BATCH)
    this.#rest = others.length === 0 ? null : clock.setTimer(PAUSE_MS, () => this.#updatePanes(others))
  }

  /** Idle sessions take turns. */
  #isDue({ supervisor, now }: SessionPane, index: number): boolean {
    return (this.#ticks + index) % IDLE_TICKS === 0 || !supervisor.isIdle(now())
  }

  #tickSession(pane: SessionPane): void {
    if (this.#sessions.get(pane.id) !== pane) return
    this.#readJob(pane)
    pane.supervisor.tick(pane.now())
    void this.#checkReads(pane).catch(this.#options.onError)
    this.changed(pane.id)
  }

  async #checkReads({ id, supervisor, now, about }: SessionPane): Promise<void> {
    const { env, onError } = this.#options
    if (await checkTerminalReads({ supervisor, now, pid: about().pid }, { env, onError })) this.changed(id)
  }

  #readJob(pane: SessionPane): void {
    const { pid, agent } = pane.about()
    const programs = this.#tmux.knownPrograms
    if (programs === null) return void this.#tmux.agentPrograms().catch(this.#options.onError)
    const commandMax = this.#settings.panes.command_max
    pane.supervisor.foregroundChanged(
      readJob(pid, agent, { programs, redactor: this.#options.redactor, commandMax }),
      pane.now(),
    )
  }

  #ofSession(pane: SessionPane): PaneInfo {
    const info = describeSession(pane, this.#options.redactor)
    return { ...info, name: this.#names.get(pane.id) ?? info.name, isMuted: this.#muted.has(pane.id) }
  }

  #ofRemote(pane: PaneInfo): PaneInfo {
    return { ...pane, name: this.#names.get(pane.id) ?? pane.name, isMuted: this.#muted.has(pane.id) }
  }

  #ofTmux(pane: TmuxPane): PaneInfo {
    return { ...describeTmux(pane, this.#options.redactor), isMuted: this.#muted.has(pane.id) }
  }

  #of(id: string): { supervisor: Supervisor; now: number; wall(t: number): number } {
    const found = this.#sessions.get(id) ?? this.tmuxPane(id)
    if (!found)
      throw new SignalboxError('E_UNKNOWN', `unknown pane "${id}"`, { next: 'signalbox watch lists the panes' })
    return { supervisor: found.supervisor, now: found.now(), wall: t => found.wall(t) }
  }
}

function attempt(work: () => void, onError: (error: unknown) => void): void {
  try {
    work()
  } catch (error) {
    onError(error)
  }
}
