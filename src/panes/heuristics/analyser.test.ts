import { describe, expect, it } from 'vitest'
import type { Guess } from './analyser.js'
import type { HeuristicSettings } from './patterns.js'
import { GuessBench as Bench, DEFAULTS } from './testing/guess-bench.js'

const said = (guess: Guess) => guess.emitted?.signal ?? null
const why = (guess: Guess) => guess.suppressed?.reason ?? null

describe('§6.3–6.5 content heuristics', () => {
  it('a prompt at the cursor that has settled is done; a bare dollar counts', () => {
    for (const prompt of ['user@host:~$ ', '$ ', '>>> ', 'In [3]: ', '(Pdb) ', 'Gemini> ', '... ']) {
      const bench = new Bench()
      expect(said(bench.print(1, `out\r\n${prompt}`))).toBeNull()
      expect([said(bench.wait(1.1)), said(bench.wait(1.2))]).toEqual([null, 'heuristic_done'])
    }
  })

  it('a prompt that is not at the cursor is text', () => {
    const bench = new Bench()
    bench.print(1, 'use the $ \r\nand so on')
    expect([said(bench.wait(2)), said(bench.wait(3))]).toEqual([null, null])
  })

  it('new lines make a run; typing does not, and short changes do not', () => {
    const bench = new Bench()
    bench.status = 'idle'
    bench.print(1, '$ ')
    expect(why(bench.print(2, 'ls -l'))).toBe('typing')
    expect(said(bench.print(3, '\r\nfile one\r\nfile two\r\n'))).toBe('heuristic_run')
    const strict = new Bench({ newline_min: 5, burst_min: 500 })
    strict.status = 'idle'
    strict.print(1, '$ ls')
    expect(why(strict.print(2, '\r\nfile one\r\nfile two\r\n'))).toBe('newline_gate')
    const slow = new Bench({ line_rate_min: 10 })
    slow.status = 'idle'
    slow.print(1, '$ ls')
    expect(why(slow.print(2, '\r\nfile one\r\nfile two\r\n'))).toBe('line_rate')
  })

  it('a question at the cursor waits after `quiet_wait_s`; with a line break behind it, never', () => {
    for (const text of [
      'Overwrite it? [y/N] ',
      'Which one do you want? ',
      'Enter a new name: ',
      'Press Enter to continue',
    ]) {
      const bench = new Bench()
      bench.print(1, `x\r\n${text}`)
      expect([said(bench.wait(1.9)), said(bench.wait(2))]).toEqual([null, 'heuristic_wait'])
      const prose = new Bench()
      prose.print(1, `x\r\n${text}\r\n`)
      expect([said(prose.wait(2)), said(prose.wait(4))]).toEqual([null, null])
    }
  })

  it('a sign alone is no question without words before it', () => {
    const bench = new Bench()
    bench.print(1, 'x\r\nNote:')
    expect(said(bench.wait(3))).toBeNull()
  })

  it('a question that is followed by output within the guard begins to stand anew', () => {
    const bench = new Bench()
    bench.print(1, 'a\r\nb\r\nAre you sure? ')
    bench.print(1.3, '\u001b7\u001b[1;1Hchanged\u001b8')
    expect([said(bench.wait(2.2)), said(bench.wait(2.3))]).toEqual([null, 'heuristic_wait'])
  })

  it('"Loading..." at rest is neither prompt nor question nor spinner', () => {
    const bench = new Bench()
    bench.print(1, 'x\r\nLoading...')
    expect([1.5, 2, 3, 4, 5.9].map(t => said(bench.wait(t)))).toEqual([null, null, null, null, null])
    expect(said(bench.wait(6))).toBe('heuristic_idle')
  })

  it('a completion word is believed alone on its row, after `quiet_done_s`', () => {
    const bench = new Bench()
    bench.print(1, 'x\r\nAll done!\r\n')
    expect([said(bench.wait(2.9)), said(bench.wait(3))]).toEqual([null, 'heuristic_done'])
    const prose = new Bench()
    prose.print(1, 'x\r\nWe are done with the first part\r\n')
    expect(said(prose.wait(3.5))).toBeNull()
  })

  it('the interrupt mark starts a run by appearing, once, newline gate or not', () => {
    const bench = new Bench()
    bench.status = 'idle'
    expect(said(bench.print(1, '* Working (esc to interrupt)'))).toBe('heuristic_run')
    expect(said(bench.wait(3))).toBeNull()
  })

  it('the mark gone before quiet is done when quiet is reached, and not while rows change', () => {
    const bench = new Bench()
    bench.print(1, 'Working (esc to interrupt)')
    bench.print(2, '\r\u001b[Kanswer line')
    expect(why(bench.print(3, '\r\nanother line'))).toBe('gone_pending')
    expect([said(bench.wait(4.9)), said(bench.wait(5))]).toEqual([null, 'heuristic_done'])
  })

  it('the mark that returns takes its going back', () => {
    const bench = new Bench()
    bench.print(1, 'Working (esc to interrupt)')
    bench.print(2, '\r\u001b[Kx')
    bench.print(2.5, '\r\u001b[KWorking (esc to interrupt)')
    expect([said(bench.wait(5)), why(bench.wait(9))]).toEqual([null, 'interrupt_present'])
  })

  it('the mark in code, in a list, in quotes or in a menu’s footer is text', () => {
    for (const row of [
      'print("esc to interrupt")',
      '- press esc to interrupt it',
      'enter to select, esc to cancel',
      '`esc to interrupt`',
    ]) {
      const bench = new Bench()
      bench.status = 'idle'
      bench.print(1, 'x\r\n')
      expect(why(bench.print(2, row))).toBe('typing')
    }
  })

  it('nothing is guessed after an end until something starts', () => {
    const bench = new Bench()
    bench.analyser.suppress()
    bench.print(1, 'x\r\n$ ')
    expect(why(bench.wait(2))).toBe('suppressed')
    bench.analyser.reactivate()
    expect(said(bench.wait(3))).toBe('heuristic_done')
  })

  it('a negative pattern silences the look', () => {
    const bench = new Bench()
    bench.print(1, 'x\r\n⠋ > ')
    expect(why(bench.wait(2))).toBe('negative_pattern')
  })

  it('the same signal is not repeated within `debounce_s`, and the same idle not within `idle_reemit_s`', () => {
    const bench = new Bench()
    bench.print(1, 'x\r\ny')
    expect([said(bench.wait(6)), why(bench.wait(6.9)), why(bench.wait(35.9)), said(bench.wait(36))]).toEqual([
      'heuristic_idle',
      'debounce',
      'already_seen',
      'heuristic_idle',
    ])
  })

  it('only motion for `stall_s` is a plateau: a mark, or a wait where that is wished', () => {
    for (const plateau of ['flag', 'wait'] as const) {
      const bench = new Bench({ plateau })
      bench.print(1, 'x\r\nfetching 1%')
      let last = bench.wait(1)
      const waits: string[] = []
      for (let t = 2; t <= 32; t++) {
        last = bench.print(t, `\r\u001b[Kfetching ${t}%`)
        if (last.emitted) waits.push(`${last.emitted.signal} ${t}`)
      }
      expect(last.isPlateau).toBe(true)
      expect(waits).toEqual(plateau === 'wait' ? ['heuristic_wait 31'] : [])
    }
  })

  it('the mark gone is done after `interrupt_done_s` where that is set', () => {
    const bench = new Bench({ interrupt_done_s: 4 })
    bench.print(1, 'Working (esc to interrupt)')
    bench.print(2, '\r\u001b[Kanswer')
    expect([said(bench.wait(5.9)), said(bench.wait(6))]).toEqual([null, 'heuristic_done'])
  })

  it('a burst of `burst_min` characters makes a run without a new line', () => {
    const grown = (length: number) => {
      const bench = new Bench({ newline_min: 9 })
      bench.status = 'idle'
      bench.print(1, 'row\r\n$ ')
      return bench.print(2, `\u001b7\u001b[1;1Hrow${'x'.repeat(length)}\u001b8`)
    }
    expect([why(grown(49)), said(grown(50))]).toEqual(['newline_gate', 'heuristic_run'])
  })

  it('a mark counts in the last `live_rows` rows, a negative pattern in the last `tail_rows`', () => {
    const above = (rows: number, settings: Partial<HeuristicSettings>, first: string, last: string) => {
      const bench = new Bench(settings)
      bench.print(1, `${first}\r\n${'text\r\n'.repeat(rows)}${last}`)
      return bench
    }
    const marked = (rows: number) => why(above(rows, { live_rows: 4 }, 'Working (esc to interrupt)', 'end').wait(9))
    expect([marked(2), marked(3)]).toEqual(['interrupt_present', null])
    const silenced = (rows: number) => why(above(rows, { tail_rows: 3 }, '⠋ > x', '$ ').wait(9))
    expect([silenced(1), silenced(2)]).toEqual(['negative_pattern', null])
  })

  it('says nothing through a closed gate, and remembers meanwhile', () => {
    const bench = new Bench()
    bench.gate = 'higher_authority'
    bench.print(1, 'Working (esc to interrupt)')
    bench.print(2, '\r\u001b[Kx')
    expect(why(bench.wait(9))).toBe('higher_authority')
    bench.gate = null
    expect(said(bench.wait(10))).toBe('heuristic_done')
  })
})

it('every knob of the heuristics is walked somewhere beside them', () => {
  const here =
    'tail_rows live_rows newline_min burst_min line_rate_min quiet_done_s interrupt_done_s quiet_wait_s flicker_guard_s quiet_idle_s idle_reemit_s stall_s plateau debounce_s'
  const gate = 'mode jobs titles prefer_job_name prompt_silence_s'
  const walked = new Set(`${here} ${gate} patterns`.split(' '))
  expect(Object.keys(DEFAULTS).filter(knob => !walked.has(knob))).toEqual([])
})
