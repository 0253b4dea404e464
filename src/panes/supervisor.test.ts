import { describe, expect, it } from 'vitest'
import { parsePack } from '../screen/index.js'
import { Counters } from './counters.js'
import { Pane } from './pane.js'
import { Supervisor } from './supervisor.js'
import { Bench, DEFAULTS, END, osc as OSC, type SettingsOver, START } from './testing/bench.js'

const PACK = () => parsePack('pack = 1\nagent = "generic"\n', 'generic')

describe('a supervised pane', () => {
  it('runs and ends as the shell’s marks say, with the exit code, both marks in one breath', () => {
    const bench = new Bench().advance(1).print(OSC('133;A')).print(START)
    expect(bench.status).toBe('running')
    bench.advance(2).print(END(3))
    expect(bench.supervisor.state(bench.t)).toMatchObject({ status: 'failed', exitCode: 3 })
    bench.print(START).advance(1).print(END(0))
    expect(bench.supervisor.state(bench.t)).toMatchObject({ status: 'done', exitCode: 0 })
  })

  it('does not leave running while a program prints every phrase there is', () => {
    const bench = new Bench({ heuristics: { jobs: ['evil'] } })
    bench.supervisor.runs({ name: 'evil', pid: 1, commandLine: 'evil', isShell: false, agent: null }, 0)
    bench.print(OSC('133;A')).print('user$ ').advance(10).print(START)
    const phrases = [
      'esc to interrupt',
      'All done!',
      'exit code 0',
      '❯ 1. Yes',
      '[Y]es',
      'Do you want to proceed?',
      '$ ',
      '>>> ',
      'Continue? (y/n)',
      'Press Enter to continue',
      'ready',
    ]
    for (const phrase of phrases) {
      bench.print(`\r\n${phrase}\r\n`).advance(8)
      expect([phrase, ['running', 'long-running'].includes(bench.status)]).toEqual([phrase, true])
    }
    bench.print(END(0))
    expect(bench.status).toBe('done')
    expect(bench.counters.total('heuristic.emitted')).toBe(0)
  })

  it('is long-running after `long_after_s`, not before', () => {
    const bench = new Bench({ panes: { long_after_s: 10 } }).advance(1).print(START)
    bench.advance(9)
    expect(bench.status).toBe('running')
    bench.advance(1)
    expect(bench.status).toBe('long-running')
  })

  it('shows done for `display_delay_s` after it was seen, unless something new begins', () => {
    const bench = new Bench().print(START).advance(1).print(END(0)).advance(1)
    bench.supervisor.seen(bench.t)
    const shown = () => [bench.status, bench.supervisor.state(bench.t).shown]
    expect(shown()).toEqual(['idle', 'done'])
    bench.advance(4.9)
    expect(shown()).toEqual(['idle', 'done'])
    bench.advance(0.2)
    expect(shown()).toEqual(['idle', 'idle'])
  })

  it('guesses nothing about an agent whose heuristics are off', () => {
    const off = { codex: { heuristics: 'off' } } as unknown as NonNullable<SettingsOver['agents']>
    const guessed = (settings: SettingsOver, agent: string) => {
      const bench = new Bench(settings)
      bench.supervisor.runs({ name: 'codex', pid: 1, commandLine: 'codex', isShell: false, agent }, bench.t)
      bench.print('header\r\n').advance(1).print('\r\nwork\r\nmore\r\n').advance(1)
      return [bench.supervisor.state(bench.t).heuristics, bench.counters.total('heuristic.emitted') > 0]
    }
    expect(guessed({}, 'codex')).toEqual(['auto', true])
    expect(guessed({ agents: off }, 'codex')).toEqual(['off', false])
    expect(guessed({ agents: off }, 'claude')).toEqual(['auto', true])
  })

  it('fades after `dismiss_s` and is marked as recent for `recent_s`; its state stays', () => {
    const bench = new Bench().print(START).advance(1).print(END(0))
    const faded = () => {
      const { isFaded, isRecent } = bench.supervisor.state(bench.t)
      return [isFaded, isRecent]
    }
    expect(faded()).toEqual([false, false])
    expect([bench.advance(59.9) && faded(), bench.advance(0.2) && faded(), bench.advance(10) && faded()]).toEqual([
      [false, false],
      [true, true],
      [true, false],
    ])
    expect(bench.status).toBe('done')
  })

  it('counts focus as seen after `focus_debounce_s`, not before', () => {
    const bench = new Bench().print(START).advance(1).print(END(0))
    bench.supervisor.focus(true, bench.t)
    expect(bench.supervisor.nextDeadline()).toBeCloseTo(bench.t + 0.3)
    bench.supervisor.tick(bench.t + 0.29)
    expect(bench.status).toBe('done')
    bench.supervisor.tick(bench.t + 0.3)
    expect(bench.status).toBe('idle')
    expect(bench.supervisor.nextDeadline()).toBeNull()
  })

  it('focus that goes away again is not seen', () => {
    const bench = new Bench().print(START).advance(1).print(END(0))
    bench.supervisor.focus(true, bench.t)
    bench.supervisor.focus(false, bench.t + 0.2)
    bench.advance(3)
    expect(bench.status).toBe('done')
  })

  it('a person clears a run, and nothing is guessed until something starts', () => {
    const bench = new Bench().print(START).advance(1)
    bench.supervisor.clear(bench.t)
    expect(bench.status).toBe('idle')
    expect(bench.supervisor.history.at(-1)).toMatchObject({ event: 'clear', reason: 'applied' })
    bench.advance(5)
    expect(bench.status).toBe('idle')
    bench.print(END(0)).print(START)
    expect(bench.status).toBe('running')
  })

  it('a cleared run comes back by a new report of the same thing, not by the old one', () => {
    const bench = new Bench().advance(1).hook({ is: 'working' })
    bench.supervisor.clear(bench.t)
    bench.advance(10)
    expect(bench.status).toBe('idle')
    bench.hook({ is: 'working' })
    expect(bench.status).toBe('running')
  })

  it('hears programs by OSC 7501, and not where that is switched off', () => {
    const report = OSC('7501;state=blocked:kind=permission')
    const hears = new Bench().advance(1).print(report)
    const deaf = new Bench({ osc7501: { enabled: false } }).advance(1).print(report)
    expect([hears.status, deaf.status]).toEqual(['waiting-approval', 'idle'])
  })

  it('a wait that nobody stands behind ends after `wait_fallback_s`; a pending approval keeps it', () => {
    for (const isPending of [false, true]) {
      const bench = guessing()
      bench.print('\r\nwork\r\nmore\r\n').advance(1).print('Overwrite all of it ?').advance(3)
      expect(bench.status).toBe('waiting-approval')
      bench.supervisor.setPending(isPending)
      bench.advance(21)
      expect(bench.status).toBe('waiting-approval')
      bench.advance(3)
      expect(bench.status).toBe(isPending ? 'waiting-approval' : 'idle')
    }
  })

  it('with heuristics off nothing but authorities changes a status', () => {
    const bench = guessing()
    bench.supervisor.setHeuristics('off')
    bench.print('\r\nwork\r\nmore\r\n').advance(1).print('Overwrite all of it ?').advance(3)
    expect([bench.status, bench.supervisor.state(bench.t).gate]).toEqual(['idle', 'off'])
  })

  it('keeps its last word when nobody speaks, and says how old that is from `stale_s` on', () => {
    const bench = guessing()
    bench.print('\r\nwork\r\nmore\r\n').advance(1)
    expect(bench.status).toBe('running')
    expect(bench.supervisor.state(bench.t).staleFor).toBeNull()
  })

  it('two panes never share what they remember', () => {
    const [one, other] = [guessing(), guessing()]
    one.print('\r\nwork\r\nmore\r\n').advance(1)
    other.advance(1)
    expect([one.status, other.status]).toEqual(['running', 'idle'])
  })

  it('another program in the pane ends the run of the one before, and raises the generation', () => {
    const bench = new Bench().print(START).advance(1)
    bench.supervisor.replace(new Pane(PACK(), { cols: 80, rows: 24 }), bench.t)
    expect(bench.supervisor.state(bench.t)).toMatchObject({ status: 'done', generation: 1 })
  })

  it('back at the shell without a word, a run that nobody better began has ended', () => {
    const bench = guessing()
    bench.print('\r\nwork\r\nmore\r\n').advance(1)
    bench.supervisor.runs({ name: 'bash', pid: 1, commandLine: 'bash', isShell: true, agent: null }, bench.t)
    expect(bench.status).toBe('done')
  })

  it('logs every report with what became of it', () => {
    const bench = new Bench().print(START).advance(1).print(END(1))
    expect(bench.supervisor.reports(bench.t).map(({ source, says, effect }) => [source, says, effect])).toEqual(
      expect.arrayContaining([
        ['shell', 'working', 'idle → running'],
        ['shell', 'failed (exit 1)', 'running → failed'],
        ['shell', 'idle', 'agrees'],
      ]),
    )
  })

  it('a task that fails does not keep the others from their turn', () => {
    const errors: unknown[] = []
    const pane = new Pane(PACK(), { cols: 80, rows: 24 })
    const supervisor = new Supervisor(pane, {
      settings: DEFAULTS,
      agentPrograms: [],
      counters: new Counters(),
      onError: error => errors.push(error),
    })
    supervisor.take(pane.feed(Buffer.from(START), 0, { live: false }), 0)
    pane.standing = () => {
      throw new Error('broken')
    }
    supervisor.tick(60)
    expect(errors.length).toBeGreaterThan(0)
    expect(supervisor.history.at(-1)).toMatchObject({ event: 'long', to: 'long-running' })
  })
})

/** A listed program that reports nothing, on a screen that structure cannot read either. */
function guessing(): Bench {
  const bench = new Bench()
  bench.supervisor.runs({ name: 'node', pid: 1, commandLine: 'node x', isShell: false, agent: null }, 0)
  return bench.print('header\r\n').advance(1)
}

it('a program that ran before anybody watched is running, until the screen says more', () => {
  const bench = new Bench().runs('sleep').print('one row that says nothing').advance(2)
  expect(bench.supervisor.state(bench.t)).toMatchObject({ status: 'running', rule: 'process/foreground' })
  // It is there as long as it is there, however long it says nothing.
  bench.advance(50)
  expect(bench.supervisor.state(bench.t)).toMatchObject({ status: 'running', staleFor: null })
  const shell = new Bench().runs('bash', true).print('one row that says nothing').advance(2)
  expect(shell.supervisor.state(shell.t)).toMatchObject({ status: 'idle', claim: null })
})
