import { expect, test } from 'vitest'
import { isOfRun, limitMark, parseLimitMark } from './limit-mark.js'

const limits = (soft: string) =>
  `Max open files  1024  4096  files\nMax file locks            ${soft} unlimited    locks\n`

test('a file-lock limit that is a mark identifies the step and its run', () => {
  const mark = limitMark('run_a/p@1.2/build@1#1')
  expect(parseLimitMark(limits(String(mark)))).toBe(mark)
  expect([isOfRun(mark, 'run_a'), isOfRun(mark, 'run_b')]).toEqual([true, false])
  expect(mark).not.toBe(limitMark('run_a/p@1.2/build@1#2'))
})

test.each(['unlimited', '1024', '9223372036854775807'])('a file-lock limit of %s is not a mark', soft => {
  expect(parseLimitMark(limits(soft))).toBeNull()
})
