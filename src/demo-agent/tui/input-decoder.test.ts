import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { InputDecoder, type Key } from './input-decoder.js'

const bytes = (text: string) => new TextEncoder().encode(text)
const names = (keys: Key[]) =>
  keys.map(key =>
    key.ctrl
      ? `ctrl-${key.name}`
      : key.name === 'text' || key.name === 'paste' || key.name === 'reply'
        ? `${key.name}:${key.text}`
        : key.name,
  )

describe('the input decoder', () => {
  it.each([
    ['ab', ['text:a', 'text:b']],
    ['é漢👩‍💻', ['text:é', 'text:漢', 'text:👩‍💻']],
    ['\r\n\t\x7f', ['enter', 'newline', 'tab', 'backspace']],
    ['\x03\x04\x15', ['ctrl-c', 'ctrl-d', 'ctrl-u']],
    ['\x1b[A\x1b[B\x1bOC\x1b[D\x1b[Z', ['up', 'down', 'right', 'left', 'backtab']],
    ['\x1b[5~\x1b[6~\x1b[F\x1b[3~', ['pageup', 'pagedown', 'end', 'delete']],
    [
      '\x1b[27u\x1b[13u\x1b[99;5u\x1b[13;2u\x1b[106;5u\x1b[9;2u',
      ['escape', 'enter', 'ctrl-c', 'newline', 'newline', 'backtab'],
    ],
    ['\x1b\r', ['newline']],
    ['\x1b[200~a\r\nb\x1b[201~c', ['paste:a\nb', 'text:c']],
    ['\x1b[?1;2c\x1b]7501;?\x1b\\\x1b[?0u', ['reply:[?1;2c', 'reply:]7501;?', 'reply:[?0u']],
  ])('reads %j', (text, expected) => {
    expect(names(new InputDecoder().feed(bytes(text)))).toEqual(expected)
  })

  it('decodes a single ESC as a key only after a pause', () => {
    const decoder = new InputDecoder()
    expect(decoder.feed(bytes('\x1b'))).toEqual([])
    expect(decoder.isWaiting).toBe(true)
    expect(names(decoder.flush())).toEqual(['escape'])
    expect(decoder.isWaiting).toBe(false)
  })

  it('gives the same keys for any split of the bytes', () => {
    const all = bytes('a\x1b[A漢\x1b[200~x\ny\x1b[201~\r\x1b[99;5u\x1b]7501;?\x1b\\é\x1b[?1;2cz')
    const whole = names(new InputDecoder().feed(all))
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: all.length }), { maxLength: 12 }), cuts => {
        const decoder = new InputDecoder()
        const edges = [0, ...cuts.sort((a, b) => a - b), all.length]
        const keys = edges.slice(1).flatMap((edge, index) => decoder.feed(all.slice(edges[index], edge)))
        expect(names(keys)).toEqual(whole)
      }),
    )
  })
})
