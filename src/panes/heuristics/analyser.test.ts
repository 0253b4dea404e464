import { describe, expect, it } from 'vitest'
import type { HeuristicResult } from './analyser.js'
import type { HeuristicSettings } from './patterns.js'
import { DEFAULTS, HeuristicFixture } from './testing/heuristic-fixture.js'

const said = (guess: HeuristicResult) => guess.emitted?.signal ?? null
const why = (guess: HeuristicResult) => guess.suppressed?.reason ?? null

describe('HeuristicAnalyser', () => {
  it('reads a settled prompt at the cursor as the end of work; a bare dollar sign counts', () => {
    for (const prompt of ['user@host:~$ ', '$ ', '>>> ', 'In [3]: ', '(Pdb) ', 'Gemini> ', '... ']) {
      const fixture = new HeuristicFixture()
      expect(said(fixture.print(1, `out\r\n${prompt}`))).toBeNull()
      expect([said(fixture.wait(1.1)), said(fixture.wait(1.2))]).toEqual([null, 'heuristic_done'])
    }
  })

  it('reads a prompt that is not at the cursor as text', () => {
    const fixture = new HeuristicFixture()
    fixture.print(1, 'use the $ \r\nand so on')
    expect([said(fixture.wait(2)), said(fixture.wait(3))]).toEqual([null, null])
  })

  it('starts a run at new lines, not at typing or short changes', () => {
    const fixture = new HeuristicFixture()
    fixture.status = 'idle'
    fixture.print(1, '$ ')
    expect(why(fixture.print(2, 'ls -l'))).toBe('typing')
    expect(said(fixture.print(3, '\r\nfile one\r\nfile two\r\n'))).toBe('heuristic_run')
    const strict = new HeuristicFixture({ newline_min: 5, burst_min: 500 })
    strict.status = 'idle'
    strict.print(1, '$ ls')
    expect(why(strict.print(2, '\r\nfile one\r\nfile two\r\n'))).toBe('too_little_output')
    const slow = new HeuristicFixture({ line_rate_min: 10 })
    slow.status = 'idle'
    slow.print(1, '$ ls')
    expect(why(slow.print(2, '\r\nfile one\r\nfile two\r\n'))).toBe('line_rate')
  })

  it('reports a question at the cursor after `quiet_wait_s`, and none that a line break follows', () => {
    for (const text of [
      'Overwrite it? [y/N] ',
      'Which one do you want? ',
      'Enter a new name: ',
      'Press Enter to continue',
    ]) {
      const fixture = new HeuristicFixture()
      fixture.print(1, `x\r\n${text}`)
      expect([said(fixture.wait(1.9)), said(fixture.wait(2))]).toEqual([null, 'heuristic_wait'])
      const prose = new HeuristicFixture()
      prose.print(1, `x\r\n${text}\r\n`)
      expect([said(prose.wait(2)), said(prose.wait(4))]).toEqual([null, null])
    }
  })

  it('does not read a sign without words before it as a question', () => {
    const fixture = new HeuristicFixture()
    fixture.print(1, 'x\r\nNote:')
    expect(said(fixture.wait(3))).toBeNull()
  })

  it('restarts the delay of a question that output follows within the guard', () => {
    const fixture = new HeuristicFixture()
    fixture.print(1, 'a\r\nb\r\nAre you sure? ')
    fixture.print(1.3, '\u001b7\u001b[1;1Hchanged\u001b8')
    expect([said(fixture.wait(2.2)), said(fixture.wait(2.3))]).toEqual([null, 'heuristic_wait'])
  })

  it('reads "Loading..." in an idle pane as neither prompt nor question nor spinner', () => {
    const fixture = new HeuristicFixture()
    fixture.print(1, 'x\r\nLoading...')
    expect([1.5, 2, 3, 4, 5.9].map(t => said(fixture.wait(t)))).toEqual([null, null, null, null, null])
    expect(said(fixture.wait(6))).toBe('heuristic_idle')
  })

  it('accepts a completion word alone on its row, after `quiet_done_s`', () => {
    const fixture = new HeuristicFixture()
    fixture.print(1, 'x\r\nAll done!\r\n')
    expect([said(fixture.wait(2.9)), said(fixture.wait(3))]).toEqual([null, 'heuristic_done'])
    const prose = new HeuristicFixture()
    prose.print(1, 'x\r\nWe are done with the first part\r\n')
    expect(said(prose.wait(3.5))).toBeNull()
  })

  it('starts a run when the interrupt mark appears, once, with or without new lines', () => {
    const fixture = new HeuristicFixture()
    fixture.status = 'idle'
    expect(said(fixture.print(1, '* Working (esc to interrupt)'))).toBe('heuristic_run')
    expect(said(fixture.wait(3))).toBeNull()
  })

  it('ends the run when the mark is gone for the quiet time, and not while rows change', () => {
    const fixture = new HeuristicFixture()
    fixture.print(1, 'Working (esc to interrupt)')
    fixture.print(2, '\r\u001b[Kanswer line')
    expect(why(fixture.print(3, '\r\nanother line'))).toBe('gone_pending')
    expect([said(fixture.wait(4.9)), said(fixture.wait(5))]).toEqual([null, 'heuristic_done'])
  })

  it('withdraws the end when the mark returns', () => {
    const fixture = new HeuristicFixture()
    fixture.print(1, 'Working (esc to interrupt)')
    fixture.print(2, '\r\u001b[Kx')
    fixture.print(2.5, '\r\u001b[KWorking (esc to interrupt)')
    expect([said(fixture.wait(5)), why(fixture.wait(9))]).toEqual([null, 'interrupt_present'])
  })

  it('reads the mark in code, in a list, in quotes or in the footer of a menu as text', () => {
    for (const row of [
      'print("esc to interrupt")',
      '- press esc to interrupt it',
      'enter to select, esc to cancel',
      '`esc to interrupt`',
    ]) {
      const fixture = new HeuristicFixture()
      fixture.status = 'idle'
      fixture.print(1, 'x\r\n')
      expect(why(fixture.print(2, row))).toBe('typing')
    }
  })

  it('guesses nothing after an end until new work starts', () => {
    const fixture = new HeuristicFixture()
    fixture.analyser.suppress()
    fixture.print(1, 'x\r\n$ ')
    expect(why(fixture.wait(2))).toBe('suppressed')
    fixture.analyser.reactivate()
    expect(said(fixture.wait(3))).toBe('heuristic_done')
  })

  it('guesses again after a better source overruled a guess', () => {
    const fixture = new HeuristicFixture()
    fixture.isLosing = true
    fixture.print(1, 'x\r\nAll done!\r\n')
    expect([said(fixture.wait(3)), said(fixture.wait(4))]).toEqual(['heuristic_done', 'heuristic_done'])
    fixture.isLosing = false
    expect([said(fixture.wait(5)), why(fixture.wait(6))]).toEqual(['heuristic_done', 'suppressed'])
  })

  it('suppresses a look that matches a negative pattern', () => {
    const fixture = new HeuristicFixture()
    fixture.print(1, 'x\r\n⠋ > ')
    expect(why(fixture.wait(2))).toBe('negative_pattern')
  })

  it('repeats no signal within `debounce_s`, and no idle signal within `idle_reemit_s`', () => {
    const fixture = new HeuristicFixture()
    fixture.print(1, 'x\r\ny')
    expect([said(fixture.wait(6)), why(fixture.wait(6.9)), why(fixture.wait(35.9)), said(fixture.wait(36))]).toEqual([
      'heuristic_idle',
      'debounce',
      'already_seen',
      'heuristic_idle',
    ])
  })

  it('reads motion alone for `stall_s` as stalled: a mark, or a wait if configured', () => {
    for (const stalled of ['flag', 'wait'] as const) {
      const fixture = new HeuristicFixture({ stalled })
      fixture.print(1, 'x\r\nfetching 1%')
      let last = fixture.wait(1)
      const waits: string[] = []
      for (let t = 2; t <= 32; t++) {
        last = fixture.print(t, `\r\u001b[Kfetching ${t}%`)
        if (last.emitted) waits.push(`${last.emitted.signal} ${t}`)
      }
      expect(last.isStalled).toBe(true)
      expect(waits).toEqual(stalled === 'wait' ? ['heuristic_wait 31'] : [])
    }
  })

  it('ends the run `interrupt_done_s` after the mark disappeared, if set', () => {
    const fixture = new HeuristicFixture({ interrupt_done_s: 4 })
    fixture.print(1, 'Working (esc to interrupt)')
    fixture.print(2, '\r\u001b[Kanswer')
    expect([said(fixture.wait(5.9)), said(fixture.wait(6))]).toEqual([null, 'heuristic_done'])
  })

  it('starts a run at a burst of `burst_min` characters without a new line', () => {
    const grown = (length: number) => {
      const fixture = new HeuristicFixture({ newline_min: 9 })
      fixture.status = 'idle'
      fixture.print(1, 'row\r\n$ ')
      return fixture.print(2, `\u001b7\u001b[1;1Hrow${'x'.repeat(length)}\u001b8`)
    }
    expect([why(grown(49)), said(grown(50))]).toEqual(['too_little_output', 'heuristic_run'])
  })

  it('searches for a mark in the last `live_rows` rows, for a negative pattern in `tail_rows`', () => {
    const above = (rows: number, settings: Partial<HeuristicSettings>, first: string, last: string) => {
      const fixture = new HeuristicFixture(settings)
      fixture.print(1, `${first}\r\n${'text\r\n'.repeat(rows)}${last}`)
      return fixture
    }
    const marked = (rows: number) => why(above(rows, { live_rows: 4 }, 'Working (esc to interrupt)', 'end').wait(9))
    expect([marked(2), marked(3)]).toEqual(['interrupt_present', null])
    const silenced = (rows: number) => why(above(rows, { tail_rows: 3 }, '⠋ > x', '$ ').wait(9))
    expect([silenced(1), silenced(2)]).toEqual(['negative_pattern', null])
  })

  it('reports nothing while it is not eligible, but keeps its memory', () => {
    const fixture = new HeuristicFixture()
    fixture.ineligible = 'higher_authority'
    fixture.print(1, 'Working (esc to interrupt)')
    fixture.print(2, '\r\u001b[Kx')
    expect(why(fixture.wait(9))).toBe('higher_authority')
    fixture.ineligible = null
    expect(said(fixture.wait(10))).toBe('heuristic_done')
  })
})

it('every setting of the heuristics has a test', () => {
  const here =
    'tail_rows live_rows newline_min burst_min line_rate_min quiet_done_s interrupt_done_s quiet_wait_s flicker_guard_s quiet_idle_s idle_reemit_s stall_s stalled debounce_s'
  const gate = 'mode jobs titles prefer_job_name prompt_silence_s'
  const walked = new Set(`${here} ${gate} patterns`.split(' '))
  expect(Object.keys(DEFAULTS).filter(setting => !walked.has(setting))).toEqual([])
})
