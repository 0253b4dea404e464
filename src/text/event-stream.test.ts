import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { EventStreamParser } from './event-stream.js'

describe('an event stream', () => {
  it('gives the data of whole events', () => {
    const parser = new EventStreamParser()
    expect(parser.take('event: x\nid: 1\ndata: {"a":1}\n\n: comment\n\ndata:b\ndata: c\n\ndata: torn')).toEqual([
      '{"a":1}',
      'b\nc',
    ])
    expect(parser.take(' end\n\n')).toEqual(['torn end'])
  })

  it('does not care where it is cut, nor how lines end', () => {
    const line = fc.stringMatching(/^[a-z ü€]{0,8}$/)
    const stream = fc.array(fc.array(line, { minLength: 1, maxLength: 3 }), { maxLength: 5 })
    fc.assert(
      fc.property(stream, fc.constantFrom('\n', '\r\n', '\r'), fc.array(fc.nat(60)), (events, end, cuts) => {
        const text = events.map(lines => `${lines.map(data => `data: ${data}`).join(end)}${end}${end}`).join('')
        const parser = new EventStreamParser()
        const found: string[] = []
        let from = 0
        for (const cut of [...cuts.filter(at => at < text.length).sort((a, b) => a - b), text.length]) {
          found.push(...parser.take(text.slice(from, cut)))
          from = cut
        }
        expect(found).toEqual(events.map(lines => lines.join('\n')))
      }),
    )
  })

  it('drops an event that is too long, and goes on with the next', () => {
    const parser = new EventStreamParser(20)
    expect(parser.take(`data: ${'x'.repeat(15)}`)).toEqual([])
    expect(parser.take('x'.repeat(15))).toEqual([])
    expect(parser.take('xx\n\ndata: next\n\n')).toEqual(['next'])
  })
})
