import { expect, test } from 'vitest'
import { bytes, emulator, evidenceOf, framesOf } from './testing/drive.js'

const LIVE = { live: true }
const evidence = (output: string) =>
  evidenceOf(emulator({ hostname: 'Box' }).feed(bytes(output), 0, LIVE)).map(found => ({ ...found }))

test('titles are cleaned and shortened', () => {
  expect(evidence('\x1b]0;✳ Claude   \x07\x1b]2;a\x7fb\x1b\\\x1b]1;icon\x07')).toEqual([
    { kind: 'title', title: '✳ Claude' },
    { kind: 'title', title: 'ab' },
  ])
  expect(evidence(`\x1b]2;${'🚀'.repeat(600)}\x07`)).toEqual([{ kind: 'title', title: '🚀'.repeat(512) }])
})

test('a pushed title is restored', () => {
  const terminal = emulator()
  terminal.feed(bytes('\x1b]0;shell\x07\x1b[22;0t\x1b]0;vim\x07'), 0, LIVE)
  expect(framesOf(terminal.tick(1))[0]!.title).toBe('vim')
  terminal.feed(bytes('\x1b[23;0t'), 2, LIVE)
  expect(framesOf(terminal.tick(3))[0]!.title).toBe('shell')
})

test('the working directory counts only if it names this host', () => {
  const directory = (path: string) => [{ kind: 'directory', path }]
  expect(evidence('\x1b]7;file:///tmp/a%20b\x07')).toEqual(directory('/tmp/a b'))
  expect(evidence('\x1b]7;file://box/tmp\x07')).toEqual(directory('/tmp'))
  expect(evidence('\x1b]7;file://localhost/tmp\x07')).toEqual(directory('/tmp'))
  expect(evidence('\x1b]1337;CurrentDir=/srv\x07')).toEqual(directory('/srv'))
  expect(evidence('\x1b]633;P;Cwd=/a\\x3bb\x07')).toEqual(directory('/a;b'))
  for (const other of ['7;file://elsewhere/tmp', '7;file:///%ff', '7;/tmp', '1337;CurrentDir=tmp', '7;file:///a%0ab']) {
    expect(evidence(`\x1b]${other}\x07`)).toEqual([])
  }
})

test('OSC 9;4 reports progress', () => {
  const progress = (payload: string) => evidence(`\x1b]9;4;${payload}\x07`)[0]
  expect(progress('1;150')).toEqual({ kind: 'progress', progress: { state: 'value', percent: 100 } })
  expect(progress('2;7')).toEqual({ kind: 'progress', progress: { state: 'error', percent: 7 } })
  expect(progress('3')).toEqual({ kind: 'progress', progress: { state: 'busy', percent: null } })
  expect(progress('4;9')).toEqual({ kind: 'progress', progress: { state: 'paused', percent: 9 } })
  expect(progress('0;0')).toEqual({ kind: 'progress', progress: null })
  expect(progress('7;1')).toBeUndefined()
})

test('notifications of several protocols give evidence', () => {
  const texts = evidence(
    '\x1b]9;needs you\x07\x1b]777;notify;Title;a;b\x07\x1b]99;i=1:p=title;hello\x1b\\\x1b]99;p=body:e=1;aGk=\x1b\\\x07\x1b]9;2;x\x07',
  )
  expect(texts).toEqual([
    { kind: 'notice', source: 'osc9', title: '', body: 'needs you' },
    { kind: 'notice', source: 'osc777', title: 'Title', body: 'a;b' },
    { kind: 'notice', source: 'osc99', title: 'hello', body: '' },
    { kind: 'notice', source: 'osc99', title: '', body: 'hi' },
    { kind: 'notice', source: 'bell', title: '', body: '' },
  ])
})

test('a clipboard write is only reported', () => {
  expect(evidence('\x1b]52;c;aGVsbG8=\x07')).toEqual([{ kind: 'clipboard-write', characters: 8 }])
})

test('shell marks are passed on unchanged', () => {
  expect(evidence('\x1b]133;A\x07\x1b]633;D;1\x07\x1b]133;Z\x07')).toEqual([
    { kind: 'shell-mark', mark: { protocol: 133, mark: 'A' } },
    { kind: 'shell-mark', mark: { protocol: 633, mark: 'D', exit: 1 } },
  ])
})

test('a shell mark is adjacent if the cursor has not moved since the mark before', () => {
  const adjacent = (output: string) =>
    evidence(output).flatMap(found =>
      found.kind === 'shell-mark' && 'isAdjacent' in found.mark ? [found.mark.mark] : [],
    )
  const mark = (name: string) => `\x1b]133;${name}\x07`
  expect(adjacent(`${mark('A')}a message${mark('B')}${mark('C')}${mark('D;0')}`)).toEqual(['C', 'D'])
  expect(adjacent(`${mark('A')}$ ${mark('B')}ls\r\n${mark('C')}file\r\n${mark('D;0')}`)).toEqual([])
  expect(adjacent(`${mark('A')}$ ${mark('B')}true\r\n${mark('C')}${mark('D;0')}`)).toEqual(['D'])
  expect(adjacent(`${mark('A')}$ ${mark('C')}`)).toEqual([])
})

test('a status report is evidence until a reset', () => {
  const terminal = emulator()
  const states = (output: string) =>
    evidenceOf(terminal.feed(bytes(output), 0, LIVE)).map(found => found.kind === 'status' && found.aggregate?.state)
  expect(states('\x1b]7501;state=working:app=claude\x07')).toEqual(['working'])
  expect(states('\x1b]7501;state=nonsense\x07')).toEqual([])
  expect(terminal.counters.invalidStatus).toBe(1)
  expect(states('\x1b]7501;state=done\x07\x1b[!p\x1b[?1049h\x1b[?1049l')).toEqual(['done'])
  expect(states('\x1bc')).toEqual([undefined])
})

test('unknown sequences are counted', () => {
  const terminal = emulator()
  terminal.feed(bytes('\x1b]5522;x\x07\x1b]66;;x\x07'), 0, LIVE)
  expect(terminal.counters.unknownOsc).toBe(2)
})
