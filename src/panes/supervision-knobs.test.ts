import { describe, expect, it } from 'vitest'
import { ProgressWatch } from './progress.js'
import { Bench, DEFAULTS, END, osc, type SettingsOver, START } from './testing/bench.js'

/*
 * Every knob of supervision, on both sides of its value, with time moved by hand. `isOver` must be false a moment before `at` and true at it.
 * A knob that is added to the settings without a case here fails the last test.
 */
interface Case {
  settings?: SettingsOver
  arrange(bench: Bench): void
  /** Seconds after `arrange`. */
  at: number
  isOver(bench: Bench): boolean
}

/** Runs on that tick seconds: ticks fall on whole ones. */
const guess = (bench: Bench) => bench.runs('node').print('header\r\n').advance(1)
const status =
  (...wanted: string[]) =>
  (bench: Bench) =>
    wanted.includes(bench.status)
const finished = (bench: Bench) => void bench.advance(1).print(START).advance(1).print(END(0))

const CASES: Record<string, Case> = {
  'panes.long_after_s': {
    arrange: bench => void bench.advance(1).print(START),
    at: 60,
    isOver: status('long-running'),
  },
  'panes.wait_fallback_s': {
    settings: { panes: { wait_fallback_s: 10 } },
    arrange: bench => {
      guess(bench).print('\r\nwork\r\nmore\r\n').advance(1).print('Overwrite all of it ?').advance(2)
      expect(bench.status).toBe('waiting-approval')
    },
    at: 10,
    isOver: status('idle'),
  },
  'panes.display_delay_s': {
    arrange: bench => {
      finished(bench)
      bench.supervisor.seen(bench.t)
    },
    at: 5,
    isOver: bench => bench.supervisor.state(bench.t).shown === 'idle',
  },
  'panes.dismiss_s': { arrange: finished, at: 60, isOver: bench => bench.supervisor.state(bench.t).isFaded },
  'panes.recent_s': {
    arrange: bench => {
      finished(bench)
      bench.advance(60)
    },
    at: 10,
    isOver: bench => !bench.supervisor.state(bench.t).isRecent,
  },
  'panes.stuck_after_s': {
    arrange: bench => void bench.advance(1).hook({ is: 'working' }),
    at: 300,
    isOver: bench => bench.supervisor.state(bench.t).stuck === 'no-progress',
  },
  'panes.stuck_tool_s': {
    arrange: bench => void bench.advance(1).print(START),
    at: 900,
    isOver: bench => bench.supervisor.state(bench.t).stuck === 'no-progress',
  },
  'panes.flicker_hold_s': {
    settings: { panes: { flicker_hold_s: 2 } },
    arrange: bench => {
      bench.advance(1)
      for (let n = 0; n < 3; n++) bench.print(START).advance(0.1).print(END(0))
      expect(bench.supervisor.state(bench.t).flicker).toBe(1)
    },
    at: 0,
    isOver: bench => bench.supervisor.reports(bench.t).some(({ effect }) => effect === 'rest must last 2 s'),
  },
  'reading.stale_s': {
    arrange: bench => {
      bench.advance(1).hook({ is: 'working' })
      bench.pane.hear({ channel: 'hook', statement: { is: 'ended', reason: 'x' } } as never, bench.t)
    },
    at: 30,
    isOver: bench => bench.supervisor.state(bench.t).staleFor !== null,
  },
  'osc7501.enabled': {
    settings: { osc7501: { enabled: true } },
    arrange: bench => void bench.advance(1).print(osc('7501;state=working')),
    at: 0,
    isOver: status('running'),
  },
  'panes.history': {
    settings: { panes: { history: 2 } },
    arrange: bench => {
      finished(bench)
      bench.print(START).print(END(0))
    },
    at: 0,
    isOver: bench => bench.supervisor.history.length === 2,
  },
}

/** Knobs whose two sides are walked beside the part that they belong to. */
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
  // What only the host knows of: its clock, its list, its calls.
  'panes.sources': 'test/e2e/watch.test.ts',
  'panes.tmux_socket': 'tmux/tmux-server.test.ts',
  'panes.max_total': 'host/panes-tmux-roster.test.ts',
  'panes.command_max': 'job.test.ts',
  'panes.quiet_run_s': 'host/notify-center.test.ts',
  'panes.poll_s': 'host/panes-board.test.ts',
}

describe('knobs of supervision', () => {
  it.each(Object.entries(CASES))('%s', (_knob, { settings, arrange, at, isOver }) => {
    const bench = new Bench(settings)
    arrange(bench)
    if (at > 0) {
      const before = bench.t
      bench.advance(at - 1)
      expect([bench.t, isOver(bench)]).toEqual([before + at - 1, false])
      bench.advance(1)
    }
    expect(isOver(bench)).toBe(true)
  })

  it('a wait whose content changed ends as running only with `wait_fallback_running`', () => {
    const ended = (wait_fallback_running: boolean, text: string) => {
      const bench = new Bench({ panes: { wait_fallback_running } }).print('one\r\n').advance(1)
      bench.hook({ is: 'waiting', kind: 'permission' }).advance(1).print(text).advance(1)
      bench.pane.hear({ channel: 'hook', statement: { is: 'ended', reason: 'x' } } as never, bench.t)
      return bench.advance(30).status
    }
    expect([ended(true, 'more\r\n'), ended(false, 'more\r\n'), ended(true, '')]).toEqual(['running', 'idle', 'idle'])
  })

  it('a working row without motion is frozen after `stuck_frozen_s`, one that moves is not', () => {
    const judged = (still: number) => {
      const watch = new ProgressWatch({ afterS: 300, toolS: 900, frozenS: 30 })
      watch.progressed(0)
      watch.moved(10)
      return watch.judge({ t: 10 + still, isActive: true, hasWorkingRow: true, isToolRunning: false, isExcused: false })
    }
    expect([judged(29.9), judged(30)]).toEqual([null, 'frozen'])
  })

  it('waiting for a retry or for helpers is never stuck', () => {
    const watch = new ProgressWatch({ afterS: 300, toolS: 900, frozenS: 30 })
    const ask = { t: 9000, isActive: true, hasWorkingRow: true, isToolRunning: false }
    expect([watch.judge({ ...ask, isExcused: true }), watch.judge({ ...ask, isExcused: false })]).toEqual([
      null,
      'frozen',
    ])
  })

  it('flicker is more than `flicker_max` changes within `flicker_window_s`', () => {
    const changed = (times: number, gap: number, settings: SettingsOver = {}) => {
      const bench = new Bench(settings).advance(1)
      for (let n = 0; n < times; n++) bench.print(n % 2 === 0 ? START : END(0)).advance(gap)
      return bench.supervisor.state(bench.t).flicker
    }
    // The first status is no change.
    expect([changed(4, 0.1), changed(5, 0.1)]).toEqual([0, 1])
    expect([changed(5, 14.9), changed(5, 25)]).toEqual([1, 0])
    expect(changed(5, 0.1, { panes: { flicker_max: 9 } })).toBe(0)
  })

  it('has a case for every setting of supervision', () => {
    const named = ['panes', 'reading', 'queue', 'osc7501'] as const
    const knobs = named.flatMap(group => Object.keys(DEFAULTS[group]).map(name => `${group}.${name}`))
    expect(knobs.filter(knob => !(knob in CASES) && !(knob in ELSEWHERE))).toEqual([])
  })
})
