import { expect, test } from 'vitest'
import { changesSince } from './change-log.js'

const LOG = `# Changes

## Unreleased
- not yet

## 0.10.0
- ten

## 0.9.0
- nine

## 0.2.0
- two
`

test('the changes since a version are the newer releases, newest first, without unreleased changes', () => {
  expect(changesSince(LOG, '0.2.0')).toBe('## 0.10.0\n- ten\n\n## 0.9.0\n- nine')
  expect(changesSince(LOG, '0.10.0')).toBe('')
})
