import { expect, test } from 'vitest'
import { recordOf } from '../../approvals/testing/fixtures.js'
import { AgentAllowances } from './agent-allowances.js'

const OPTIONS = [
  { key: 'Yes', label: 'Yes', meaning: 'allow-once', from: 'agent', danger: null },
  { key: 'Always', label: 'Yes, and do not ask again', meaning: 'allow-session', from: 'agent', danger: null },
  { key: 'Grant', label: 'Allow for this session', meaning: 'allow-session', from: 'signalbox', danger: null },
] as const

function chosen(option: string, state: 'applied' | 'stale' = 'applied') {
  const record = recordOf({})
  return recordOf({
    state,
    request: { ...record.request, options: OPTIONS.map(candidate => ({ ...candidate })) as never },
    outcome: {
      at: 5,
      observed: {
        actor: { kind: 'observed', id: 'terminal', name: 'x', role: 'approver' },
        surface: 'terminal',
        option,
      },
    },
  })
}

function setUp() {
  const reported: string[] = []
  const make = (known?: { tool: string; label: string; approval: string; since: number }[]) =>
    new AgentAllowances({
      known,
      onAllowed: ({ tool, label }) => reported.push(`${tool}: ${label}`),
      onAsksAgain: label => reported.push(`asks ${label}`),
    })
  return { reported, make }
}

const { tool } = recordOf({}).request

test('the agent’s “do not ask again” counts once it is applied; single approvals and grants do not', () => {
  const { reported, make } = setUp()
  const allowances = make()
  allowances.ended(chosen('Yes'))
  allowances.ended(chosen('Grant'))
  allowances.ended(chosen('Always', 'stale'))
  expect(reported).toEqual([])
  allowances.ended(chosen('Always'))
  expect(reported).toEqual([`${tool}: Yes, and do not ask again`])
})

test('an allowance ends when the agent offers the same option again, also for a later host', () => {
  const { reported, make } = setUp()
  const allowances = make([{ tool, label: OPTIONS[1].label, approval: 'apr_1', since: 1 }])
  allowances.asked(recordOf({}))
  expect(reported).toEqual([])
  allowances.asked(chosen('Yes'))
  allowances.asked(chosen('Yes'))
  expect(reported).toEqual([`asks ${OPTIONS[1].label}`])
})
