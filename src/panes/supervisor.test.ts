import { describe, expect, it } from 'vitest'
import { parsePack } from '../screen/index.js'
import { Counters } from './counters.js'
import { Pane } from './pane.js'
import { Supervisor } from './supervisor.js'
import {
  DEFAULTS,
  END,
  osc as OSC,
  type SettingsOver,
  START,
  SupervisionFixture,
} from './testing/supervision-fixture.js'

const PACK = () => parsePack('pack = 1\nagent = "generic"\n', 'generic')

describe('a supervised pane', () => {
  it('runs and ends as the shell’s marks say, with the exit code, even if both marks come in one chunk', () => {
    const fixture = new SupervisionFixture().advance(1).print(OSC('133;A')).print(START)
    expect(fixture.status).toBe('running')
    fixture.advance(2).print(END(3))
    expect(fixture.supervisor.state(fixture.t)).toMatchObject({ status: 'failed', exitCode: 3 })
    fixture.print(START).advance(1).print(END(0))
    expect(fixture.supervisor.state(fixture.t)).toMatchObject({ status: 'done', exitCode: 0 })
  })

  it('stays running while a program prints every phrase of the pattern lists', () => {
    const fixture = new SupervisionFixture({ heuristics: { jobs: ['evil'] } })
    fixture.supervisor.runs({ name: 'evil', pid: 1, commandLine: 'evil', isShell: false, agent: null }, 0)
    fixture.print(OSC('133;A')).print('user$ ').advance(10).print(START)
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
      fixture.print(`\r\n${phrase}\r\n`).advance(8)
      expect([phrase, ['running', 'long-running'].includes(fixture.status)]).toEqual([phrase, true])
    }
    fixture.print(END(0))
    expect(fixture.status).toBe('done')
    expect(fixture.counters.total('heuristic.emitted')).toBe(0)
  })

  it('is long-running after `long_after_s`, not before', () => {
    const fixture = new SupervisionFixture({ panes: { long_after_s: 10 } }).advance(1).print(START)
    fixture.advance(9)
    expect(fixture.status).toBe('running')
    fixture.advance(1)
    expect(fixture.status).toBe('long-running')
  })

  it('shows done for `display_delay_s` after it was seen, unless something new starts', () => {
    const fixture = new SupervisionFixture().print(START).advance(1).print(END(0)).advance(1)
    fixture.supervisor.seen(fixture.t)
    const shown = () => [fixture.status, fixture.supervisor.state(fixture.t).shown]
    expect(shown()).toEqual(['idle', 'done'])
    fixture.advance(4.9)
    expect(shown()).toEqual(['idle', 'done'])
    fixture.advance(0.2)
    expect(shown()).toEqual(['idle', 'idle'])
  })

  it('guesses nothing about an agent whose heuristics are off', () => {
    const off = { codex: { heuristics: 'off' } } as unknown as NonNullable<SettingsOver['agents']>
    const guessed = (settings: SettingsOver, agent: string) => {
      const fixture = new SupervisionFixture(settings)
      fixture.supervisor.runs({ name: 'codex', pid: 1, commandLine: 'codex', isShell: false, agent }, fixture.t)
      fixture.print('header\r\n').advance(1).print('\r\nwork\r\nmore\r\n').advance(1)
      return [fixture.supervisor.state(fixture.t).heuristics, fixture.counters.total('heuristic.emitted') > 0]
    }
    expect(guessed({}, 'codex')).toEqual(['auto', true])
    expect(guessed({ agents: off }, 'codex')).toEqual(['off', false])
    expect(guessed({ agents: off }, 'claude')).toEqual(['auto', true])
  })

  it('fades after `dismiss_s` and is marked as recent for `recent_s`; its state stays', () => {
    const fixture = new SupervisionFixture().print(START).advance(1).print(END(0))
    const faded = () => {
      const { isFaded, isRecent } = fixture.supervisor.state(fixture.t)
      return [isFaded, isRecent]
    }
    expect(faded()).toEqual([false, false])
    expect([fixture.advance(59.9) && faded(), fixture.advance(0.2) && faded(), fixture.advance(10) && faded()]).toEqual(
      [
        [false, false],
        [true, true],
        [true, false],
      ],
    )
    expect(fixture.status).toBe('done')
  })

  it('counts focus as seen after `focus_debounce_s`, not before', () => {
    const fixture = new SupervisionFixture().print(START).advance(1).print(END(0))
    fixture.supervisor.focus(true, fixture.t)
    expect(fixture.supervisor.nextDeadline()).toBeCloseTo(fixture.t + 0.3)
    fixture.supervisor.tick(fixture.t + 0.29)
    expect(fixture.status).toBe('done')
    fixture.supervisor.tick(fixture.t + 0.3)
    expect(fixture.status).toBe('idle')
    expect(fixture.supervisor.nextDeadline()).toBeNull()
  })

  it('does not count focus that leaves again as seen', () => {
    const fixture = new SupervisionFixture().print(START).advance(1).print(END(0))
    fixture.supervisor.focus(true, fixture.t)
    fixture.supervisor.focus(false, fixture.t + 0.2)
    fixture.advance(3)
    expect(fixture.status).toBe('done')
  })

  it('guesses nothing after a person cleared a run, until something starts', () => {
    const fixture = new SupervisionFixture().print(START).advance(1)
    fixture.supervisor.clear(fixture.t)
    expect(fixture.status).toBe('idle')
    expect(fixture.supervisor.history.at(-1)).toMatchObject({ event: 'clear', reason: 'applied' })
    fixture.advance(5)
    expect(fixture.status).toBe('idle')
    fixture.print(END(0)).print(START)
    expect(fixture.status).toBe('running')
  })

  it('runs again after a clear at a new report of the same thing, not at the old one', () => {
    const fixture = new SupervisionFixture().advance(1).hook({ is: 'working' })
    fixture.supervisor.clear(fixture.t)
    fixture.advance(10)
    expect(fixture.status).toBe('idle')
    fixture.hook({ is: 'working' })
    expect(fixture.status).toBe('running')
  })

  it('uses OSC 7501 reports, unless they are switched off', () => {
    const report = OSC('7501;state=blocked:kind=permission')
    const hears = new SupervisionFixture().advance(1).print(report)
    const deaf = new SupervisionFixture({ osc7501: { enabled: false } }).advance(1).print(report)
    expect([hears.status, deaf.status]).toEqual(['waiting-approval', 'idle'])
  })

  it('ends a guessed wait after `wait_fallback_s`; a pending approval keeps it', () => {
    for (const isPending of [false, true]) {
      const fixture = guessing()
      fixture.print('\r\nwork\r\nmore\r\n').advance(1).print('Overwrite all of it ?').advance(3)
      expect(fixture.status).toBe('waiting-approval')
      fixture.supervisor.setPending(isPending)
      fixture.advance(21)
      expect(fixture.status).toBe('waiting-approval')
      fixture.advance(3)
      expect(fixture.status).toBe(isPending ? 'waiting-approval' : 'idle')
    }
  })

  it('changes its status only by authorities if heuristics are off', () => {
    const fixture = guessing()
    fixture.supervisor.setHeuristics('off')
    fixture.print('\r\nwork\r\nmore\r\n').advance(1).print('Overwrite all of it ?').advance(3)
    expect([fixture.status, fixture.supervisor.state(fixture.t).gate]).toEqual(['idle', 'off'])
  })

  it('keeps its last claim when nothing reports, and its age from `stale_s` on', () => {
    const fixture = guessing()
    fixture.print('\r\nwork\r\nmore\r\n').advance(1)
    expect(fixture.status).toBe('running')
    expect(fixture.supervisor.state(fixture.t).staleFor).toBeNull()
  })

  it('shares no memory with another pane', () => {
    const [one, other] = [guessing(), guessing()]
    one.print('\r\nwork\r\nmore\r\n').advance(1)
    other.advance(1)
    expect([one.status, other.status]).toEqual(['running', 'idle'])
  })

  it('ends the run of the previous program when another takes the pane, and raises the generation', () => {
    const fixture = new SupervisionFixture().print(START).advance(1)
    fixture.supervisor.replace(new Pane(PACK(), { cols: 80, rows: 24 }), fixture.t)
    expect(fixture.supervisor.state(fixture.t)).toMatchObject({ status: 'done', generation: 1 })
  })

  it('ends a run without a better source when the shell is back without a report', () => {
    const fixture = guessing()
    fixture.print('\r\nwork\r\nmore\r\n').advance(1)
    fixture.supervisor.runs({ name: 'bash', pid: 1, commandLine: 'bash', isShell: true, agent: null }, fixture.t)
    expect(fixture.status).toBe('done')
  })

  it('logs every report with its effect', () => {
    const fixture = new SupervisionFixture().print(START).advance(1).print(END(1))
    expect(fixture.supervisor.reports(fixture.t).map(({ source, says, effect }) => [source, says, effect])).toEqual(
      expect.arrayContaining([
        ['shell', 'working', 'idle → running'],
        ['shell', 'failed (exit 1)', 'running → failed'],
        ['shell', 'idle', 'agrees'],
      ]),
    )
  })

  it('runs the other tasks of a tick if one fails', () => {
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
function guessing(): SupervisionFixture {
  const fixture = new SupervisionFixture()
  fixture.supervisor.runs({ name: 'node', pid: 1, commandLine: 'node x', isShell: false, agent: null }, 0)
  return fixture.print('header\r\n').advance(1)
}

it('a program that ran before supervision started is running until the screen shows more', () => {
  const fixture = new SupervisionFixture().runs('sleep').print('one row that says nothing').advance(2)
  expect(fixture.supervisor.state(fixture.t)).toMatchObject({ status: 'running', rule: 'process/foreground' })
  // It counts while it runs, however long it reports nothing.
  fixture.advance(50)
  expect(fixture.supervisor.state(fixture.t)).toMatchObject({ status: 'running', staleFor: null })
  const shell = new SupervisionFixture().runs('bash', true).print('one row that says nothing').advance(2)
  expect(shell.supervisor.state(shell.t)).toMatchObject({ status: 'idle', claim: null })
})
