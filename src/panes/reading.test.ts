import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { AgentReport, AgentStatement } from '../agents/index.js'
import type { Observation } from '../screen/index.js'
import { AUTHORITIES, type Authority, type Claim, type Evidence, rankOf } from './evidence.js'
import { EvidenceSet } from './reading.js'
import { reportEffect } from './report-evidence.js'

const evidence = (authority: Authority, claim: Claim['is'], t: number, expires: number | null = null): Evidence => ({
  authority,
  claim: claim === 'blocked' ? { is: claim, awaiting: 'permission' } : ({ is: claim } as Claim),
  t,
  expires,
  ref: `${authority}/${claim}`,
})

function looked(fields: Partial<Observation>): Observation {
  return {
    view: 'idle_prompt',
    payload: { fresh: false, prompt: 'agent' },
    confidence: 0.9,
    anchored: true,
    rule: 'test/look',
    busy: false,
    awaiting: null,
    composer: null,
    ...fields,
  } as Observation
}
const BOX = looked({ composer: { empty: true } as Observation['composer'] })
const WORK = looked({ view: 'thinking', payload: {} as never, busy: true })
const MENU = looked({ view: 'tool_menu', payload: { menu: null } as never, awaiting: 'permission' })

/** The reading, after looks and reports at their times. */
function reading(steps: readonly (Evidence | [Observation, number])[], t: number) {
  const all = new EvidenceSet()
  for (const step of steps) {
    if (Array.isArray(step)) all.observe(step[0], step[1], true)
    else all.report(step)
  }
  return all.read(t)
}

describe('the list that a person opened in an agent', () => {
  const LIST = looked({ view: 'tool_menu', payload: { menu: null } as never, awaiting: 'question', anchored: false })
  const DRAFT = looked({ composer: { empty: false, draft: '/config' } as Observation['composer'] })
  const outcome = (...looks: [Observation, number][]) => {
    const all = new EvidenceSet({ isAgent: true })
    for (const [look, t] of looks) all.observe(look, t, true)
    const { claim } = all.read(looks.at(-1)![1])
    return claim?.is === 'blocked' ? claim.awaiting : claim?.is
  }

  it('is recognised without a rule, after a command in the box or after an idle time', () => {
    expect(outcome([DRAFT, 1], [LIST, 1.2])).toBe('picker')
    expect(outcome([BOX, 1], [LIST, 4])).toBe('picker')
  })

  it('is not recognised at work, right after the start, or if a rule matches, which is a question', () => {
    expect(outcome([DRAFT, 1], [WORK, 2], [LIST, 9])).toBe('question')
    expect(outcome([BOX, 1], [LIST, 2])).toBe('question')
    expect(outcome([BOX, 1], [MENU, 9])).toBe('permission')
  })

  it('is not recognised in a REPL at its own prompt, which is idle', () => {
    const REPL = looked({ payload: { fresh: false, prompt: 'repl' } as never, awaiting: 'input', anchored: false })
    expect(outcome([REPL, 1])).toBe('idle')
  })
})

describe('the ranking of authorities', () => {
  const reports = AUTHORITIES.filter(authority => authority !== 'exit')

  it.each(reports.flatMap(high => reports.filter(low => rankOf(low) > rankOf(high)).map(low => [high, low] as const)))(
    'prefers %s to %s, which may contradict but not overrule; an expired report has no effect',
    (high, low) => {
      // Hooks and the transcript have the same rank: the newer one counts.
      const at = low === 'transcript' && high === 'hook' ? 1 : 2
      const lower = evidence(low, 'idle', at)
      const both = reading([evidence(high, 'working', 1), lower], 3)
      expect(both).toMatchObject({ claim: { is: 'working' }, authority: high, contradictions: [{ authority: low }] })
      expect(reading([evidence(high, 'idle', 1), lower], 3).contradictions).toEqual([])
      expect(reading([evidence(high, 'working', 1, 2.5), lower], 3)).toMatchObject({
        claim: { is: 'idle' },
        authority: low,
      })
    },
  )

  it('gives one reading for any order of arrival', () => {
    const made = fc.uniqueArray(
      fc.record({
        authority: fc.constantFrom(...reports),
        claim: fc.constantFrom('working', 'idle', 'blocked', 'done'),
        t: fc.nat(50),
      }),
      { selector: ({ authority, t }) => `${authority} ${t}`, maxLength: 12 },
    )
    fc.assert(
      fc.property(made, fc.infiniteStream(fc.nat()), (list, order) => {
        const all = list.map(({ authority, claim, t }) => evidence(authority, claim as Claim['is'], t))
        const shuffled = all.map(item => ({ item, at: order.next().value as number })).sort((a, b) => a.at - b.at)
        const [first, second] = [
          reading(all, 60),
          reading(
            shuffled.map(({ item }) => item),
            60,
          ),
        ]
        expect([first.claim, first.authority]).toEqual([second.claim, second.authority])
      }),
    )
  })

  it('prefers the newer of hook and transcript', () => {
    const hook = evidence('hook', 'working', 5)
    expect(reading([hook, evidence('transcript', 'done', 6)], 7)).toMatchObject({
      claim: { is: 'done' },
      authority: 'transcript',
    })
    expect(reading([hook, evidence('transcript', 'done', 4)], 7)).toMatchObject({
      claim: { is: 'working' },
      authority: 'hook',
    })
  })

  it('does not let an older report replace a newer one of the same authority', () => {
    expect(reading([evidence('transcript', 'done', 5), evidence('transcript', 'working', 3)], 6).claim).toEqual({
      is: 'done',
    })
  })

  it('keeps the last claim when no evidence is left, and does not default to idle', () => {
    const all = new EvidenceSet()
    all.report(evidence('hook', 'working', 1, 2))
    expect(all.read(1.5).claim).toEqual({ is: 'working' })
    expect(all.read(50)).toMatchObject({ claim: { is: 'working' }, since: 1 })
  })
})

