import { expect, test } from 'vitest'
import { parseProcessList } from './step-mark.js'

test('marks are read from the process list of a system without /proc, also for names with blanks', () => {
  const list = [
    '  412   400 /bin/sh -c sleep 600 PATH=/bin SIGNALBOX_STEP=run_a/build it@1#1 HOME=/Users/a',
    '  413   400 sleep 600 SIGNALBOX_STEP=run_a/b@2#1',
    '  414   414 grep SIGNALBOX_STEPS=1 X_SIGNALBOX_STEP=run_a/c@1#1',
    '',
  ]
  expect(parseProcessList(list.join('\n'))).toEqual([
    { pid: 412, group: 400, start: null, mark: 'run_a/build it@1#1' },
    { pid: 413, group: 400, start: null, mark: 'run_a/b@2#1' },
  ])
})
