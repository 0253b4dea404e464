import { describe, expect, it } from 'vitest'
import { parsePack } from '../screen/index.js'
import { Counters } from './counters.js'
import { Pane } from './pane.js'
import { Supervisor } from './supervisor.js'
import type { TerminalReadResult } from './terminal-read-check.js'
import {
  DEFAULTS,
  END,
  osc as OSC,
  type SettingsOver,
  START,
  SupervisionFixture,
} from './testing/supervision-fixture.js'

const AGENT = parsePack(
  `pack = 1
agent = "x"
terminator = "required"
region = [{ name = "composer", kind = "box", top = '^─{2,}$', body = '^▷( |$)', bottom = '^─{2,}$' }]
terminators = [{ line = '^◈ Finished', outcome = "done" }]
blocks = [{ kind = "user", first = '^▷ \\S' }, { kind = "prose", first = '^◆ ' }]
`,
  'x',
)
const PACK = () => parsePack('pack = 1\nagent = "generic"\n', 'generic')

describe('a supervised pane', () => {
  it('runs and ends as the shell’s marks report, with the exit code, also within one chunk', () => {
    const fixture = new SupervisionFixture().advance(1).print(OSC('133;A')).print(START)
    expect(fixture.status).toBe('running')
    fixture.advance(2).print(END(3))
    expect(fixture.supervisor.state(fixture.t)).toMatchObject({ status: 'failed', exitCode: 3 })
    fixture.print(START).advance(1).print(END(0))
    expect(fixture.supervisor.state(fixture.t)).toMatchObject({ status: 'done', exitCode: 0 })
  })

  it('stays running while a program prints every phrase of the pattern lists', () => {
    const fixture = new SupervisionFixture({ heuristics: { jobs: ['evil'] } })
    fixture.supervisor.foregroundChanged(
      { name: 'evil', names: ['evil'], pid: 1, commandLine: 'evil', isShell: false, agent: null },
      0,
    )
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

  it('is long-running after `long_after_s` and not earlier', () => {
    const fixture = new SupervisionFixture({ panes: { long_after_s: 10 } }).advance(1).print(START)
    fixture.advance(9)
    expect(fixture.status).toBe('running')
    fixture.advance(1)
    expect(fixture.status).toBe('long-running')
  })

  it('shows done for `display_delay_s` after it was seen, unless new work starts', () => {
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
      fixture.supervisor.foregroundChanged(
        { name: 'codex', names: ['codex'], pid: 1, commandLine: 'codex', isShell: false, agent },
        fixture.t,
      )
      fixture.print('header\r\n').advance(1).print('\r\nwork\r\nmore\r\n').advance(1)
      return [fixture.supervisor.state(fixture.t).heuristics, fixture.counters.total('heuristic.emitted') > 0]
    }
    expect(guessed({}, 'codex')).toEqual(['auto', true])
    expect(guessed({ agents: off }, 'codex')).toEqual(['off', false])
    expect(guessed({ agents: off }, 'claude')).toEqual(['auto', true])
  })

  it('fades after `dismiss_s` and keeps its state', () => {
    const fixture = new SupervisionFixture().print(START).advance(1).print(END(0))
    const isFaded = () => fixture.supervisor.state(fixture.t).isFaded
    expect([isFaded(), fixture.advance(59.9) && isFaded(), fixture.advance(0.2) && isFaded()]).toEqual([
      false,
      false,
      true,
    ])
    expect(fixture.status).toBe('done')
  })

  it('counts focus as seen after `focus_debounce_s` and not earlier', () => {
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

  it('guesses nothing after a person cleared a run, until new work starts', () => {
    const fixture = new SupervisionFixture().print(START).advance(1)
    fixture.supervisor.clear(fixture.t)
    expect(fixture.status).toBe('idle')
    expect(fixture.supervisor.history.at(-1)).toMatchObject({ event: 'clear', reason: 'applied' })
    fixture.advance(5)
    expect(fixture.status).toBe('idle')
    fixture.print(END(0)).print(START)
    expect(fixture.status).toBe('running')
  })

  it('runs again after a clear at a new report of the same work, not at the old one', () => {
    const fixture = new SupervisionFixture().advance(1).hook({ kind: 'working' })
    fixture.supervisor.clear(fixture.t)
    fixture.advance(10)
    expect(fixture.status).toBe('idle')
    fixture.hook({ kind: 'working' })
    expect(fixture.status).toBe('running')
  })

  it('uses OSC 7501 reports, unless they are switched off', () => {
    const report = OSC('7501;state=blocked:kind=permission')
    const hears = new SupervisionFixture().advance(1).print(report)
    const deaf = new SupervisionFixture({ osc7501: { enabled: false } }).advance(1).print(report)
    expect([hears.status, deaf.status]).toEqual(['waiting-approval', 'idle'])
  })

  it('ends a guessed wait after `wait_fallback_s`, but not while an approval is pending', () => {
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
    expect([fixture.status, fixture.supervisor.state(fixture.t).ineligible]).toEqual(['idle', 'off'])
  })

  it('keeps its last claim without reports, and shows its age from `stale_s` on', () => {
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

  it('ends the run of the previous program when another one starts in the pane, as a new generation', () => {
    const fixture = new SupervisionFixture().print(START).advance(1)
    fixture.supervisor.replace(new Pane(PACK(), { cols: 80, rows: 24 }), fixture.t)
    expect(fixture.supervisor.state(fixture.t)).toMatchObject({ status: 'done', generation: 1 })
  })

  it('ends a run without a better source when the shell is back at its prompt, and not earlier', () => {
    const fixture = guessing()
    fixture.print('\r\nwork\r\nmore\r\n').advance(1).runs('bash', true).advance(5)
    expect(fixture.status).toBe('running')
    fixture.print('me> ').advance(1)
    expect(fixture.status).toBe('done')
  })

  it('stops asking with the look in which the question is gone, also without a prompt', () => {
    const fixture = new SupervisionFixture().print('a program\r\nOverwrite it? [y/N] ').advance(2)
    expect(fixture.status).toBe('waiting-approval')
    fixture.print('y\r\ncopying one\r\ncopying two\r\n').advance(0.2)
    expect(fixture.status).toBe('running')
  })

  it('keeps a guessed wait while its menu is on screen, in the frame that drew it and later ones', () => {
    const fixture = guessing().print('\r\nwork\r\nmore\r\n').advance(1)
    fixture.print('[Y]es or [N]o').advance(0.2)
    expect(fixture.status).toBe('waiting-approval')
    fixture.print('\u001b7\u001b[1;1Hanother header\u001b8').advance(3)
    expect(fixture.status).toBe('waiting-approval')
    fixture.print(' y\r\ngoes on\r\n').advance(0.2)
    expect(fixture.status).toBe('running')
  })

  it('ends the run of a listed program that waits for its user, although the prompt is missing', () => {
    const ended = (program: string) => {
      const fixture = atPrompt().print(`${program} x\r\n`).advance(1).runs(program)
      fixture.print('work\r\nAll done!\r\n').advance(8)
      const first = fixture.status
      fixture.print('more work\r\nand more\r\n').advance(1)
      return [first, fixture.status]
    }
    expect([ended('node'), ended('make')]).toEqual([
      ['done', 'running'],
      ['running', 'running'],
    ])
  })

  it('counts a shell with an unreadable prompt as back only if it reads its terminal', () => {
    const back = (reads: 'yes' | 'no' | 'unknown') => {
      const fixture = guessing(() => ({ reads, how: '' }))
      fixture.print('\r\nwork\r\nmore\r\n').advance(1).runs('bash', true).print('\r\nme, now:').advance(3)
      return fixture.status
    }
    expect([back('yes'), back('unknown'), back('no')]).toEqual(['done', 'done', 'running'])
  })

  it('stays running while the shell runs one program after the other, as a loop does', () => {
    const fixture = atPrompt().print('while :; do date; sleep 2; done\r\n')
    for (let n = 0; n < 5; n++) {
      fixture.runs('sleep').print(`Mon 10:00:0${n}\r\n`).advance(2).runs('bash', true).advance(0.1)
      expect(fixture.status).toBe('running')
    }
    fixture.print('^C\r\n$ ').advance(2)
    expect(fixture.status).toBe('done')
  })

  it('is reopened by a source that still reports work after a run ended without a reading', () => {
    const fixture = atPrompt().print('./x\r\nout\r\n').advance(1)
    expect(fixture.status).toBe('running')
    fixture.supervisor.recordSignal('hook', 'ended', fixture.t)
    expect(fixture.status).toBe('idle')
    expect(fixture.advance(1).status).toBe('running')
  })

  it('is running while a program is in the foreground of a screen that was cleared', () => {
    const fixture = atPrompt().print('clear; sleep 12\r\n').advance(0.01)
    fixture.print('\u001b[H\u001b[2J').runs('sleep').advance(2)
    expect(fixture.supervisor.state(fixture.t)).toMatchObject({ status: 'running', label: 'sleep' })
    fixture.runs('bash', true).print('$ ').advance(1)
    expect(fixture.status).toBe('done')
  })

  it('does not keep the name of a program that has executed another one', () => {
    const fixture = new SupervisionFixture().runs('sleep').print('one row that says nothing').advance(3)
    const label = () => fixture.supervisor.state(fixture.t).label
    expect(label()).toBe('sleep')
    expect(fixture.runs('tail').pane.unexpired(fixture.t)).toEqual([])
    expect(fixture.advance(2) && label()).toBe('tail')
  })

  it('ends the claims of a program about itself (OSC 7501) when the program has ended', () => {
    for (const state of ['working', 'blocked'] as const) {
      const report = OSC(`7501;state=${state}:id=one`)
      const marked = new SupervisionFixture().advance(1).print(OSC('133;A') + START + report)
      expect(marked.status).toBe(state === 'working' ? 'running' : 'waiting-approval')
      expect(marked.print(END(0)).advance(1).status).toBe('done')
      // A later report of another program does not bring the old one back.
      expect(marked.print(START + OSC('7501;state=done:id=two') + END(0)).advance(1).status).toBe('done')
      const unmarked = atPrompt().print('./x\r\n').runs('x').print(report).advance(1)
      expect(unmarked.runs('bash', true).print('$ ').advance(2).status).toBe('done')
    }
  })

  it('keeps a command’s run open until the agent that it started is idle', () => {
    for (const earlier of ['', '▷ hi\r\n◆ An answer.\r\n◈ Finished in 1s\r\n']) {
      const fixture = new SupervisionFixture().advance(1).print(OSC('133;A')).print(START).advance(1)
      const pane = new Pane(AGENT, { cols: 80, rows: 24 })
      fixture.supervisor.replace(pane, fixture.t)
      expect(fixture.status).toBe('running')
      const show = (text: string) => {
        fixture.supervisor.applySteps(pane.feed(Buffer.from(text), fixture.t, { live: false }), fixture.t)
        fixture.t += 1
        fixture.supervisor.applySteps(pane.tick(fixture.t), fixture.t)
        fixture.supervisor.tick(fixture.t)
      }
      show(`${earlier}${'─'.repeat(80)}\r\n▷ \r\n${'─'.repeat(80)}\u001b[A\r\u001b[2C`)
      expect(pane.state(fixture.t).reading.claim?.is).toBe(earlier === '' ? 'idle' : 'done')
      expect(fixture.supervisor.history.filter(({ to }) => to === 'done')).toEqual([])
      expect(fixture.status).toBe('idle')
    }
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
    supervisor.applySteps(pane.feed(Buffer.from(START), 0, { live: false }), 0)
    pane.unexpired = () => {
      throw new Error('broken')
    }
    supervisor.tick(60)
    expect(errors.length).toBeGreaterThan(0)
    expect(supervisor.history.at(-1)).toMatchObject({ event: 'long', to: 'long-running' })
  })
})

/** A listed program that reports nothing, on a screen that structure cannot read either. */
function guessing(readCheck: (() => TerminalReadResult) | null = null): SupervisionFixture {
  return new SupervisionFixture({}, PACK(), readCheck).runs('node').print('header\r\n').advance(1)
}

/** A shell at a prompt that is known from here on. */
function atPrompt(): SupervisionFixture {
  return new SupervisionFixture().runs('bash', true).print('$ ').advance(2)
}

it('a program that ran before supervision is running until the screen shows more', () => {
  const fixture = new SupervisionFixture().runs('sleep').print('one row that says nothing').advance(2)
  expect(fixture.supervisor.state(fixture.t)).toMatchObject({ status: 'running', rule: 'process/foreground' })
  // It counts while it runs, however long it reports nothing.
  fixture.advance(50)
  expect(fixture.supervisor.state(fixture.t)).toMatchObject({ status: 'running', staleFor: null })
  const shell = new SupervisionFixture().runs('bash', true).print('one row that says nothing').advance(2)
  expect(shell.supervisor.state(shell.t)).toMatchObject({ status: 'idle', claim: null })
})

it('a pane is idle if no program runs and its screen has not changed for a while', () => {
  const shell = atPrompt()
  expect(shell.supervisor.isIdle(shell.t)).toBe(false)
  shell.advance(20)
  expect(shell.supervisor.isIdle(shell.t)).toBe(true)
  shell.print('ls\r\n$ ').advance(1)
  expect(shell.supervisor.isIdle(shell.t)).toBe(false)
  const silent = new SupervisionFixture().runs('sleep').print('one row that says nothing').advance(30)
  expect([silent.status, silent.supervisor.isIdle(silent.t)]).toEqual(['running', false])
})
