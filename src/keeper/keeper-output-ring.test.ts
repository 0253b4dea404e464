import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { OutputRing, type RingItem } from './keeper.js'

type Step = { kind: 'output'; length: number } | { kind: 'resize'; cols: number }

const steps = fc.array(
  fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({ kind: fc.constant('output' as const), length: fc.integer({ min: 1, max: 30 }) }),
    },
    fc.record({ kind: fc.constant('resize' as const), cols: fc.integer({ min: 1, max: 99 }) }),
  ),
  { maxLength: 40 },
)

/** Byte n of the stream is n mod 251, so that a wrong position shows. */
function fill(ring: OutputRing, script: readonly Step[]): { resizes: { at: number; cols: number }[] } {
  const resizes: { at: number; cols: number }[] = []
  script.forEach((step, t) => {
    if (step.kind === 'output')
      ring.output(
        Uint8Array.from({ length: step.length }, (_, index) => (ring.end + index) % 251),
        t,
      )
    else {
      ring.resize(step.cols, 24, t)
      resizes.push({ at: ring.end, cols: step.cols })
    }
  })
  return { resizes }
}

function check(items: readonly RingItem[], offset: number, end: number): void {
  let at = offset
  let t = -1
  for (const item of items) {
    expect(item.t).toBeGreaterThanOrEqual(t)
    t = item.t
    expect(item.offset).toBe(at)
    if (item.kind === 'resize') continue
    expect([...item.bytes]).toEqual(Array.from({ length: item.bytes.length }, (_, index) => (at + index) % 251))
    at += item.bytes.length
  }
  expect(at).toBe(end)
}

describe('the output ring', () => {
  test('returns everything from any offset in memory, in order, with the resizes at their places', () => {
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 100 }), (script, capacity) => {
        const ring = new OutputRing(capacity)
        const { resizes } = fill(ring, script)
        const total = script.reduce((sum, step) => sum + (step.kind === 'output' ? step.length : 0), 0)
        expect(ring.end).toBe(total)
        for (let offset = ring.start; offset <= ring.end; offset++) {
          const items = ring.from(offset)!
          check(items, offset, total)
          const replayed = items.flatMap(item => (item.kind === 'resize' ? [{ at: item.offset, cols: item.cols }] : []))
          expect(replayed.filter(({ at }) => at > ring.start)).toEqual(
            resizes.filter(({ at }) => at >= offset && at > ring.start),
          )
        }
        expect(ring.from(ring.start - 1)).toBeNull()
        expect(ring.from(ring.end + 1)).toBeNull()
      }),
    )
  })

  test('keeps at least its capacity, and not one chunk more than necessary', () => {
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 100 }), (script, capacity) => {
        const ring = new OutputRing(capacity)
        fill(ring, script)
        const kept = ring.end - ring.start
        expect(kept).toBeGreaterThanOrEqual(Math.min(capacity, ring.end))
        expect(kept).toBeLessThan(capacity + 30)
      }),
    )
  })
})
