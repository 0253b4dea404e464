import type { AgentStatement } from '../../agents/index.js'
import { loadConfig } from '../../config/index.js'
import { type Pack, parsePack } from '../../screen/index.js'
import { Counters } from '../counters.js'
import { Pane } from '../pane.js'
import { Supervisor } from '../supervisor.js'
import type { SupervisorSettings } from '../supervisor-parts.js'
import type { TerminalReadResult } from '../terminal-read-check.js'

export const DEFAULTS = loadConfig({ environment: {}, userFile: '/nonexistent/config.toml' }).config
export const osc = (payload: string) => `\u001b]${payload}\u0007`
export const START = osc('133;C')
export const END = (code: number) => osc(`133;D;${code}`) + osc('133;A')

export type SettingsOver = { [K in keyof SupervisorSettings]?: Partial<SupervisorSettings[K]> }

/** A supervised pane with simulated time: a tick each second, every deadline at its moment. */
export class SupervisionFixture {
  readonly counters = new Counters()
  readonly pane: Pane
  readonly supervisor: Supervisor
  t = 0

  readonly #readCheck: (() => TerminalReadResult) | null

  /** `readCheck`: the result whenever the supervisor asks for a read check. */
  constructor(
    settings: SettingsOver = {},
    pack: Pack = parsePack('pack = 1\nagent = "generic"\n', 'generic'),
    readCheck: (() => TerminalReadResult) | null = null,
  ) {
    this.#readCheck = readCheck
    const merged = Object.fromEntries(
      (['panes', 'heuristics', 'queue', 'reading', 'osc7501', 'agents'] as const).map(key => [
        key,
        { ...DEFAULTS[key], ...settings[key] },
      ]),
    ) as unknown as SupervisorSettings
    this.pane = new Pane(pack, { cols: 80, rows: 24 })
    this.supervisor = new Supervisor(this.pane, {
      settings: merged,
      agentPrograms: [],
      counters: this.counters,
      canCheckReads: readCheck !== null,
      onError: error => {
        throw error
      },
    })
  }

  print(text: string): this {
    this.supervisor.applySteps(this.pane.feed(Buffer.from(text), this.t, { live: false }), this.t)
    return this
  }

  /** A report of the agent, by a hook. */
  hook(statement: AgentStatement): this {
    this.supervisor.applySteps(this.pane.applyReport({ channel: 'hook', statement } as never, this.t), this.t)
    return this
  }

  runs(name: string, isShell = false): this {
    this.supervisor.foregroundChanged({ name, names: [name], pid: 1, commandLine: name, isShell, agent: null }, this.t)
    return this
  }

  advance(seconds: number): this {
    const until = this.t + seconds
    for (let next = Math.floor(this.t) + 1; next <= until + 1e-9; next++) {
      this.#run(next)
      this.supervisor.tick(next)
      this.#check()
    }
    this.#run(until)
    return this
  }

  #check(): void {
    if (this.#readCheck && this.supervisor.isReadCheckDue(this.t))
      this.supervisor.applyReadCheck(this.#readCheck(), this.t)
  }

  #run(until: number): void {
    for (let due = this.pane.nextDeadline(); due !== null && due <= until; due = this.pane.nextDeadline()) {
      this.supervisor.applySteps(this.pane.tick(due), due)
      if (this.pane.nextDeadline() === due) break
    }
    this.t = until
  }

  get status(): string {
    return this.supervisor.state(this.t).status
  }
}
