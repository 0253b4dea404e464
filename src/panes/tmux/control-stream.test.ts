import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type ControlMessage, ControlStream, unescapeOctal } from './control-stream.js'
import { PANE_FORMAT, parsePane } from './pane-fields.js'

const SAMPLE = Buffer.from(
  [
    '%begin 1 0 0\n%end 1 0 0\n',
    '%session-changed $1 main\n',
    '%output %3 a\\033[31mb\\134 \\015\\012\n',
    '%begin 2 7 1\nfirst\n%end 9 9 1\n%output %3 not output\n%end 2 7 1\n',
    '%extended-output %4 120 : h\u00e4\\011\n',
    '%begin 3 8 1\nno such pane\n%error 3 8 1\n',
    '%exit\n',
  ].join(''),
)

const plain = (messages: ControlMessage[]) =>
  messages.map(message =>
    message.type === 'reply'
      ? ['reply', message.isOurs, message.isOk, message.lines.map(String)]
      : message.type === 'output'
        ? ['output', message.pane, message.bytes.toString('utf8')]
        : ['notice', message.name, message.rest],
  )

const EXPECTED = [
  ['reply', false, true, []],
  ['notice', 'session-changed', '$1 main'],
  ['output', '%3', 'a\u001b[31mb\\ \r\n'],
  ['reply', true, true, ['first', '%end 9 9 1', '%output %3 not output']],
  ['output', '%4', 'h\u00e4\t'],
  ['reply', true, false, ['no such pane']],
  ['notice', 'exit', ''],
]

describe('ControlStream', () => {
  it('matches replies to commands by number, and separates output and notifications between them', () => {
    expect(plain(new ControlStream().push(SAMPLE))).toEqual(EXPECTED)
  })

  it('gives the same result however the bytes are split', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: SAMPLE.length }), { maxLength: 12 }), cuts => {
        const stream = new ControlStream()
        const at = [0, ...[...cuts].sort((a, b) => a - b), SAMPLE.length]
        const messages = at.slice(1).flatMap((end, index) => stream.push(SAMPLE.subarray(at[index]!, end)))
        expect(plain(messages)).toEqual(EXPECTED)
      }),
    )
  })

  it('decodes every byte that tmux escapes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), bytes => {
        const escaped = Buffer.concat(
          [...bytes].map(byte =>
            byte < 0x20 || byte === 0x5c ? Buffer.from(`\\${byte.toString(8).padStart(3, '0')}`) : Buffer.of(byte),
          ),
        )
        expect([...unescapeOctal(escaped)]).toEqual([...bytes])
      }),
    )
  })

  it('parses the fields of a pane with any title', () => {
    const line = '%3|42|80|24|1|0|1|1|2|0||1|0|/dev/pts/3\tmain\twin | x\tbash\t/tmp/a\ttitle\twith | all'
    expect(parsePane(line, 1)).toMatchObject({
      pane: '%3',
      place: 'main:1.0',
      pid: 42,
      cols: 80,
      rows: 24,
      isInMode: true,
      isFocused: true,
      dead: null,
      command: 'bash',
      cwd: '/tmp/a',
      title: 'title\twith | all',
    })
    expect(parsePane(line, 2)?.isFocused).toBe(false)
    expect(parsePane('nonsense', 1)).toBeNull()
    expect(PANE_FORMAT).not.toContain(':')
  })
})
