import { describe, expect, it } from 'vitest'
import { TerminalReadCheck, type TerminalReadResult } from './terminal-read-check.js'
import { END, osc, START, SupervisionFixture } from './testing/supervision-fixture.js'

/**
 * A shell with integration that runs a command; `sees` is the result of a read check, and how often
 * it was made.
 */
function integrated(first: TerminalReadResult['reads']) {
  const seen = { reads: first, looks: 0 }
  const fixture = new SupervisionFixture({}, undefined, () => {
    seen.looks++
    return { reads: seen.reads, how: 'as the test says' }
  })
  fixture.print(osc('133;A')).print('user$ ').advance(1).print(`${START}./run\r\n`).advance(2)
  return { fixture, seen }
}
const QUESTION = 'Overwrite it? [y/N] '
const MENU =
  '\u001b[?25lDo you want to proceed?\r\n\r\n\u001b[7m❯ 1. Yes\u001b[0m\r\n  2. No\r\n\r\nEnter to confirm · Esc to cancel'

describe('a menu over a command of a shell with integration', () => {
  it.each([QUESTION, MENU, 'Password: '])('waits if the program reads its terminal: %j', text => {
    const { fixture } = integrated('yes')
    fixture.print(text).advance(0.9)
    expect(fixture.status).toBe('running')
    fixture.advance(1.1)
    expect(fixture.status).toBe('waiting-approval')
  })

  it.each([QUESTION, MENU, 'Password: '])('stays running without a limit if no program reads: %j', text => {
    const { fixture, seen } = integrated('no')
    fixture.print(text).advance(70)
    expect(fixture.status).toBe('long-running')
    expect(seen.looks).toBeGreaterThan(60)
    expect(fixture.supervisor.history.map(({ to }) => to)).not.toContain('waiting-approval')
    fixture.print(END(0))
    expect(fixture.supervisor.state(fixture.t)).toMatchObject({ status: 'done', exitCode: 0 })
  })

  it('waits if the check has no result, and the log gives the reason', () => {
    const { fixture, seen } = integrated('unknown')
    fixture.print(QUESTION).advance(3)
    expect([fixture.status, seen.looks]).toEqual(['waiting-approval', 1])
    expect(fixture.supervisor.reports(fixture.t)).toContainEqual(
      expect.objectContaining({ source: 'process', says: 'may read the terminal', effect: 'treated as a question' }),
    )
  })

  it('is accepted without a check, as in a recording', () => {
    const fixture = new SupervisionFixture().print(osc('133;A')).advance(1).print(`${START}./run\r\n`).advance(1)
    expect(fixture.print(QUESTION).advance(3).status).toBe('waiting-approval')
  })

  it('is detected at the next check if the program draws first and reads later', () => {
    const { fixture, seen } = integrated('no')
    fixture.print(QUESTION).advance(5)
    expect(fixture.status).toBe('running')
    seen.reads = 'yes'
    expect(fixture.advance(1).status).toBe('waiting-approval')
  })

  it('causes no check while there is none, at the shell’s own prompt, or after a result', () => {
    const { fixture, seen } = integrated('yes')
    fixture.print('plain output\r\n').advance(5)
    expect(seen.looks).toBe(0)
    fixture.print(QUESTION).advance(10)
    expect(seen.looks).toBe(1)
    fixture
      .print(`y\r\n${END(0)}user$ `)
      .advance(5)
      .print('Really? [y/N] ')
      .advance(5)
    expect(seen.looks).toBe(1)
  })

  it('continues the command when it is answered, and later output ends nothing', () => {
    const { fixture, seen } = integrated('yes')
    fixture.print(QUESTION).advance(2)
    expect(fixture.status).toBe('waiting-approval')
    seen.reads = 'no'
    fixture.print('y\r\nworking on it\r\n').advance(2)
    expect(fixture.status).toBe('running')
    fixture.print('All done!\r\nuser$ ').advance(10).print(`\r\n${QUESTION}`).advance(10)
    expect(fixture.status).toBe('running')
    expect(fixture.print(END(4)).supervisor.state(fixture.t)).toMatchObject({ status: 'failed', exitCode: 4 })
  })

  it('ends with the command, even if the answer, the end and the prompt come in one chunk', () => {
    for (const exit of [0, 3]) {
      const { fixture } = integrated('yes')
      fixture.print(QUESTION).advance(2)
      expect(fixture.status).toBe('waiting-approval')
      fixture.print(`y\r\n${END(exit)}user$ `)
      expect(fixture.supervisor.state(fixture.t)).toMatchObject({
        status: exit === 0 ? 'done' : 'failed',
        exitCode: exit,
      })
      expect(fixture.advance(5).status).toBe(exit === 0 ? 'done' : 'failed')
    }
  })

  it('stays when programs of the same command start and end', () => {
    const { fixture } = integrated('no')
    fixture.runs('sleep').advance(2).runs('bash', true).advance(2)
    expect(fixture.status).toBe('running')
  })

  it('makes a late result void after it disappeared', () => {
    const check = new TerminalReadCheck()
    check.canCheck = true
    check.follow(1)
    expect([check.isDue(1.9), check.isDue(2), check.isDue(2.5), check.isDue(3)]).toEqual([false, true, false, true])
    check.follow(4)
    check.applyResult({ reads: 'yes', how: '' })
    expect([check.menuCounts(9), check.nextDeadline()]).toEqual([false, 5])
  })
})
