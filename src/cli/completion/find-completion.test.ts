import { expect, test } from 'vitest'
import { COMMANDS } from '../specs/index.js'
import { type Completion, findCompletion } from './find-completion.js'

const found = (...words: string[]) => findCompletion(COMMANDS, words)
const wordsOf = (completion: Completion) =>
  typeof completion === 'string' ? completion : completion.map(({ word }) => word)

test('the first word is a command or one of its other names', () => {
  expect(wordsOf(found('st'))).toEqual(expect.arrayContaining(['start', 'new', 'sessions', 'ls']))
  expect(found('')).toContainEqual({ word: 'stop', description: expect.stringMatching(/./) })
  expect(wordsOf(found('-'))).toEqual(['--help', '--version'])
  expect(found('no-command', '')).toEqual([])
})

test('each position of a command has its own completion', () => {
  expect(found('new', 'cl')).toBe('agent')
  expect(found('stop', '')).toBe('session')
  expect(found('approve', '')).toBe('approval')
  expect(found('resume', '')).toBe('resumable')
  expect(wordsOf(found('packs', ''))).toEqual(['check', 'install', 'remove', 'learn'])
  expect(found('packs', 'check', '')).toBe('agent')
  expect(found('restore', '/tmp/b')).toBe('file')
})

test('options and their values are not counted as positions', () => {
  expect(found('show', '--json', '')).toBe('run')
  expect(found('start', '--cwd', '/tmp', '')).toBe('agent')
  expect(found('start', '--sandbox', '')).toBe('agent')
})

test('the value of an option is completed by its name or its choices', () => {
  expect(found('oneshot', 'a task', '--worker', '')).toBe('agent')
  expect(found('start', '--cwd', '')).toBe('directory')
  expect(found('oneshot', '--task-file', '')).toBe('file')
  expect(wordsOf(found('adopt', '--agent', 'c'))).toEqual(['claude', 'codex'])
  expect(found('start', '--prompt', '')).toEqual([])
})

test('an option that was given is not offered again, unless it is repeatable', () => {
  expect(wordsOf(found('start', '-'))).toContain('--cwd')
  expect(wordsOf(found('start', '--cwd', '/tmp', '-'))).not.toContain('--cwd')
  expect(wordsOf(found('answer', '--choice', 'a', '-'))).toContain('--choice')
  expect(wordsOf(found('answer', '-'))).toContain('--help')
})

test('words behind -- are files of another program', () => {
  expect(found('start', '--', './bu')).toBe('file')
  expect(found('stop', '--', '')).toEqual([])
})
