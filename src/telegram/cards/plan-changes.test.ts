import { expect, it } from 'vitest'
import { planChanges } from './plan-changes.js'

it('plan changes are the lines that only one version has, each as often as it occurs', () => {
  const before = '# Plan\n\n- paint\n- dry\n- dry\n'
  const after = '# Plan\n- paint twice\n- dry\n\n'
  expect(planChanges(before, after)).toEqual({ added: ['- paint twice'], removed: ['- paint', '- dry'] })
  expect(planChanges(before, before)).toEqual({ added: [], removed: [] })
  expect(planChanges('- a\n- b', '- b\n- a')).toEqual({ added: ['- a'], removed: ['- a'] })
})
