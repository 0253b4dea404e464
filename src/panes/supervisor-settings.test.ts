import { describe, expect, it } from 'vitest'
import { ProgressTracker } from './progress.js'
import { DEFAULTS, END, osc, type SettingsOver, START, SupervisionFixture } from './testing/supervision-fixture.js'

/*
 * Every setting of supervision, on both sides of its value, with simulated time. `isOver` must be
 * false a moment before `at` and true at it. A setting without a case here fails the last test.
 */
interface Case {
  settings?: SettingsOver
  arrange(fixture: SupervisionFixture): void
  /** Seconds after `arrange`. */
  at: number
  isOver(fixture: SupervisionFixture): boolean
}

/** Runs in whole seconds: ticks are on whole seconds. */
const guess = (fixture: SupervisionFixture) => fixture.runs('node').print('header\r\n').advance(1)
const status =
  (...wanted: string[]) =>
  (fixture: SupervisionFixture) =>
    wanted.includes(fixture.status)
const finished = (fixture: SupervisionFixture) => void fixture.advance(1).print(START).advance(1).print(END(0))

const CASES: Record<string, Case> = {
  'panes.long_after_s': {
    arrange: fixture => void fixture.advance(1).print(START),
    at: 60,
    isOver: status('long-running'),
  },
  'panes.wait_fallback_s': {
    settings: { panes: { wait_fallback_s: 10 } },
    arrange: fixture => {
      guess(fixture).print('\r\nwork\r\nmore\r\n').advance(1).print('Overwrite all of it ?').advance(2)
      expect(fixture.status).toBe('waiting-approval')
    },
    at: 10,
    isOver: status('idle'),
  },
  'panes.display_delay_s': {
    arrange: fixture => {
      finished(fixture)
      fixture.supervisor.seen(fixture.t)
    },
    at: 5,
    isOver: fixture => fixture.supervisor.state(fixture.t).shown === 'idle',
  },
  'panes.dismiss_s': { arrange: finished, at: 60, isOver: fixture => fixture.supervisor.state(fixture.t).isFaded },
  'panes.recent_s': {
    settings: { panes: { dismiss_s: 1 } },
    arrange: fixture => {
      finished(fixture)
      fixture.advance(1)
      expect(fixture.supervisor.state(fixture.t).isRecent).toBe(true)
    },
    at: 10,
    isOver: fixture => !fixture.supervisor.state(fixture.t).isRecent,
  },
  'panes.stuck_after_s': {
    arrange: fixture => void fixture.advance(1).hook({ kind: 'working' }),
    at: 300,
    isOver: fixture => fixture.supervisor.state(fixture.t).stuck === 'no-progress',
  },
  'panes.stuck_tool_s': {
    arrange: fixture => void fixture.advance(1).print(START),
    at: 900,
    isOver: fixture => fixture.supervisor.state(fixture.t).stuck === 'no-progress',
  },
  'panes.flicker_hold_s': {
    settings: { panes: { flicker_hold_s: 2 } },
    arrange: fixture => {
      fixture.advance(1)
      for (let n = 0; n < 3; n++) fixture.print(START).advance(0.1).print(END(0))
      expect(fixture.supervisor.state(fixture.t).flicker).toBe(1)
    },
    at: 0,
    isOver: fixture => fixture.supervisor.reports(fixture.t).some(({ effect }) => effect === 'idle must last 2 s'),
  },
  'reading.stale_s': {
    arrange: fixture => {
      fixture.advance(1).hook({ kind: 'working' })
      fixture.pane.applyReport({ channel: 'hook', statement: { kind: 'ended', reason: 'x' } } as never, fixture.t)
    },
    at: 30,
    isOver: fixture => fixture.supervisor.state(fixture.t).staleFor !== null,
  },
  'osc7501.enabled': {
    settings: { osc7501: { enabled: true } },
    arrange: fixture => void fixture.advance(1).print(osc('7501;state=working')),
    at: 0,
    isOver: status('running'),
  },
  'panes.history': {
    settings: { panes: { history: 2 } },
    arrange: fixture => {
      finished(fixture)
      fixture.print(START).print(END(0))
    },
    at: 0,
    isOver: fixture => fixture.supervisor.history.length === 2,
  },
}

