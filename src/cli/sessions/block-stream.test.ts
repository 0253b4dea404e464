import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Block } from '../../screen/index.js'
import { TerminalEmulator } from '../../terminal/index.js'
import type { CommandContext } from '../context.js'
import { BlockStream } from './block-stream.js'

function block(id: string, text: string, provisional = false): Block {
  return {
    id,
    rows: [0, 0],
    provisional,
    missing: false,
    source: 'screen',
    kind: 'prose',
    variant: 'paragraph',
    runs: [{ text }],
  }
}

function code(id: string, lines: string[], provisional = false): Block {
  return { id, rows: [0, 0], provisional, missing: false, source: 'screen', kind: 'code', language: '', lines }
}

function context(isOutputTty: boolean, columns = 60): { context: CommandContext; written(): string } {
  let text = ''
  return {
    written: () => text,
    context: {
      env: { NO_COLOR: '1' },
      cwd: '/',
      isInteractive: false,
      isOutputTty,
      columns,
      out: line => {
        text += `${line}\n`
      },
      write: part => {
        text += typeof part === 'string' ? part : Buffer.from(part).toString()
      },
      note: () => undefined,
      progress: () => undefined,
      json: () => undefined,
      style: (_, part) => part,
    },
  }
}

/** What a person sees in the end: scrolled off and on screen. */
function screenOf(written: string, columns: number): string {
  const terminal = new TerminalEmulator({ cols: columns, rows: 24, scrollback: 500 })
  terminal.feed(Buffer.from(written.replaceAll('\n', '\r\n')), 0, { live: false })
  const { history, lines } = terminal.currentFrame()
  const rows = [...terminal.readRows(history.firstId, history.lastId), ...lines]
  let text = ''
  for (const row of rows) text += `${row.wrapped || text === '' ? '' : '\n'}${row.text}`
  return text.trimEnd()
}

describe('a stream of blocks on a pipe', () => {
  test('prints a message once, when it is final', () => {
    const { context: pipe, written } = context(false)
    const stream = new BlockStream(pipe)
    stream.update('m1', [block('1', 'wrong'), block('2', 'two'), block('3', 'thr', true)])
    stream.update('m1', [block('1', 'wrong'), block('2', 'two'), block('3', 'three'), block('4', 'fo', true)])
    expect(written()).toBe('')
    stream.finish('m1', [block('1', 'right'), block('2', 'two')])
    stream.end()
    expect(written()).toBe('right\n\ntwo\n')
  })

  test('prints the finished blocks of a message that never became final at the end', () => {
    const { context: pipe, written } = context(false)
    const stream = new BlockStream(pipe)
    stream.finish('m1', [block('1', 'one')])
    stream.update('m2', [block('1', 'two'), block('2', 'three'), block('3', 'fo', true)])
    stream.end()
    stream.end()
    expect(written()).toBe('one\n\ntwo\n')
  })

  test('does not print a finished message again after late updates', () => {
    const { context: pipe, written } = context(false)
    const stream = new BlockStream(pipe)
    stream.finish('m1', [block('1', 'one')])
    stream.update('m1', [block('1', 'one')])
    stream.finish('m1', [block('1', 'one')])
    stream.finish('m2', [block('1', 'two')])
    stream.update('m1', [block('1', 'one'), block('2', 'more')])
    expect(written()).toBe('one\n\ntwo\n')
  })
})

describe('a stream of blocks on a terminal', () => {
  test('draws the growing block in place and replaces it by the finished one', () => {
    const { context: tty, written } = context(true)
    const stream = new BlockStream(tty)
    for (const text of ['a', 'a b', 'a b c']) stream.update('m1', [block('1', text, true)])
    expect(screenOf(written(), 60)).toBe('a b c')
    stream.finish('m1', [block('1', 'a b c d')])
    expect(screenOf(written(), 60)).toBe('a b c d')
  })

  test('erases the growing part when it is paused', () => {
    const { context: tty, written } = context(true)
    const stream = new BlockStream(tty)
    const blocks = [block('1', 'done'), block('2', 'nearly'), block('3', 'half', true)]
    stream.update('m1', blocks)
    stream.pause()
    tty.out('question?')
    stream.update('m1', blocks)
    expect(screenOf(written(), 60)).toBe('done\nquestion?\n\nnearly\n\nhalf')
  })

  test('erases lines that are wider than the terminal with all their rows', () => {
    const { context: tty, written } = context(true, 20)
    const stream = new BlockStream(tty)
    const long = ['x'.repeat(55), '日'.repeat(25), 'short']
    for (let count = 1; count <= 3; count++) stream.update('m1', [code('1', long.slice(0, count), true)])
    stream.finish('m1', [code('1', long)])
    expect(screenOf(written(), 20).replace(/ /g, '')).toBe(long.join('\n'))
  })

  test('ends with the same output as on a pipe', () => {
    const words = fc
      .array(fc.stringMatching(/^[a-z]{1,9}$/), { minLength: 1, maxLength: 30 })
      .map(list => list.join(' '))
    fc.assert(
      fc.property(fc.array(words, { minLength: 1, maxLength: 5 }), texts => {
        const tty = context(true)
        const pipe = context(false)
        for (const { context: on } of [tty, pipe]) {
          const stream = new BlockStream(on)
          texts.forEach((text, index) => {
            const before = texts.slice(0, index).map((done, at) => block(String(at), done))
            for (const length of [1, Math.ceil(text.length / 2), text.length])
              stream.update('m1', [...before, block(String(index), text.slice(0, length), true)])
          })
          stream.finish(
            'm1',
            texts.map((text, index) => block(String(index), text)),
          )
        }
        expect(screenOf(tty.written(), 60)).toBe(pipe.written().trimEnd().replace(/ +$/gm, ''))
      }),
      { numRuns: 50 },
    )
  })
})
