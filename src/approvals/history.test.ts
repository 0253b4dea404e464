import { describe, expect, test } from 'vitest'
import { type HistoryFilter, historyItemOf, isInHistory } from './history.js'
import type { ApprovalRecord } from './record.js'
import { DECISIONS, type Decision, decisionOf, requestState } from './request-state.js'
import { decisionOf as decisionBy, recordOf, reportedOf, SUBJECT } from './testing/fixtures.js'

const ADA = { kind: 'person', id: 'ada', name: 'Ada', role: 'owner' } as const

function record(more: Partial<ApprovalRecord> = {}, command = 'npm test'): ApprovalRecord {
  return recordOf({ ...reportedOf({ input: { command } }), ...more })
}

const decided = (tier: string, more: Partial<ApprovalRecord> = {}, note?: string) => {
  const asked = record(more)
  const option = tier === 'deny' ? 'deny' : 'allow'
  const decision = { ...decisionBy(asked), option, tier, at: 4_000, actor: ADA, surface: 'web', ...(note && { note }) }
  return { ...asked, state: 'applied', outcome: { at: 4_500 }, ...more, decision } as unknown as ApprovalRecord
}

const inTerminal = (result?: 'allowed' | 'denied', more: Partial<ApprovalRecord> = {}) =>
  record({
    state: 'applied',
    outcome: {
      at: 9_000,
      observed: {
        actor: { kind: 'observed', id: 'terminal', name: 'a person at the terminal', role: 'approver' },
        surface: 'terminal',
        option: null,
        ...(result && { result }),
      },
    },
    ...more,
  })

describe('what became of a request', () => {
  test.each<[string, ApprovalRecord, string, Decision | null]>([
    ['waits', record(), 'pending', null],
    ['was allowed and applied', decided('allow-once'), 'allowed', 'allowed'],
    ['was allowed and waits for the agent', decided('allow-once', { state: 'decided' }), 'allowing', 'allowed'],
    ['was denied', decided('deny'), 'denied', 'denied'],
    ['was decided too late', decided('allow-once', { state: 'stale' }), 'notApplied', 'not-applied'],
    ['was allowed in the terminal', inTerminal('allowed'), 'allowed', 'allowed'],
    ['was denied in the terminal', inTerminal('denied'), 'denied', 'denied'],
    ['ended in the terminal in an unknown way', inTerminal(), 'answered', 'answered'],
    ['was a question that the person closed', inTerminal('denied', { kind: 'question' }), 'declined', 'denied'],
    ['disappeared', record({ state: 'stale', outcome: { at: 2_000, reason: 'gone' } }), 'closed', 'undecided'],
    ['expired', record({ state: 'expired', outcome: { at: 2_000 } }), 'expired', 'undecided'],
  ])('%s', (_, request, state, decision) => {
    expect([requestState(request), decisionOf(requestState(request))]).toEqual([state, decision])
    for (const one of DECISIONS) expect(isInHistory(request, { decisions: [one] })).toBe(one === decision)
  })
})

describe('a line of the history', () => {
  test('says what was asked, who decided from where, and how long it waited', () => {
    expect(historyItemOf(decided('allow-once', { requestedAt: 1_000 }))).toMatchObject({
      title: 'Demo wants to run a command',
      what: '$ npm test',
      result: 'allowed',
      by: 'Ada',
      surface: 'web',
      decisionMs: 3_000,
      waitedMs: 3_000,
      appliedMs: 500,
      why: null,
    })
  })

  test('of an answer in the terminal has the time until then, but no decision of Signalbox', () => {
    expect(historyItemOf(inTerminal('denied', { requestedAt: 1_000 }))).toMatchObject({
      by: 'a person at the terminal',
      surface: 'terminal',
      decidedAt: null,
      decisionMs: null,
      waitedMs: 8_000,
    })
  })

  test('of a request that disappeared says why in words', () => {
    const gone = record({ state: 'stale', requestedAt: 1_000, outcome: { at: 2_000, reason: 'gone' } })
    expect(historyItemOf(gone)).toMatchObject({
      by: null,
      waitedMs: 1_000,
      why: 'the agent no longer shows this question',
    })
  })

  test('of an edit has the size of the change, and of a long command one line', () => {
    const edit = { file_path: '/p/a.ts', old_string: 'one\ntwo', new_string: 'one\n2\n3' }
    expect(historyItemOf(record(reportedOf({ tool: 'Edit', input: edit }))).what).toBe('2 lines added, 1 removed')
    const { what } = historyItemOf(record({}, `echo ${'x'.repeat(500)}\nrm -rf /`))
    expect(what).toMatch(/^\$ echo x+…$/)
  })
})

test('a history can be searched, and filtered by session, run, project and person', () => {
  const request = decided('deny', { subject: { ...SUBJECT, project: '/work/shop', run: 'run_1' } }, 'Not on main')
  const found = (filter: HistoryFilter) => isInHistory(request, filter)
  for (const words of ['NPM test', 'ada', 'not main', 'denied demo', 'shop'])
    expect([words, found({ words })]).toEqual([words, true])
  expect(found({ words: 'npm install' })).toBe(false)
  expect([found({ session: 'ses_1' }), found({ session: 'ses_2' })]).toEqual([true, false])
  expect([found({ run: 'run_1' }), found({ run: 'run_2' })]).toEqual([true, false])
  expect([found({ project: 'shop' }), found({ project: '/work/shop' }), found({ project: 'hop' })]).toEqual([
    ...[true, true, false],
  ])
  expect([found({ person: 'Ada' }), found({ person: 'ada' }), found({ person: 'Eve' })]).toEqual([true, true, false])
  expect([found({ decisions: [] }), found({ decisions: ['allowed', 'answered'] })]).toEqual([true, false])
})
