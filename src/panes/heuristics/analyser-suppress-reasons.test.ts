import { expect, it } from 'vitest'
import { SUPPRESS_REASONS, type SuppressReason } from './analyser.js'
import { INELIGIBLE_REASONS } from './eligibility.js'
import { HeuristicFixture } from './testing/heuristic-fixture.js'

/** For each reason, a situation in which it alone suppresses a signal. */
const SITUATIONS: Record<
  Exclude<SuppressReason, (typeof INELIGIBLE_REASONS)[number]>,
  () => SuppressReason | undefined
> = {
  negative_pattern: () => new HeuristicFixture().said('x\r\n⠋ > ', 2),
  too_little_output: () => idle({ newline_min: 5, burst_min: 500 }).said('\r\nfile one\r\nfile two\r\n'),
  line_rate: () => idle({ line_rate_min: 10 }).said('\r\nfile one\r\nfile two\r\n'),
  typing: () => idle().said('ls -l'),
  not_quiet: () => new HeuristicFixture().said('x\r\ny', 5.9),
  hash_unstable: () => {
    const fixture = new HeuristicFixture()
    fixture.print(1, 'x\r\ny')
    // Blank rows: no new text, but the last rows change.
    fixture.print(4, '\r\n\r\n\r\n')
    return fixture.wait(6.5).suppressed?.reason
  },
  not_at_cursor: () => new HeuristicFixture().said('Overwrite all of it?\r\n', 2),
  outside_live_rows: () =>
    new HeuristicFixture({ live_rows: 2 }).said('Working (esc to interrupt)\r\none\r\ntwo\r\nthree', 2),
  quoted: () => new HeuristicFixture().said('- press esc to interrupt it', 2),
  interrupt_present: () => new HeuristicFixture().said('Working (esc to interrupt)', 9),
  gone_pending: () => {
    const fixture = new HeuristicFixture()
    fixture.print(1, 'Working (esc to interrupt)')
    fixture.print(2, '\r\u001b[Kanswer line')
    return fixture.print(3, '\r\nanother line').suppressed?.reason
  },
  already_seen: () => {
    const fixture = new HeuristicFixture()
    fixture.print(1, 'x\r\ny')
    fixture.wait(6)
    return fixture.wait(35.9).suppressed?.reason
  },
  flicker_guard: () => new HeuristicFixture().said('Overwrite all of it ? ', 1.9),
  debounce: () => {
    const fixture = new HeuristicFixture()
    fixture.print(1, 'x\r\ny')
    fixture.wait(6)
    return fixture.wait(6.9).suppressed?.reason
  },
  suppressed: () => {
    const fixture = new HeuristicFixture()
    fixture.analyser.suppress()
    return fixture.said('x\r\n$ ', 2)
  },
}

function idle(settings = {}): HeuristicFixture {
  const fixture = new HeuristicFixture(settings)
  fixture.status = 'idle'
  fixture.print(1, '$ ls')
  return fixture
}

it.each(Object.entries(SITUATIONS))('%s suppresses a signal', (reason, situation) => {
  expect(situation()).toBe(reason)
})

it.each(INELIGIBLE_REASONS)('%s suppresses all signals', reason => {
  const fixture = new HeuristicFixture()
  fixture.ineligible = reason
  expect(fixture.said('Overwrite all of it ? ', 9)).toBe(reason)
})

it('every suppress reason has a test in this file', () => {
  const specified =
    'off not_listed prompt_active higher_authority alternate_screen job_flip negative_pattern too_little_output line_rate typing not_quiet hash_unstable not_at_cursor outside_live_rows quoted interrupt_present gone_pending already_seen flicker_guard debounce suppressed'
  expect([...SUPPRESS_REASONS].sort()).toEqual(specified.split(' ').sort())
})
