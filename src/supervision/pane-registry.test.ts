import { join } from 'node:path'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type AgentStatement, agentNames, LivePacks, loadAgent } from '../agents/index.js'
import { SimulatedClock } from '../clock/index.js'
import { loadConfig } from '../config/index.js'
import type { PaneNotification } from '../notifications/notification.js'
import { NotificationCenter } from '../notifications/notification-center.js'
import { Pane } from '../panes/index.js'
import { PACKAGE_ROOT } from '../process/index.js'
import { parsePack } from '../screen/index.js'
import { createRedactor } from '../text/index.js'
import { PaneRegistry } from './pane-registry.js'

const { config } = loadConfig({ environment: {}, userFile: '/nonexistent/config.toml' })
const NOON = Date.UTC(2026, 0, 5, 12)

/**
 * One supervised session in a registry, with everything between its hooks and the person, on a
 * simulated clock.
 */
class RegistryFixture {
  readonly clock: SimulatedClock
  readonly registry: PaneRegistry
  readonly center: NotificationCenter
  readonly pane = new Pane(parsePack('pack = 1\nagent = "generic"\n', 'generic'), { cols: 80, rows: 24 })
  readonly supervisor
  readonly desktop: PaneNotification[] = []
  readonly terminal: PaneNotification[] = []

  constructor(
    over: { panes?: Partial<typeof config.panes>; notify?: Partial<typeof config.notify>; start?: number } = {},
  ) {
    this.clock = new SimulatedClock(over.start ?? NOON)
    const { clock } = this
    this.registry = new PaneRegistry({
      clock,
      settings: { ...config, panes: { ...config.panes, ...over.panes } },
      packs: new LivePacks({
        directories: { user: null, shipped: join(PACKAGE_ROOT, 'packs') },
        clock,
        onFailed: () => undefined,
        onReloaded: () => undefined,
      }),
      redactor: createRedactor(),
      env: {},
      onSwitch: () => undefined,
      onError: error => {
        throw error
      },
    })
    this.center = new NotificationCenter({
      clock,
      settings: { ...config.notify, ...over.notify },
      quietWorkS: config.panes.quiet_run_s,
      outlets: { hasOutlet: true, send: notice => this.desktop.push(notice), telegram: () => undefined },
      counters: this.registry.counters,
      hostName: 'here',
      utcOffset: 0,
    })
    this.center.listen(notice => this.terminal.push(notice))
    this.registry.listen(change => this.center.paneChanged(change))
    this.supervisor = this.registry.supervise(this.pane)
    this.registry.addSession({
      id: 'ses_1',
      supervisor: this.supervisor,
      now: () => this.#t,
      wall: t => clock.now() - (this.#t - t) * 1000,
      about: () => ({ place: '1', name: 'one', agent: 'claude', cwd: '/w/shop', approval: null, pid: process.pid }),
    })
  }

  get #t(): number {
    return this.clock.monotonic() / 1000
  }

  get status(): string {
    return this.registry.find('ses_1').status
  }

