import { describe, expect, it } from 'vitest'
import { SimulatedClock } from '../clock/index.js'
import { loadConfig } from '../config/index.js'
import { Counters } from '../panes/index.js'
import type { PaneInfo } from '../supervision/pane-info.js'
import type { Notice } from './notification.js'
import { NotifyCenter } from './notification-center.js'

const DEFAULTS = loadConfig({ environment: {}, userFile: '/nonexistent/config.toml' }).config.notify
const NOON = Date.UTC(2026, 0, 5, 12)

/** A board with one pane, a desktop, and a terminal that watches. */
class Bench {
  readonly clock: SimulatedClock
  readonly desktop: Notice[] = []
  readonly terminal: Notice[] = []
  readonly counters = new Counters()
  readonly center: NotifyCenter
  #pane: PaneInfo

  constructor(settings: Partial<typeof DEFAULTS> = {}, start = NOON) {
    this.clock = new SimulatedClock(start)
    this.center = new NotifyCenter({
      clock: this.clock,
      settings: { ...DEFAULTS, ...settings },
      quietRunS: 3,
      outlets: { hasDesktop: true, desktop: notice => this.desktop.push(notice) },
      counters: this.counters,
      hostName: 'here',
      utcOffset: 0,
    })
    this.center.listen(notice => this.terminal.push(notice))
    this.#pane = {
      id: 'pan_1',
      status: 'idle',
      agent: 'claude',
      job: 'claude',
      cwd: '/w/shop',
      place: 'main:1.0',
      doing: '',
      needsYou: false,
      seen: true,
      isFocused: false,
      stuck: null,
      since: start,
      startedAt: start,
      command: 'claude --key SECRET',
    } as PaneInfo
    this.center.take({ type: 'pane', pane: this.#pane, before: null })
  }

  to(status: PaneInfo['status'], more: Partial<PaneInfo> = {}): this {
    const before = this.#pane
    const now = this.clock.now()
    const isRun = status === 'running' && before.status !== 'waiting-approval'
    this.#pane = {
      ...before,
      status,
      needsYou: status === 'waiting-approval',
      seen: status === 'idle',
      since: now,
      ...(isRun && { startedAt: now }),
      ...(status === 'waiting-approval' ? { waitedSince: now } : {}),
      ...more,
    }
    this.center.take({ type: 'pane', pane: this.#pane, before })
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

describe('§12 calls to a person', () => {
  it('tells of an end after `done_delay_s`, with agent, project, place and duration, and no command line', () => {
    const bench = new Bench().to('running').after(60).to('done').after(4.9)
    expect(bench.told).toEqual([])
    bench.after(0.2)
    expect(bench.desktop).toMatchObject([{ kind: 'done', title: 'claude is done' }])
    expect(bench.desktop[0]!.body).toMatch(/shop · main:1\.0@here · done after/)
    expect(JSON.stringify(bench.desktop)).not.toContain('SECRET')
  })

  it('says nothing of a run that goes on, of a short one, of one in front of the person, of one that is switched off', () => {
    expect(new Bench().to('running').after(60).to('done').after(3).to('running').after(60).told).toEqual([])
    expect(new Bench().to('running').after(2.9).to('done').after(60).told).toEqual([])
    expect(new Bench().to('running').after(60).to('done', { isFocused: true }).after(60).told).toEqual([])
    expect(new Bench({ done: false }).to('running').after(60).to('done').after(60).told).toEqual([])
    expect(new Bench({ enabled: false }).to('running').after(60).to('failed').after(60).told).toEqual([])
  })

  it('each kind can be switched off by itself', () => {
    const heard = (off: Partial<typeof DEFAULTS>) => {
      const bench = new Bench(off).to('waiting-approval').after(60).to('running').after(60).to('failed').after(60)
      return [...new Set(bench.to('running').after(60).to('done').after(60).told)]
    }
    expect([heard({}), heard({ needs_you: false }), heard({ failed: false }), heard({ done: false })]).toEqual([
      ['needs-you', 'failed', 'done'],
      ['failed', 'done'],
      ['needs-you', 'done'],
      ['needs-you', 'failed'],
    ])
  })

  it('the same words within `dedupe_s` are said once', () => {
    const said = (dedupe_s: number) => {
      const ends = { pane_gap_s: 0, done_delay_s: 0, dedupe_s }
      const bench = new Bench(ends)
        .to('running')
        .after(10)
        .to('done')
        .after(0.1)
        .to('running')
        .after(10)
        .to('done')
        .after(0.1)
      return [bench.told.length, bench.counters.total('notify.held', { reason: 'same' })]
    }
    expect([said(10.2), said(10)]).toEqual([
      [1, 1],
      [2, 0],
    ])
  })

  it('tells one end per pane in `pane_gap_s`: the later one waits, and replaces', () => {
    const bench = new Bench().to('running').after(10).to('done').after(5)
    bench.to('running').after(4).to('done').after(5)
    expect(bench.told).toEqual(['done'])
    bench.after(25)
    expect(bench.told).toEqual(['done', 'done'])
  })

  it('calls for a question at once: the desktop where nobody is here, only the terminal where somebody is', () => {
    const away = new Bench().to('running').after(1).to('waiting-approval', { doing: 'May I?' })
    expect(away.told).toEqual(['needs-you'])
    const here = new Bench().to('running')
    here.center.present('terminal')
    here.to('waiting-approval', { doing: 'May I?' })
    expect([here.told, here.terminal.map(({ kind }) => kind)]).toEqual([[], ['needs-you']])
    here.after(21)
    expect(here.told).toEqual(['needs-you'])
  })

  it('calls once for one question, says when it is over, and calls again for the next', () => {
    const bench = new Bench().to('running').to('waiting-approval', { doing: 'May I?' }).after(5)
    bench.to('running').after(5)
    expect(bench.terminal.map(({ kind }) => kind)).toEqual(['needs-you', 'over'])
    bench.to('waiting-approval', { doing: 'And this?' })
    expect(bench.told).toEqual(['needs-you', 'needs-you'])
  })

  it('warns once when the same question comes in a loop', () => {
    const bench = new Bench()
    for (let round = 0; round < 12; round++)
      bench.to('running').after(20).to('waiting-approval', { doing: 'May I?' }).after(5)
    const loops = [...bench.desktop].filter(({ body }) => body.includes('asks in a loop'))
    expect([loops.length, bench.desktop.length]).toEqual([1, 5])
  })

  it('holds ends back through quiet hours, and tells them as one digest', () => {
    const bench = new Bench({ quiet: '22:00-07:00' }, Date.UTC(2026, 0, 5, 23))
    bench.to('running').after(60).to('done').after(60).to('running').after(60).to('failed').after(60)
    expect(bench.told).toEqual([])
    bench.after(8 * 3600)
    expect(bench.desktop).toMatchObject([{ kind: 'digest', title: '2 runs ended in your quiet hours' }])
  })

  it('a muted pane calls nobody, and what waited to be said of it is not said', () => {
    expect(new Bench().to('running').to('waiting-approval', { doing: 'May I?', isMuted: true }).after(60).told).toEqual(
      [],
    )
    const ending = new Bench().to('running').after(60).to('done').after(2)
    expect(ending.to('done', { isMuted: true }).after(60).told).toEqual([])
  })

  it('switched off it calls nobody and drops what waits; on again it calls', () => {
    const bench = new Bench().to('running').after(60).to('done').after(2)
    bench.center.setEnabled(false)
    bench.after(60).to('running').to('waiting-approval', { doing: 'May I?' }).after(60)
    expect(bench.told).toEqual([])
    bench.center.setEnabled(true)
    bench.to('running').to('waiting-approval', { doing: 'And now?' })
    expect(bench.told).toEqual(['needs-you'])
  })

  it('holds an end through quiet hours also where somebody is present, and calls outside of them', () => {
    const night = new Bench({ quiet: '22:00-07:00' }, Date.UTC(2026, 0, 5, 22, 30)).to('running').after(60)
    night.center.present('terminal')
    expect([night.to('done').after(60).told, night.terminal]).toEqual([[], []])
    const evening = new Bench({ quiet: '22:00-07:00' }, Date.UTC(2026, 0, 5, 21)).to('running').after(60).to('done')
    expect(evening.after(60).told).toEqual(['done'])
  })

  it('calls for a pane that is stuck after `stuck_s`, and not if it moved on', () => {
    const stuck = new Bench().to('running').to('running', { stuck: 'no-progress' }).after(599)
    expect(stuck.told).toEqual([])
    expect(stuck.after(2).told).toEqual(['needs-you'])
    expect(
      new Bench().to('running').to('running', { stuck: 'frozen' }).after(300).to('running', { stuck: null }).after(900)
        .told,
    ).toEqual([])
  })
})