/** Settings that are tested next to the part they belong to. */
const ELSEWHERE: Record<string, string> = {
  'panes.focus_debounce_s': 'supervisor.test.ts',
  'panes.wait_fallback_running': 'below',
  'panes.flicker_max': 'below',
  'panes.flicker_window_s': 'below',
  'panes.stuck_frozen_s': 'below',
  'reading.settle_looks': 'settle.test.ts',
  'reading.settle_gap_ms': 'settle.test.ts',
  'reading.settle_max_ms': 'settle.test.ts',
  'queue.max': 'signal-queue.test.ts',
  // Settings that only the host uses: its clock, its list, its calls.
  'panes.sources': 'test/e2e/watch.test.ts',
  'panes.tmux_socket': 'tmux/tmux-server.test.ts',
  'panes.max_total': 'host/panes-tmux-roster.test.ts',
  'panes.command_max': 'job.test.ts',
  'panes.quiet_run_s': 'host/notify-center.test.ts',
  'panes.poll_s': 'host/panes-board.test.ts',
}

describe('a setting of supervision', () => {
  it.each(Object.entries(CASES))(
    '%s changes the status exactly at its value',
    (_setting, { settings, arrange, at, isOver }) => {
      const fixture = new SupervisionFixture(settings)
      arrange(fixture)
      if (at > 0) {
        const before = fixture.t
        fixture.advance(at - 1)
        expect([fixture.t, isOver(fixture)]).toEqual([before + at - 1, false])
        fixture.advance(1)
      }
      expect(isOver(fixture)).toBe(true)
    },
  )

  it('wait_fallback_running: only if set, a wait whose content changed ends as running', () => {
    const ended = (wait_fallback_running: boolean, text: string) => {
      const fixture = new SupervisionFixture({ panes: { wait_fallback_running } }).print('one\r\n').advance(1)
      fixture.hook({ kind: 'waiting', waitsFor: 'permission' }).advance(1).print(text).advance(1)
      fixture.pane.applyReport({ channel: 'hook', statement: { kind: 'ended', reason: 'x' } } as never, fixture.t)
      return fixture.advance(30).status
    }
    expect([ended(true, 'more\r\n'), ended(false, 'more\r\n'), ended(true, '')]).toEqual(['running', 'idle', 'idle'])
  })

  it('stuck_frozen_s: a working row without motion is frozen after it, a moving one is not', () => {
    const judged = (still: number) => {
      const watch = new ProgressTracker({ afterS: 300, toolS: 900, frozenS: 30 })
      watch.progressed(0)
      watch.moved(10)
      return watch.judge({ t: 10 + still, isActive: true, hasWorkingRow: true, isToolRunning: false, isExcused: false })
    }
    expect([judged(29.9), judged(30)]).toEqual([null, 'frozen'])
  })

  it('stuck_after_s does not apply to the wait for a retry or for sub-agents', () => {
    const watch = new ProgressTracker({ afterS: 300, toolS: 900, frozenS: 30 })
    const ask = { t: 9000, isActive: true, hasWorkingRow: true, isToolRunning: false }
    expect([watch.judge({ ...ask, isExcused: true }), watch.judge({ ...ask, isExcused: false })]).toEqual([
      null,
      'frozen',
    ])
  })

  it('flicker_max, flicker_window_s: flicker is more than that many changes within the window', () => {
    const changed = (times: number, gap: number, settings: SettingsOver = {}) => {
      const fixture = new SupervisionFixture(settings).advance(1)
      for (let n = 0; n < times; n++) fixture.print(n % 2 === 0 ? START : END(0)).advance(gap)
      return fixture.supervisor.state(fixture.t).flicker
    }
    // The first status is not a change.
    expect([changed(4, 0.1), changed(5, 0.1)]).toEqual([0, 1])
    expect([changed(5, 14.9), changed(5, 25)]).toEqual([1, 0])
    expect(changed(5, 0.1, { panes: { flicker_max: 9 } })).toBe(0)
  })

  it('has a test case for every setting of supervision', () => {
    const named = ['panes', 'queue', 'reading', 'osc7501'] as const
    const settings = named.flatMap(group => Object.keys(DEFAULTS[group]).map(name => `${group}.${name}`))
    expect(settings.filter(setting => !(setting in CASES) && !(setting in ELSEWHERE))).toEqual([])
  })
})
