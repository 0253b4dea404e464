import { expect, it } from 'vitest'
import { SUPPRESS_REASONS, type SuppressReason } from './analyser.js'
import { GATE_REASONS } from './gate.js'
import { GuessBench } from './testing/guess-bench.js'

/** For each reason a situation in which it, and no other, keeps a signal back. */
const SITUATIONS: Record<Exclude<SuppressReason, (typeof GATE_REASONS)[number]>, () => SuppressReason | undefined> = {
  negative_pattern: () => new GuessBench().said('x\r\n⠋ > ', 2),
  newline_gate: () => resting({ newline_min: 5, burst_min: 500 }).said('\r\nfile one\r\nfile two\r\n'),
  line_rate: () => resting({ line_rate_min: 10 }).said('\r\nfile one\r\nfile two\r\n'),
  typing: () => resting().said('ls -l'),
  not_quiet: () => new GuessBench().said('x\r\ny', 5.9),
  hash_unstable: () => {
    const bench = new GuessBench()
    bench.print(1, 'x\r\ny')
    // Blank rows: nothing new is said, and what the last rows are is another thing.
    bench.print(4, '\r\n\r\n\r\n')
    return bench.wait(6.5).suppressed?.reason
  },
  not_at_cursor: () => new GuessBench().said('Overwrite all of it?\r\n', 2),
  outside_live_rows: () =>
    new GuessBench({ live_rows: 2 }).said('Working (esc to interrupt)\r\none\r\ntwo\r\nthree', 2),
  quoted: () => new GuessBench().said('- press esc to interrupt it', 2),
  interrupt_present: () => new GuessBench().said('Working (esc to interrupt)', 9),
  gone_pending: () => {
    const bench = new GuessBench()
    bench.print(1, 'Working (esc to interrupt)')
    bench.print(2, '\r\u001b[Kanswer line')
    return bench.print(3, '\r\nanother line').suppressed?.reason
  },
  already_seen: () => {
    const bench = new GuessBench()
    bench.print(1, 'x\r\ny')
    bench.wait(6)
    return bench.wait(35.9).suppressed?.reason
  },
  flicker_guard: () => new GuessBench().said('Overwrite all of it ? ', 1.9),
  debounce: () => {
    const bench = new GuessBench()
    bench.print(1, 'x\r\ny')
    bench.wait(6)
    return bench.wait(6.9).suppressed?.reason
  },
  suppressed: () => {
    const bench = new GuessBench()
    bench.analyser.suppress()
    return bench.said('x\r\n$ ', 2)
  },
}

function resting(settings = {}): GuessBench {
  const bench = new GuessBench(settings)
  bench.status = 'idle'
  bench.print(1, '$ ls')
  return bench
}

it.each(Object.entries(SITUATIONS))('§9 %s is why a signal is kept back', (reason, situation) => {
  expect(situation()).toBe(reason)
})

it.each(GATE_REASONS)('§9 %s is why nothing is said at all', reason => {
  const bench = new GuessBench()
  bench.gate = reason
  expect(bench.said('Overwrite all of it ? ', 9)).toBe(reason)
})

it('§9 the reasons are those of the specification', () => {
  const specified =
    'off not_listed prompt_active higher_authority alternate_screen job_flip negative_pattern newline_gate line_rate typing not_quiet hash_unstable not_at_cursor outside_live_rows quoted interrupt_present gone_pending already_seen flicker_guard debounce suppressed'
  expect([...SUPPRESS_REASONS].sort()).toEqual(specified.split(' ').sort())
})
