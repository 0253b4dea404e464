import { join } from 'node:path'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type AgentStatement, agentNames, loadAgent, PackShelf } from '../agents/index.js'
import { SimulatedClock } from '../clock/index.js'
import { loadConfig } from '../config/index.js'
import type { Notice } from '../notifications/notification.js'
import { NotificationCenter, type NotificationPreferences } from '../notifications/notification-center.js'
import { Pane } from '../panes/index.js'
import { PACKAGE_ROOT } from '../process/index.js'
import { parsePack } from '../screen/index.js'
import { createRedactor } from '../text/index.js'
import { PaneBoard } from './pane-board.js'

const { config } = loadConfig({ environment: {}, userFile: '/nonexistent/config.toml' })
const NOON = Date.UTC(2026, 0, 5, 12)

/** One supervised session on a board, with everything between its hooks and the person, on a clock that is moved by hand. */
class Board {
  readonly clock: SimulatedClock
  readonly board: PaneBoard
  readonly center: NotificationCenter
  readonly pane = new Pane(parsePack('pack = 1\nagent = "generic"\n', 'generic'), { cols: 80, rows: 24 })
  readonly supervisor
  readonly desktop: Notice[] = []
  readonly terminal: Notice[] = []

  constructor(
    over: { panes?: Partial<typeof config.panes>; notify?: Partial<NotificationPreferences>; start?: number } = {},
  ) {
    this.clock = new SimulatedClock(over.start ?? NOON)
    const { clock } = this
    this.board = new PaneBoard({
      clock,
      settings: { ...config, panes: { ...config.panes, ...over.panes } },
      packs: new PackShelf({
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
      quietRunS: config.panes.quiet_run_s,
      outlets: { hasDesktop: true, desktop: notice => this.desktop.push(notice) },
      counters: this.board.counters,
      hostName: 'here',
      utcOffset: 0,
    })
    this.center.listen(notice => this.terminal.push(notice))
    this.board.listen(change => this.center.take(change))
    this.supervisor = this.board.supervise(this.pane)
    this.board.addSession({
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
    return this.board.find('ses_1').status
  }

  says(statement: AgentStatement): this {
    this.supervisor.take(this.pane.hear({ channel: 'hook', statement } as never, this.#t), this.#t)
    this.board.changed('ses_1')
    return this
  }

  after(seconds: number): this {
    this.clock.advance(seconds * 1000)
    return this
  }

  get told(): string[] {
    return this.desktop.map(({ kind }) => kind)
  }
}

describe('the board of panes', () => {
  const open: Board[] = []
  const make = (...over: ConstructorParameters<typeof Board>) => {
    open.push(new Board(...over))
    return open.at(-1)!
  }
  /** Boards learn the programs of all agents when time first passes for a session; none may still be at it when a test is over. */
  const loadAgents = () => Promise.all(agentNames().map(loadAgent))
  beforeAll(loadAgents)
  afterEach(async () => {
    for (const { board, center } of open.splice(0)) {
      center.close()
      board.close()
    }
    await loadAgents()
  })

  it('hundreds of panes have their turns a few at a time, and all of them within the second', () => {
    const { board, clock, pane } = make()
    const turns = new Set<string>()
    for (let n = 0; n < 60; n++)
      board.addSession({
        id: `ses_many${n}`,
        supervisor: board.supervise(pane),
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

  it('knob panes.poll_s: time passes for panes so often, and not oftener', () => {
    const polled = (poll_s: number, seconds: number) =>
      make({ panes: { poll_s } }).says({ is: 'working' }).after(seconds)
    expect([polled(7, 62.9).status, polled(7, 63).status]).toEqual(['running', 'long-running'])
    expect([polled(1, 59.9).status, polled(1, 60).status]).toEqual(['running', 'long-running'])
  })

  it('a pane to which nothing happened is told of once, and again when something did', () => {
    const bench = make()
    const changes: string[] = []
    bench.board.listen(({ pane }) => changes.push(pane.status))
    // Half a minute without a word would be one: nobody knows any more.
    bench.after(29)
    expect(changes).toEqual([])
    bench.says({ is: 'working' }).after(30)
    expect(changes).toEqual(['running'])
    bench.after(30)
    expect(changes).toEqual(['running', 'long-running'])
    bench.board.act('ses_1', 'notify-off')
    expect(changes).toHaveLength(3)
    bench.board.renamed('ses_1', 'other')
    expect([changes.length, bench.board.find('ses_1').name]).toEqual([4, 'other'])
  })

  it('§12 sub-agents call nobody, whatever they do or how they end; the end of the turn does', () => {
    const bench = make()
      .says({ is: 'prompt', text: 'do it' } as never)
      .after(5)
    const helper = (statement: object) => bench.says({ ...statement, subAgent: 'a1' } as never).after(20)
    helper({ is: 'working' })
    helper({ is: 'tool', tool: 'Bash', state: 'running' })
    helper({ is: 'turn-ended', outcome: 'done' })
    helper({ is: 'turn-ended', outcome: 'failed' })
    helper({ is: 'ended', reason: 'x' })
    expect([bench.status, bench.told, bench.terminal]).toEqual(['long-running', [], []])
    bench.says({ is: 'turn-ended', outcome: 'done' }).after(6)
    expect([bench.status, bench.told]).toEqual(['done', ['done']])
  })

  it('§12 a turn that leaves helpers at work calls nobody until they are through', () => {
    const bench = make().says({ is: 'working' }).after(10)
    bench.says({ is: 'turn-ended', outcome: 'done', background: 2 }).after(60)
    expect([bench.status, bench.told]).toEqual(['long-running', []])
  })

  it('§12 the same question in a loop calls five times at most, once to say that it is a loop', () => {
    const bench = make()
    for (let round = 0; round < 12; round++)
      bench.says({ is: 'working' }).after(20).says({ is: 'waiting', kind: 'permission' }).after(5)
    expect(bench.told.filter(kind => kind === 'needs-you')).toHaveLength(5)
    expect(bench.desktop.filter(({ body }) => body.includes('asks in a loop'))).toHaveLength(1)
  })

  it('§12 presence: a question goes to the terminal alone while somebody is there, and further when it stays unseen', () => {
    const away = make().says({ is: 'working' }).after(5).says({ is: 'waiting', kind: 'permission' })
    expect([away.status, away.told]).toEqual(['waiting-approval', ['needs-you']])
    const here = make().says({ is: 'working' }).after(5)
    here.center.present('terminal')
    here.says({ is: 'waiting', kind: 'permission' }).after(19)
    expect([here.told, here.terminal.map(({ kind }) => kind)]).toEqual([[], ['needs-you']])
    expect(here.after(2).told).toEqual(['needs-you'])
  })

  it('§12 quiet hours: ends wait for the morning and come as one, outside of them at once', () => {
    const night = make({ notify: { quiet: '22:00-07:00' }, start: Date.UTC(2026, 0, 5, 23) })
    night.says({ is: 'working' }).after(60).says({ is: 'turn-ended', outcome: 'done' }).after(60)
    night.says({ is: 'working' }).after(60).says({ is: 'turn-ended', outcome: 'failed' }).after(60)
    expect([night.told, night.terminal]).toEqual([[], []])
    night.after(8 * 3600)
    expect(night.desktop).toMatchObject([{ kind: 'digest', title: '2 runs ended in your quiet hours' }])
    const day = make({ notify: { quiet: '22:00-07:00' } })
    day.says({ is: 'working' }).after(60).says({ is: 'turn-ended', outcome: 'done' }).after(6)
    expect(day.told).toEqual(['done'])
  })

  it('§13 notifications off per pane: nothing is told of it, and on again the next end is', () => {
    const bench = make().says({ is: 'working' }).after(10)
    bench.board.act('ses_1', 'notify-off')
    bench.says({ is: 'turn-ended', outcome: 'done' }).after(60)
    expect(bench.told).toEqual([])
    bench.board.act('ses_1', 'notify-on')
    bench.says({ is: 'working' }).after(10).says({ is: 'turn-ended', outcome: 'done' }).after(60)
    expect(bench.told).toEqual(['done'])
  })
})
