import { describe, expect, it } from 'vitest'
import { SimulatedClock } from '../clock/index.js'
import { type Config, loadConfig } from '../config/index.js'
import { Counters } from '../panes/index.js'
import type { PaneInfo } from '../supervision/pane-info.js'
import type { PaneNotification, PaneQuestion } from './notification.js'
import { NotificationCenter } from './notification-center.js'

const DEFAULTS = loadConfig({ environment: {}, userFile: '/nonexistent/config.toml' }).config.notify
const NOON = Date.UTC(2026, 0, 5, 12)

/** A registry with one pane, a desktop, and a watching terminal. */
class Fixture {
  readonly clock: SimulatedClock
  readonly desktop: PaneNotification[] = []
  readonly terminal: PaneNotification[] = []
  readonly chat: PaneQuestion[] = []
  readonly counters = new Counters()
  readonly center: NotificationCenter
  #pane: PaneInfo

  constructor(settings: Partial<Config['notify']> = {}, start = NOON) {
    this.clock = new SimulatedClock(start)
    this.center = new NotificationCenter({
      clock: this.clock,
      settings: { ...DEFAULTS, ...settings },
      quietWorkS: 3,
      outlets: {
        hasOutlet: true,
        send: notice => this.desktop.push(notice),
        telegram: question => this.chat.push(question),
      },
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
    this.center.paneChanged({ type: 'pane', pane: this.#pane, before: null })
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
    this.center.paneChanged({ type: 'pane', pane: this.#pane, before })
    return this
  }

  after(seconds: number): this {
    this.clock.advance(seconds * 1000)
    return this
  }

  get sent(): string[] {
    return this.desktop.map(({ kind }) => kind)
  }
}

describe('notifications', () => {
  it('report an end after `done_delay_s` with agent, project, place and duration', () => {
    const fixture = new Fixture().to('running').after(60).to('done').after(4.9)
    expect(fixture.sent).toEqual([])
    fixture.after(0.2)
    expect(fixture.desktop).toMatchObject([{ kind: 'done', title: 'claude is done' }])
    expect(fixture.desktop[0]!.body).toMatch(/shop · main:1\.0 · done after/)
    expect(JSON.stringify(fixture.desktop)).not.toContain('SECRET')
  })

  it('follow settings that change while the daemon runs', () => {
    const fixture = new Fixture().to('running').after(60)
    fixture.center.reload({ ...DEFAULTS, done: false })
    expect(fixture.to('done').after(60).sent).toEqual([])
    fixture.center.reload(DEFAULTS)
    expect(fixture.to('running').after(60).to('done').after(60).sent).toEqual(['done'])
  })

  it('do not report a run that continues, is short, is in focus, or has them disabled', () => {
    expect(new Fixture().to('running').after(60).to('done').after(3).to('running').after(60).sent).toEqual([])
    expect(new Fixture().to('running').after(2.9).to('done').after(60).sent).toEqual([])
    expect(new Fixture().to('running').after(60).to('done', { isFocused: true }).after(60).sent).toEqual([])
    expect(new Fixture({ done: false }).to('running').after(60).to('done').after(60).sent).toEqual([])
    expect(new Fixture({ enabled: false }).to('running').after(60).to('failed').after(60).sent).toEqual([])
  })

  it('reach the chat and then every channel for a tmux pane, and the chat when it is over', () => {
    const asked = (source: 'tmux' | 'session', hasChats = true) => {
      const fixture = new Fixture()
      fixture.center.connectTelegram(() => hasChats)
      return fixture.to('waiting-approval', { source, doing: 'Overwrite it?' })
    }
    const fixture = asked('tmux')
    const shown = { kind: 'needs-you', title: 'claude needs you', place: 'shop · main:1.0@here', text: 'Overwrite it?' }
    expect(fixture.chat).toEqual([expect.objectContaining(shown)])
    fixture.after(DEFAULTS.all_s + 1)
    expect([fixture.sent, fixture.chat.length]).toEqual([['needs-you'], 1])
    fixture.to('running')
    expect(fixture.chat[1]).toMatchObject({ kind: 'over', question: fixture.chat[0]!.question })
    expect([asked('session').chat, asked('tmux', false).chat]).toEqual([[], []])
  })

  it('reach the chat for a tmux pane without progress, and are withdrawn when it progresses', () => {
    const fixture = new Fixture()
    fixture.center.connectTelegram(() => true)
    fixture.to('running', { source: 'tmux', stuck: 'no-progress' }).after(DEFAULTS.stuck_s + 1)
    fixture.to('running', { stuck: null })
    expect(fixture.chat.map(({ kind }) => kind)).toEqual(['needs-you', 'over'])
    expect(fixture.sent).toEqual(['needs-you'])
  })

  it('are not counted as sent to a terminal without a viewer', () => {
    const counters = new Counters()
    const pane = {
      id: 'p',
      status: 'waiting-approval',
      needsYou: true,
      cwd: '/w',
      place: 'm:1.0',
      since: 1,
    } as PaneInfo
    const center = new NotificationCenter({
      clock: new SimulatedClock(NOON),
      settings: DEFAULTS,
      quietWorkS: 3,
      outlets: { hasOutlet: false, send: () => undefined, telegram: () => undefined },
      counters,
      hostName: 'here',
      utcOffset: 0,
    })
    center.paneChanged({ type: 'pane', pane, before: null })
    expect(counters.total('notify.sent')).toBe(0)
    // A terminal that opens later gets the question.
    center.listen(() => undefined)
    expect(counters.total('notify.sent')).toBe(1)
    center.close()
  })

  it('can be switched off by kind', () => {
    const kinds = (off: Partial<Config['notify']>) => {
      const fixture = new Fixture(off).to('waiting-approval').after(60).to('running').after(60).to('failed').after(60)
      return [...new Set(fixture.to('running').after(60).to('done').after(60).sent)]
    }
    expect([kinds({}), kinds({ needs_you: false }), kinds({ failed: false }), kinds({ done: false })]).toEqual([
      ['needs-you', 'failed', 'done'],
      ['failed', 'done'],
      ['needs-you', 'done'],
      ['needs-you', 'failed'],
    ])
  })

  it('are sent once within `dedupe_s` if they have the same text', () => {
    const counts = (dedupe_s: number) => {
      const ends = { pane_gap_s: 0, done_delay_s: 0, dedupe_s }
      const fixture = new Fixture(ends)
        .to('running')
        .after(10)
        .to('done')
        .after(0.1)
        .to('running')
        .after(10)
        .to('done')
        .after(0.1)
      return [fixture.sent.length, fixture.counters.total('notify.held', { reason: 'same' })]
    }
    expect([counts(10.2), counts(10)]).toEqual([
      [1, 1],
      [2, 0],
    ])
  })

  it('report one end per pane in `pane_gap_s`; a later one waits and replaces the waiting one', () => {
    const fixture = new Fixture().to('running').after(10).to('done').after(5)
    fixture.to('running').after(4).to('done').after(5)
    expect(fixture.sent).toEqual(['done'])
    fixture.after(25)
    expect(fixture.sent).toEqual(['done', 'done'])
  })

  it('are sent at once for a question, only to the terminal while a person is active there', () => {
    const away = new Fixture().to('running').after(1).to('waiting-approval', { doing: 'May I?' })
    expect(away.sent).toEqual(['needs-you'])
    const here = new Fixture().to('running')
    here.center.present('terminal')
    here.to('waiting-approval', { doing: 'May I?' })
    expect([here.sent, here.terminal.map(({ kind }) => kind)]).toEqual([[], ['needs-you']])
    here.after(21)
    expect(here.sent).toEqual(['needs-you'])
  })

  it('are sent once per question, and its answer is reported', () => {
    const fixture = new Fixture().to('running').to('waiting-approval', { doing: 'May I?' }).after(5)
    fixture.to('running').after(5)
    expect(fixture.terminal.map(({ kind }) => kind)).toEqual(['needs-you', 'over'])
    fixture.to('waiting-approval', { doing: 'And this?' })
    expect(fixture.sent).toEqual(['needs-you', 'needs-you'])
  })

  it('warn once when the same question repeats in a loop', () => {
    const fixture = new Fixture()
    for (let round = 0; round < 12; round++)
      fixture.to('running').after(20).to('waiting-approval', { doing: 'May I?' }).after(5)
    const loops = [...fixture.desktop].filter(({ body }) => body.includes('asks in a loop'))
    expect([loops.length, fixture.desktop.length]).toEqual([1, 5])
  })

  it('are delayed in quiet hours for ends, and sent as one digest', () => {
    const fixture = new Fixture({ quiet: '22:00-07:00' }, Date.UTC(2026, 0, 5, 23))
    fixture.to('running').after(60).to('done').after(60).to('running').after(60).to('failed').after(60)
    expect(fixture.sent).toEqual([])
    fixture.after(8 * 3600)
    expect(fixture.desktop).toMatchObject([{ kind: 'digest', title: '2 notifications during your quiet hours' }])
  })

  it('are not sent for a muted pane, including those that wait', () => {
    expect(
      new Fixture().to('running').to('waiting-approval', { doing: 'May I?', isMuted: true }).after(60).sent,
    ).toEqual([])
    const ending = new Fixture().to('running').after(60).to('done').after(2)
    expect(ending.to('done', { isMuted: true }).after(60).sent).toEqual([])
  })

  it('are dropped while disabled, and sent again afterwards', () => {
    const fixture = new Fixture().to('running').after(60).to('done').after(2)
    fixture.center.setEnabled(false)
    fixture.after(60).to('running').to('waiting-approval', { doing: 'May I?' }).after(60)
    expect(fixture.sent).toEqual([])
    fixture.center.setEnabled(true)
    fixture.to('running').to('waiting-approval', { doing: 'And now?' })
    expect(fixture.sent).toEqual(['needs-you'])
  })

  it('are delayed in quiet hours for ends also while a person is active', () => {
    const night = new Fixture({ quiet: '22:00-07:00' }, Date.UTC(2026, 0, 5, 22, 30)).to('running').after(60)
    night.center.present('terminal')
    expect([night.to('done').after(60).sent, night.terminal]).toEqual([[], []])
    const evening = new Fixture({ quiet: '22:00-07:00' }, Date.UTC(2026, 0, 5, 21)).to('running').after(60).to('done')
    expect(evening.after(60).sent).toEqual(['done'])
  })

  it('leave no timer when the pane continues, disappears, or the notifications are closed', () => {
    const stuck = () => new Fixture().to('running').to('running', { stuck: 'no-progress' })
    expect(stuck().clock.pending).toBe(1)
    expect(stuck().to('running', { stuck: null }).clock.pending).toBe(0)
    for (const end of ['close', 'setEnabled'] as const) {
      const ended = stuck()
      ended.center[end](false)
      expect(ended.clock.pending).toBe(0)
    }
  })

  it('are sent after `stuck_s` for a stuck pane, unless it continues', () => {
    const stuck = new Fixture().to('running').to('running', { stuck: 'no-progress' }).after(599)
    expect(stuck.sent).toEqual([])
    expect(stuck.after(2).sent).toEqual(['needs-you'])
    expect(
      new Fixture()
        .to('running')
        .to('running', { stuck: 'frozen' })
        .after(300)
        .to('running', { stuck: null })
        .after(900).sent,
    ).toEqual([])
  })
})
