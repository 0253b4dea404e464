import { describe, expect, test } from 'vitest'
import { TerminalEmulator } from './emulator.js'
import { bytes, emulator, repliesOf, screenOf } from './testing/drive.js'

const LIVE = { live: true }
const ask = (question: string, terminal = emulator({ cols: 80, rows: 24, version: '1.2.3' })) =>
  repliesOf(terminal.feed(bytes(question), 0, LIVE))

describe('every query has exactly one reply', () => {
  test.each([
    ['\x1b[c', '\x1b[?1;2c'],
    ['\x1b[0c', '\x1b[?1;2c'],
    ['\x1b[>c', '\x1b[>0;276;0c'],
    ['\x1b[5n', '\x1b[0n'],
    ['\x1b[5;7H\x1b[6n', '\x1b[5;7R'],
    ['\x1b[5;7H\x1b[?6n', '\x1b[?5;7R'],
    ['\x1b[>q', '\x1bP>|signalbox(1.2.3)\x1b\\'],
    ['\x1b[>0q', '\x1bP>|signalbox(1.2.3)\x1b\\'],
    ['\x1b[?u', '\x1b[?0u'],
    ['\x1b[?25$p', '\x1b[?25;1$y'],
    ['\x1b[?2004$p', '\x1b[?2004;2$y'],
    ['\x1b[?2004h\x1b[?2004$p', '\x1b[?2004;1$y'],
    ['\x1b[?2027$p', '\x1b[?2027;2$y'],
    ['\x1b[?12345$p', '\x1b[?12345;0$y'],
    ['\x1b[2$p', '\x1b[2;0$y'],
    ['\x1b]10;?\x1b\\', '\x1b]10;rgb:d4d4/d4d4/d4d4\x1b\\'],
    ['\x1b]11;?\x07', '\x1b]11;rgb:1e1e/1e1e/1e1e\x07'],
    ['\x1b]12;?\x1b\\', '\x1b]12;rgb:ffff/ffff/ffff\x1b\\'],
    ['\x1b]4;196;?\x07', '\x1b]4;196;rgb:ffff/0000/0000\x07'],
    ['\x1b[?996n', '\x1b[?997;1n'],
    ['\x1b[14t', '\x1b[4;384;640t'],
    ['\x1b[16t', '\x1b[6;16;8t'],
    ['\x1b[18t', '\x1b[8;24;80t'],
    ['\x1bP+q544e\x1b\\', '\x1bP1+r544E=787465726D2D323536636F6C6F72\x1b\\'],
    ['\x1bP+q524742\x1b\\', '\x1bP1+r524742=382F382F38\x1b\\'],
    ['\x1bP+q6b3b\x1b\\', '\x1bP0+r\x1b\\'],
    ['\x1bP$qm\x1b\\', '\x1bP0$r\x1b\\'],
    ['\x1b]7501;?\x07', '\x1b]7501;?\x07'],
    ['\x1b]7501;?\x1b\\', '\x1b]7501;?\x1b\\'],
  ])('%j', (question, reply) => {
    expect(ask(question)).toEqual([reply])
  })

  test.each([
    '\x1b]52;c;?\x07',
    '\x1b]99;i=1:p=?;\x1b\\',
    '\x1b]1337;Capabilities\x1b\\',
    '\x1b]66;s=2;big\x1b\\',
    '\x1b_Gi=31,s=1,v=1,a=q;AAAA\x1b\\',
    '\x1b[>4;?m',
    '\x1b[?4m',
    '\x1b]4;999;?\x07',
  ])('%j gets no reply and prints nothing', question => {
    const terminal = emulator()
    expect(ask(question, terminal)).toEqual([])
    expect(screenOf(terminal).join('')).toBe('')
  })
})

