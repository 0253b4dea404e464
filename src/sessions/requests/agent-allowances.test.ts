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

function ears() {
  const heard: string[] = []
  const make = (known?: { tool: string; label: string; approval: string; since: number }[]) =>
    new AgentAllowances({
      known,
      onAllowed: ({ tool, label }) => heard.push(`${tool}: ${label}`),
      onAsksAgain: label => heard.push(`asks ${label}`),
    })
  return { heard, make }
}

const { tool } = recordOf({}).request

test('the agent’s own “do not ask again” counts once it has taken effect; one press and our own grants do not', () => {
  const { heard, make } = ears()
  const allowances = make()
  allowances.ended(chosen('Yes'))
  allowances.ended(chosen('Grant'))
  allowances.ended(chosen('Always', 'stale'))
  expect(heard).toEqual([])
  allowances.ended(chosen('Always'))
  expect(heard).toEqual([`${tool}: Yes, and do not ask again`])
})

test('it is over when the agent offers the same again, also for a host that came later', () => {
  const { heard, make } = ears()
  const allowances = make([{ tool, label: OPTIONS[1].label, approval: 'apr_1', since: 1 }])
  allowances.asked(recordOf({}))
  expect(heard).toEqual([])
  allowances.asked(chosen('Yes'))
  allowances.asked(chosen('Yes'))
  expect(heard).toEqual([`asks ${OPTIONS[1].label}`])
})
