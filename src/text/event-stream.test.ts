import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { EventStreamParser } from './event-stream.js'

const dataOf = (parser: EventStreamParser, text: string) => parser.push(text).map(({ data }) => data)

describe('an event stream', () => {
  test('gives complete events with their names and ids', () => {
    const parser = new EventStreamParser()
    expect(parser.push('event: x\nid: 1\ndata: {"a":1}\n\n: comment\n\ndata:b\ndata: c\n\ndata: torn')).toEqual([
      { event: 'x', id: '1', data: '{"a":1}' },
      { event: 'message', id: null, data: 'b\nc' },
    ])
    expect(parser.push(' end\n\n')).toEqual([{ event: 'message', id: null, data: 'torn end' }])
  })

  test('gives the same events for any split and any line ends', () => {
    const line = fc.stringMatching(/^[a-z ü€]{0,8}$/)
    const event = fc.record({
      event: fc.constantFrom('message', 'hello'),
      id: fc.constantFrom(null, 's:1'),
      lines: fc.array(line, { minLength: 1, maxLength: 3 }),
    })
    const lineEnd = fc.constantFrom('\n', '\r\n', '\r')
    fc.assert(
      fc.property(fc.array(event, { maxLength: 5 }), lineEnd, fc.array(fc.nat(80)), (events, end, cuts) => {
        const text = events
          .flatMap(({ event: name, id, lines }) => [
            `event: ${name}`,
            ': a comment',
            ...(id === null ? [] : [`id: ${id}`]),
            ...lines.map(data => `data: ${data}`),
            '',
          ])
          .map(written => written + end)
          .join('')
        const places = [0, ...cuts.filter(at => at < text.length).sort((a, b) => a - b), text.length]
        const parser = new EventStreamParser()
        const found = places.slice(1).flatMap((to, index) => parser.push(text.slice(places[index], to)))
        expect(found).toEqual(events.map(({ lines, ...rest }) => ({ ...rest, data: lines.join('\n') })))
      }),
    )
  })

  test('drops an event that is too long and reads the next one', () => {
    const parser = new EventStreamParser(20)
    expect(dataOf(parser, `data: ${'x'.repeat(15)}`)).toEqual([])
    expect(dataOf(parser, 'x'.repeat(15))).toEqual([])
    expect(dataOf(parser, 'xx\ndata: rest\n\ndata: next\n\n')).toEqual(['next'])
  })
})