describe('modes of the terminal are reported as by xterm', () => {
  /** Value in a new terminal, and after a soft reset of the opposite value. */
  const MODES = [
    { name: 'IRM', mode: '4', initial: 2, soft: 2 },
    { name: 'LNM', mode: '20', initial: 2, soft: 1 },
    { name: 'DECCKM', mode: '?1', initial: 2, soft: 2 },
    { name: 'DECOM', mode: '?6', initial: 2, soft: 2 },
    { name: 'DECAWM', mode: '?7', initial: 1, soft: 1 },
    { name: 'DECNKM', mode: '?66', initial: 2, soft: 2 },
  ] as const

  test.each(MODES)('$name is reported in a new terminal, set, reset and after resets', ({ mode, initial, soft }) => {
    const terminal = emulator()
    const reportAfter = (sequence: string) => ask(`${sequence}\x1b[${mode}$p`, terminal)
    const value = (number: 1 | 2) => [`\x1b[${mode};${number}$y`]
    const opposite = `\x1b[${mode}${initial === 1 ? 'l' : 'h'}`
    expect(reportAfter('')).toEqual(value(initial))
    expect(reportAfter(`\x1b[${mode}h`)).toEqual(value(1))
    expect(reportAfter(`\x1b[${mode}l`)).toEqual(value(2))
    expect(reportAfter(`${opposite}\x1b[!p`)).toEqual(value(soft))
    expect(reportAfter(`${opposite}\x1bc`)).toEqual(value(initial))
  })

  test('the keypad has the mode that its older sequences set', () => {
    const terminal = emulator()
    expect(ask('\x1b=\x1b[?66$p', terminal)).toEqual(['\x1b[?66;1$y'])
    expect(ask('\x1b>\x1b[?66$p', terminal)).toEqual(['\x1b[?66;2$y'])
  })

  test('a line feed does what its mode says, also after resets and from a snapshot', () => {
    const rows = (terminal: ReturnType<typeof emulator>) => {
      terminal.feed(bytes('\x1b[H\x1b[2Ja\nb'), 0, LIVE)
      return screenOf(terminal).slice(0, 2)
    }
    const terminal = emulator()
    terminal.feed(bytes('\x1b[20h\x1b[!p'), 0, LIVE)
    expect(rows(terminal)).toEqual(['a', 'b'])
    expect(rows(TerminalEmulator.restore(terminal.serialize()))).toEqual(['a', 'b'])
    terminal.feed(bytes('\x1bc'), 0, LIVE)
    expect(rows(terminal)).toEqual(['a', ' b'])
  })
})

test('replies are sent in the order of the queries', () => {
  const questions = '\x1b]11;?\x07\x1b[>q\x1b[?u\x1b]7501;?\x1b\\\x1b[6n\x1b]10;?\x1b\\\x07\x1b[c'
  expect(ask(questions).map(reply => reply.slice(0, 4))).toEqual([
    '\x1b]11',
    '\x1bP>|',
    '\x1b[?0',
    '\x1b]75',
    '\x1b[1;',
    '\x1b]10',
    '\x1b[?1',
  ])
})

test('replayed bytes are not answered', () => {
  expect(emulator().feed(bytes('\x1b[c\x1b[6n\x1b]11;?\x07\x1b]7501;?\x07'), 0, { live: false })).toEqual([])
})

test('a reply has the terminator of its query, wherever another one occurs', () => {
  expect(ask('\x1b]7501;?\x1b\\ and a bell \x07')).toEqual(['\x1b]7501;?\x1b\\'])
  expect(ask('\x1b]7501;?\x07 and an end \x1b\\')).toEqual(['\x1b]7501;?\x07'])
})

test('colours that a program set are reported until it resets them', () => {
  const terminal = emulator()
  expect(ask('\x1b]11;#102030\x07\x1b]4;1;rgb:f/8/0\x07\x1b]11;?\x07\x1b]4;1;?\x07', terminal)).toEqual([
    '\x1b]11;rgb:1010/2020/3030\x07',
    '\x1b]4;1;rgb:ffff/8888/0000\x07',
  ])
  expect(ask('\x1b]111\x07\x1b]104;1\x07\x1b]11;?\x07\x1b]4;1;?\x07', terminal)).toEqual([
    '\x1b]11;rgb:1e1e/1e1e/1e1e\x07',
    '\x1b]4;1;rgb:cdcd/3131/3131\x07',
  ])
})

test('one query may name several colours', () => {
  expect(ask('\x1b]10;?;?\x07')).toEqual(['\x1b]10;rgb:d4d4/d4d4/d4d4\x07', '\x1b]11;rgb:1e1e/1e1e/1e1e\x07'])
})

test('the kitty keyboard stack supports push, set and pop, separately for each screen', () => {
  const terminal = emulator()
  const flagsAfter = (sequence: string) => ask(`${sequence}\x1b[?u`, terminal)[0]
  expect(flagsAfter('\x1b[>1u')).toBe('\x1b[?1u')
  expect(flagsAfter('\x1b[>7u')).toBe('\x1b[?7u')
  expect(flagsAfter('\x1b[=8;2u')).toBe('\x1b[?15u')
  expect(flagsAfter('\x1b[=1;3u')).toBe('\x1b[?14u')
  expect(flagsAfter('\x1b[=3u')).toBe('\x1b[?3u')
  expect(flagsAfter('\x1b[?1049h')).toBe('\x1b[?0u')
  expect(flagsAfter('\x1b[?1049l\x1b[<u')).toBe('\x1b[?1u')
  expect(flagsAfter('\x1b[<9u')).toBe('\x1b[?0u')
})

test('a reply contains no text of the program', () => {
  const replies = ask('\x1bP+q;rm -rf\n\x1b\\\x1b]4;0;rm\x07\x1b]10;`id`\x07\x1bP$q"evil\x1b\\\x1b]7501;?x\x07')
  for (const reply of replies) expect(reply).not.toMatch(/rm|id|evil|\n/)
})