describe('the report of an agent', () => {
  it.each<[string, Claim['is'], Observation, number, number]>([
    ['working, 30 s after the last such report with an idle screen', 'working', BOX, 30, 31],
    ['blocked, when the input box has been live for 5 s', 'blocked', BOX, 6.9, 7.1],
    ['done, when the screen has since shown work for 2 s', 'done', WORK, 3.9, 4.1],
    ['working, when a menu has been on screen for a second', 'working', MENU, 2.9, 3.1],
  ])('loses its effect if it says %s', (_, claim, look, before, after) => {
    for (const authority of ['hook', 'transcript'] as const) {
      const steps = [evidence(authority, claim, 1), [look, 2] as [Observation, number]]
      expect(reading(steps, before), `${authority} at ${before}`).toMatchObject({ authority, claim: { is: claim } })
      const later = reading(
        [...steps, [look, after] as [Observation, number]],
        after + (claim === 'working' && look === BOX ? 1 : 0),
      )
      expect(later.authority, `${authority} at ${after}`).toBe('screen')
    }
  })

  it('loses its effect if it says working and our interrupt was followed by an input box', () => {
    const winner = (interruptedAt: number | null) => {
      const all = new EvidenceSet()
      all.report(evidence('hook', 'working', 1))
      if (interruptedAt !== null) all.interrupted(interruptedAt)
      all.observe(BOX, 3, true)
      return all.read(3.1).authority
    }
    expect([winner(2), winner(null), winner(0.5)]).toEqual(['screen', 'hook', 'hook'])
  })

  it('loses its effect if it says starting, with the first live input box', () => {
    expect(reading([evidence('hook', 'starting', 1)], 9).claim).toEqual({ is: 'starting' })
    expect(reading([evidence('hook', 'starting', 1), [BOX, 2]], 2).authority).toBe('screen')
  })

  it('keeps its effect while the last output of the old work is still being drawn', () => {
    expect(reading([[WORK, 1], evidence('hook', 'done', 3), [WORK, 3.5]], 4)).toMatchObject({ claim: { is: 'done' } })
  })
})

describe('reportEffect', () => {
  const effect = (statement: AgentStatement, channel: AgentReport['channel'] = 'hook') =>
    reportEffect({ id: 'r', channel, at: 0, statement }, 4)

  it.each<[AgentStatement, Claim]>([
    [{ kind: 'session', agentSession: 'x' }, { is: 'starting' }],
    [{ kind: 'prompt', text: 'hi' }, { is: 'working' }],
    [
      { kind: 'tool', state: 'started', key: 'k', tool: 'Bash', input: {} },
      { is: 'working', label: 'Bash' },
    ],
    [
      { kind: 'request', key: null, tool: 'Bash', input: {} },
      { is: 'blocked', awaiting: 'permission' },
    ],
    [
      { kind: 'waiting', waitsFor: 'question' },
      { is: 'blocked', awaiting: 'question' },
    ],
    [{ kind: 'waiting', waitsFor: 'idle' }, { is: 'idle' }],
    [{ kind: 'turn-ended', outcome: 'done' }, { is: 'done' }],
    [
      { kind: 'turn-ended', outcome: 'done', background: 2 },
      { is: 'working', label: '2 in the background' },
    ],
    [
      { kind: 'turn-ended', outcome: 'interrupted' },
      { is: 'stopped', by: 'interrupted' },
    ],
    [
      { kind: 'turn-ended', outcome: 'failed', text: 'no credit' },
      { is: 'failed', reason: 'no credit' },
    ],
    [
      { kind: 'tool', state: 'done', key: 'k', tool: 'Bash', input: {}, subAgent: 'h' },
      { is: 'working', label: 'Bash' },
    ],
    [
      { kind: 'request', key: null, tool: 'Bash', input: {}, subAgent: 'h' },
      { is: 'blocked', awaiting: 'permission' },
    ],
  ])('translates %o', (statement, claim) => {
    expect(effect(statement)).toMatchObject({ evidence: { authority: 'hook', claim, t: 4, expires: null } })
    expect(effect(statement, 'transcript')).toMatchObject({ evidence: { authority: 'transcript' } })
  })

  it.each<[AgentStatement]>([
    [{ kind: 'said', id: '1', markdown: 'x' }],
    [{ kind: 'usage', input: 1, output: 1 }],
    [{ kind: 'turn-ended', outcome: 'done', subAgent: 'h' }],
  ])('ignores %o', statement => expect(effect(statement)).toBeNull())

  it('withdraws the channel’s claim for a denied tool or an ended program', () => {
    expect(effect({ kind: 'tool', state: 'denied', key: 'k', tool: 'Bash', input: {} })).toEqual({ withdraw: 'hook' })
    expect(effect({ kind: 'ended', reason: 'exit' }, 'transcript')).toEqual({ withdraw: 'transcript' })
  })
})
