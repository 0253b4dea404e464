import { describe, expect, it } from 'vitest'
import { MenuWitness, type TerminalWitness } from './menu-witness.js'
import { Bench, END, osc, START } from './testing/bench.js'

/** A shell with integration that runs a command; `sees` is what a look at the command shows, and how often it was looked at. */
function integrated(first: TerminalWitness['reads']) {
  const seen = { reads: first, looks: 0 }
  const bench = new Bench({}, undefined, () => {
    seen.looks++
    return { reads: seen.reads, how: 'as the test says' }
  })
  bench.print(osc('133;A')).print('user$ ').advance(1).print(`${START}./run\r\n`).advance(2)
  return { bench, seen }
}
const QUESTION = 'Overwrite it? [y/N] '
const MENU =
  '\u001b[?25lDo you want to proceed?\r\n\r\n\u001b[7m❯ 1. Yes\u001b[0m\r\n  2. No\r\n\r\nEnter to confirm · Esc to cancel'

describe('§1 a menu over a command of a shell with integration', () => {
  it.each([QUESTION, MENU, 'Password: '])('waits where the program reads its terminal: %j', text => {
    const { bench } = integrated('yes')
    bench.print(text).advance(0.9)
    expect(bench.status).toBe('running')
    bench.advance(1.1)
    expect(bench.status).toBe('waiting-approval')
  })

  it.each([QUESTION, MENU, 'Password: '])('stays running, however long it stands, where nobody reads: %j', text => {
    const { bench, seen } = integrated('no')
    bench.print(text).advance(70)
    expect(bench.status).toBe('long-running')
    expect(seen.looks).toBeGreaterThan(60)
    expect(bench.supervisor.history.map(({ to }) => to)).not.toContain('waiting-approval')
    bench.print(END(0))
    expect(bench.supervisor.state(bench.t)).toMatchObject({ status: 'done', exitCode: 0 })
  })

  it('waits as before where nobody can tell, and the log says why', () => {
    const { bench, seen } = integrated('unknown')
    bench.print(QUESTION).advance(3)
    expect([bench.status, seen.looks]).toEqual(['waiting-approval', 1])
    expect(bench.supervisor.reports(bench.t)).toContainEqual(
      expect.objectContaining({ source: 'process', says: 'may read the terminal', effect: 'taken for a question' }),
    )
  })

  it('without a witness, as in a recording, the menu is believed', () => {
    const bench = new Bench().print(osc('133;A')).advance(1).print(`${START}./run\r\n`).advance(1)
    expect(bench.print(QUESTION).advance(3).status).toBe('waiting-approval')
  })

  it('a program that draws first and reads later is found out at the next look', () => {
    const { bench, seen } = integrated('no')
    bench.print(QUESTION).advance(5)
    expect(bench.status).toBe('running')
    seen.reads = 'yes'
    expect(bench.advance(1).status).toBe('waiting-approval')
  })

  it('is not looked at while no menu stands, nor at the shell’s own prompt, nor once it is known', () => {
    const { bench, seen } = integrated('yes')
    bench.print('plain output\r\n').advance(5)
    expect(seen.looks).toBe(0)
    bench.print(QUESTION).advance(10)
    expect(seen.looks).toBe(1)
    bench
      .print(`y\r\n${END(0)}user$ `)
      .advance(5)
      .print('Really? [y/N] ')
      .advance(5)
    expect(seen.looks).toBe(1)
  })

  it('goes on with the command when the question is answered: what it prints then ends nothing', () => {
    const { bench, seen } = integrated('yes')
    bench.print(QUESTION).advance(2)
    expect(bench.status).toBe('waiting-approval')
    seen.reads = 'no'
    bench.print('y\r\nworking on it\r\n').advance(2)
    expect(bench.status).toBe('running')
    bench.print('All done!\r\nuser$ ').advance(10).print(`\r\n${QUESTION}`).advance(10)
    expect(bench.status).toBe('running')
    expect(bench.print(END(4)).supervisor.state(bench.t)).toMatchObject({ status: 'failed', exitCode: 4 })
  })

  it('ends with the command although the answer, the end and the prompt come in one breath', () => {
    for (const exit of [0, 3]) {
      const { bench } = integrated('yes')
      bench.print(QUESTION).advance(2)
      expect(bench.status).toBe('waiting-approval')
      bench.print(`y\r\n${END(exit)}user$ `)
      expect(bench.supervisor.state(bench.t)).toMatchObject({ status: exit === 0 ? 'done' : 'failed', exitCode: exit })
      expect(bench.advance(5).status).toBe(exit === 0 ? 'done' : 'failed')
    }
  })

  it('programs of one command that come and go do not end it', () => {
    const { bench } = integrated('no')
    bench.runs('sleep').advance(2).runs('bash', true).advance(2)
    expect(bench.status).toBe('running')
  })

  it('an answer about a menu that is gone is none', () => {
    const witness = new MenuWitness()
    witness.isPresent = true
    witness.follow(1)
    expect([witness.isDue(1.9), witness.isDue(2), witness.isDue(2.5), witness.isDue(3)]).toEqual([
      false,
      true,
      false,
      true,
    ])
    witness.follow(4)
    witness.hear({ reads: 'yes', how: '' })
    expect([witness.isHeeded(9), witness.nextDeadline()]).toEqual([false, 5])
  })
})