  says(statement: AgentStatement): this {
    this.supervisor.applySteps(this.pane.applyReport({ channel: 'hook', statement } as never, this.#t), this.#t)
    this.registry.changed('ses_1')
    return this
  }

  prints(text: string): this {
    this.supervisor.applySteps(this.pane.feed(Buffer.from(text), this.#t, { live: false }), this.#t)
    this.after(1)
    this.supervisor.applySteps(this.pane.tick(this.#t), this.#t)
    this.registry.changed('ses_1')
    return this
  }

  after(seconds: number): this {
    this.clock.advance(seconds * 1000)
    return this
  }

  get notified(): string[] {
    return this.desktop.map(({ kind }) => kind)
  }
}

describe('PaneRegistry', () => {
  const open: RegistryFixture[] = []
  const make = (...over: ConstructorParameters<typeof RegistryFixture>) => {
    open.push(new RegistryFixture(...over))
    return open.at(-1)!
  }
  /**
   * The registry loads the programs of all agents at its first tick; wait for that, so that none is
   * still loading when a test ends.
   */
  const loadAgents = () => Promise.all(agentNames().map(loadAgent))
  beforeAll(loadAgents)
  afterEach(async () => {
    for (const { registry, center } of open.splice(0)) {
      center.close()
      registry.close()
    }
    await loadAgents()
  })

  it('updates hundreds of panes a few at a time, and all of them within a second', () => {
    const { registry, clock, pane } = make()
    const turns = new Set<string>()
    for (let n = 0; n < 60; n++)
      registry.addSession({
        id: `ses_many${n}`,
        supervisor: registry.supervise(pane),
        now: () => clock.monotonic() / 1000,
        wall: t => t * 1000,
        about: () => {
          turns.add(`ses_many${n}`)
          return { place: String(n), name: '', agent: 'claude', cwd: '/', approval: null, pid: process.pid }
        },
      })
    turns.clear()
    clock.advance(config.panes.poll_s * 1000)
    expect(turns.size).toBeGreaterThan(0)
    expect(turns.size).toBeLessThan(20)
    clock.advance(500)
    expect(turns.size).toBe(60)
  })

  it('updates an idle session once in thirty ticks, and idle sessions in turns', () => {
    const fixture = make()
    const { registry, clock, supervisor } = fixture
    const updates = new Map<string, number>()
    for (let n = 0; n < 60; n++)
      registry.addSession({
        id: `ses_idle${n}`,
        supervisor,
        now: () => clock.monotonic() / 1000,
        wall: t => t * 1000,
        about: () => {
          updates.set(`ses_idle${n}`, (updates.get(`ses_idle${n}`) ?? 0) + 1)
          return { place: String(n), name: '', agent: 'claude', cwd: '/', approval: null, pid: process.pid }
        },
      })
    fixture.prints('$ ').after(60)
    expect(supervisor.isIdle(clock.monotonic() / 1000)).toBe(true)
    updates.clear()
    fixture.after(config.panes.poll_s)
    expect(updates.size).toBe(2)
    fixture.after(config.panes.poll_s * 29)
    expect([...updates.values()]).toEqual(Array.from({ length: 60 }, () => updates.get('ses_idle0')!))
  })

  it('polls as often as panes.poll_s requires, and not more often', () => {
    const polled = (poll_s: number, seconds: number) =>
      make({ panes: { poll_s } }).says({ kind: 'working' }).after(seconds)
    expect([polled(7, 62.9).status, polled(7, 63).status]).toEqual(['running', 'long-running'])
    expect([polled(1, 59.9).status, polled(1, 60).status]).toEqual(['running', 'long-running'])
  })

  it('reports a pane without changes once, and again after a change', () => {
    const fixture = make()
    const changes: string[] = []
    fixture.registry.listen(({ pane }) => changes.push(pane.status))
    // Half a minute without a report would be a change: the status is then stale.
    fixture.after(29)
    expect(changes).toEqual([])
    fixture.says({ kind: 'working' }).after(30)
    expect(changes).toEqual(['running'])
    fixture.after(30)
    expect(changes).toEqual(['running', 'long-running'])
    fixture.registry.performAction('ses_1', 'notify-off')
    expect(changes).toHaveLength(3)
    fixture.registry.renamed('ses_1', 'other')
    expect([changes.length, fixture.registry.find('ses_1').name]).toEqual([4, 'other'])
  })

  it('describes the work of a pane in one line, without older output', () => {
    const fixture = make().prints('bash-5.2# node\r\n> ').prints('.exit\r\nbash-5.2# ')
    const doing = () => fixture.registry.find('ses_1').doing
    fixture.prints('node x.js\r\n').prints('line of output\r\n')
    expect([fixture.status, doing()]).toEqual(['running', 'Shell node x.js'])
    fixture.prints('bash-5.2# ')
    expect([fixture.status, doing()]).toEqual(['done', ''])
    fixture.says({ kind: 'turn-ended', outcome: 'failed', text: 'no credit\nask your admin' })
    expect([fixture.status, doing()]).toEqual(['failed', 'no credit'])
  })

  it('sends no notification about sub-agents, but one about the end of the turn', () => {
    const fixture = make()
      .says({ kind: 'prompt', text: 'do it' } as never)
      .after(5)
    const subAgent = (statement: object) => fixture.says({ ...statement, subAgent: 'a1' } as never).after(20)
    subAgent({ kind: 'working' })
    subAgent({ kind: 'tool', tool: 'Bash', state: 'running' })
    subAgent({ kind: 'turn-ended', outcome: 'done' })
    subAgent({ kind: 'turn-ended', outcome: 'failed' })
    subAgent({ kind: 'ended', reason: 'x' })
    expect([fixture.status, fixture.notified, fixture.terminal]).toEqual(['long-running', [], []])
    fixture.says({ kind: 'turn-ended', outcome: 'done' }).after(6)
    expect([fixture.status, fixture.notified]).toEqual(['done', ['done']])
  })

  it('sends one notification about an answer, and none about one that was read on arrival', () => {
    const fixture = make().says({ kind: 'working' }).after(10)
    fixture.registry.performAction('ses_1', 'read')
    fixture.after(1).says({ kind: 'turn-ended', outcome: 'done' }).after(60)
    expect([fixture.status, fixture.notified]).toEqual(['idle', []])
    fixture.says({ kind: 'working' }).after(60).says({ kind: 'turn-ended', outcome: 'done' }).after(6)
    expect([fixture.status, fixture.notified]).toEqual(['done', ['done']])
  })

  it('sends no notification about a turn before all of its sub-agents have finished', () => {
    const fixture = make().says({ kind: 'working' }).after(10)
    fixture.says({ kind: 'turn-ended', outcome: 'done', background: 2 }).after(60)
    expect([fixture.status, fixture.notified]).toEqual(['long-running', []])
  })

  it('notifies at most five times about a repeated question, once as a loop', () => {
    const fixture = make()
    for (let round = 0; round < 12; round++)
      fixture.says({ kind: 'working' }).after(20).says({ kind: 'waiting', waitsFor: 'permission' }).after(5)
    expect(fixture.notified.filter(kind => kind === 'needs-you')).toHaveLength(5)
    expect(fixture.desktop.filter(({ body }) => body.includes('asks in a loop'))).toHaveLength(1)
  })

  it('notifies only in the terminal while a person is present, and escalates an unseen question', () => {
    const away = make().says({ kind: 'working' }).after(5).says({ kind: 'waiting', waitsFor: 'permission' })
    expect([away.status, away.notified]).toEqual(['waiting-approval', ['needs-you']])
    const here = make().says({ kind: 'working' }).after(5)
    here.center.present('terminal')
    here.says({ kind: 'waiting', waitsFor: 'permission' }).after(19)
    expect([here.notified, here.terminal.map(({ kind }) => kind)]).toEqual([[], ['needs-you']])
    expect(here.after(2).notified).toEqual(['needs-you'])
  })

  it('delays ends in quiet hours and sends them as one in the morning, otherwise at once', () => {
    const night = make({ notify: { quiet: '22:00-07:00' }, start: Date.UTC(2026, 0, 5, 23) })
    night.says({ kind: 'working' }).after(60).says({ kind: 'turn-ended', outcome: 'done' }).after(60)
    night.says({ kind: 'working' }).after(60).says({ kind: 'turn-ended', outcome: 'failed' }).after(60)
    expect([night.notified, night.terminal]).toEqual([[], []])
    night.after(8 * 3600)
    expect(night.desktop).toMatchObject([{ kind: 'digest', title: '2 notifications during your quiet hours' }])
    const day = make({ notify: { quiet: '22:00-07:00' } })
    day.says({ kind: 'working' }).after(60).says({ kind: 'turn-ended', outcome: 'done' }).after(6)
    expect(day.notified).toEqual(['done'])
  })

  it('sends no notification about a muted pane, and resumes when it is unmuted', () => {
    const fixture = make().says({ kind: 'working' }).after(10)
    fixture.registry.performAction('ses_1', 'notify-off')
    fixture.says({ kind: 'turn-ended', outcome: 'done' }).after(60)
    expect(fixture.notified).toEqual([])
    fixture.registry.performAction('ses_1', 'notify-on')
    fixture.says({ kind: 'working' }).after(10).says({ kind: 'turn-ended', outcome: 'done' }).after(60)
    expect(fixture.notified).toEqual(['done'])
  })
})
