import { expect, test } from 'vitest'
import { FrameCoalescer } from './frame-timing.js'
import { bytes, emulator, framesOf } from './testing/drive.js'

function drawn(outputs: [number, string][]) {
  const terminal = emulator({ rows: 3 })
  return outputs.flatMap(([t, text]) =>
    framesOf([...terminal.feed(bytes(text), t, { live: true }), ...terminal.endFrame(t)]),
  )
}

test('the first frame is passed on at once, and the newest of those within 50 ms after that time', () => {
  const coalescer = new FrameCoalescer()
  const [a, b, c, d] = drawn([
    [1, 'a'],
    [1.02, 'b'],
    [1.04, 'c'],
    [1.2, 'd'],
  ])
  expect(coalescer.push(a!)).toEqual([a])
  expect(coalescer.nextDeadline()).toBeNull()
  expect(coalescer.push(b!)).toEqual([])
  expect(coalescer.push(c!)).toEqual([])
  expect(coalescer.nextDeadline()).toBeCloseTo(1.05)
  expect(coalescer.flush(1.049)).toEqual([])
  expect(coalescer.flush(1.05)).toEqual([c])
  expect(coalescer.push(d!)).toEqual([d])
})

test('a waiting frame is passed on first, even if the deadline was missed', () => {
  const coalescer = new FrameCoalescer()
  const [a, b, c] = drawn([
    [1, 'a'],
    [1.02, 'b'],
    [3, 'c'],
  ])
  const out = [a, b, c].flatMap(frame => coalescer.push(frame!))
  expect(out.map(frame => frame.seq)).toEqual([a, b, c].map(frame => frame!.seq))
})

test('suppressed frames are not classified', () => {
  const coalescer = new FrameCoalescer()
  const terminal = emulator()
  terminal.resize(30, 4, 1)
  terminal.feed(bytes('during'), 1.1, { live: true })
  const suppressed = framesOf(terminal.tick(1.2))
  terminal.feed(bytes('\r\nafter'), 2, { live: true })
  const free = framesOf(terminal.tick(3))
  expect(suppressed.flatMap(frame => coalescer.push(frame))).toEqual([])
  expect(coalescer.nextDeadline()).toBeNull()
  expect(free.flatMap(frame => coalescer.push(frame))).toEqual(free)
})
