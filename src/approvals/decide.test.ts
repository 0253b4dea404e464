import { describe, expect, test } from 'vitest'
import { judgeDecision, type ProposedDecision } from './decide.js'
import { DEFAULT_POLICY, type DecideRules } from './policy.js'
import type { ApprovalRecord } from './record.js'
import { rateRisk } from './risk.js'
import { decisionOf, recordOf } from './testing/fixtures.js'

const record = recordOf({ risk: { level: 'elevated', reasons: ['other commands'] } })
const decision = (fields: Partial<ProposedDecision> = {}) => decisionOf(record, fields)
const VIEWER = { kind: 'person', id: 'bob', name: 'Bob', role: 'viewer' } as const
const DECIDED: ApprovalRecord = recordOf({
  state: 'decided',
  decision: {
    option: 'No',
    tier: 'deny',
    actor: { kind: 'person', id: 'eve', name: 'Eve', role: 'owner' },
    surface: 'telegram',
    fingerprint: record.fingerprint,
    seen: { displayHash: record.display.hash, whole: true },
    idempotencyKey: 'first',
    at: 2000,
  },
})

function codeOf(on: ApprovalRecord, request: ProposedDecision, rules?: DecideRules): string {
  const verdict = judgeDecision(on, request, rules)
  return 'refuse' in verdict ? verdict.refuse.code : Object.keys(verdict)[0]!
}

describe('a decision', () => {
  test('is accepted as it was made, bound to the whole fingerprint', () => {
    expect(judgeDecision(record, decision({ note: 'go on' }))).toEqual({
      accept: {
        option: 'Yes',
        note: 'go on',
        tier: 'allow-once',
        actor: { kind: 'person', id: 'ada', name: 'Ada', role: 'approver' },
        surface: 'web',
        fingerprint: record.fingerprint,
        seen: { displayHash: record.display.hash, whole: true },
        idempotencyKey: 'key-1',
      },
    })
  })

  test('can interrupt the turn only as a denial of a session’s request', () => {
    const denial = decision({ option: 'No', thenInterrupt: true })
    expect(judgeDecision(record, denial)).toMatchObject({ accept: { tier: 'deny', thenInterrupt: true } })
    expect(codeOf(record, decision({ thenInterrupt: true }))).toBe('E_INPUT')
    const { session: _, ...subject } = record.subject
    expect(codeOf({ ...record, subject }, denial)).toBe('E_INPUT')
  })

  test('has neither an edited input nor a grant if it is a denial', () => {
    expect(codeOf(record, decision({ option: 'No', editedInput: { command: 'ls' } }))).toBe('E_INPUT')
    expect(codeOf(record, decision({ option: 'No', grant: { scope: 'session' } }))).toBe('E_INPUT')
  })

  // Each row fails one more check, from the last to the first: the first check that fails is
  // reported.
  const faults: [code: string, on: Partial<ApprovalRecord>, request: Partial<ProposedDecision>][] = [
    ['E_APPROVAL_SEE_ALL', {}, { seen: { displayHash: record.display.hash, whole: false } }],
    ['E_APPROVAL_OPTION', {}, { option: 'Perhaps' }],
    ['E_APPROVAL_CHANGED', {}, { fingerprint: '0'.repeat(64) }],
    ['E_APPROVAL_DECIDED', { state: 'stale' }, {}],
    ['E_ROLE', {}, { actor: VIEWER }],
    ['E_INPUT', {}, { note: 'x'.repeat(2001) }],
  ]

  test.each(faults.map(([code], index) => [code, index] as const))('is checked in order: %s', (code, last) => {
    const broken = faults.slice(0, last + 1)
    const on = Object.assign({}, record, ...broken.map(([, fields]) => fields)) as ApprovalRecord
    const request = Object.assign({}, decision(), ...broken.map(([, , fields]) => fields)) as ProposedDecision
    expect(codeOf(on, request)).toBe(code)
  })

  test('is refused above the length limit, and without an idempotency key', () => {
    const field = recordOf({ request: { ...record.request, freeText: 'optional' } })
    expect(codeOf(field, decision({ note: 'x'.repeat(2000), text: 'x'.repeat(16_000) }))).toBe('accept')
    expect(codeOf(record, decision({ note: 'half \ud800' }))).toBe('E_INPUT')
    expect(codeOf(record, decision({ text: 'x'.repeat(16_001) }))).toBe('E_INPUT')
    expect(codeOf(record, decision({ idempotencyKey: '' }))).toBe('E_INPUT')
    expect(
      codeOf({ ...DECIDED, decision: { ...DECIDED.decision!, idempotencyKey: '' } }, decision({ idempotencyKey: '' })),
    ).toBe('E_INPUT')
  })

  test('learns who decided first, where and how, if another decision was first', () => {
    const verdict = judgeDecision(DECIDED, decision())
    expect(verdict).toMatchObject({
      refuse: {
        code: 'E_APPROVAL_DECIDED',
        message: expect.stringContaining('Eve (telegram)'),
        details: { first: { state: 'decided', by: 'Eve', surface: 'telegram', at: 2000, option: 'No' } },
      },
    })
  })

  test('gets the answer of the first one with the same key, also after it was applied', () => {
    for (const state of ['decided', 'applied', 'stale', 'cancelled'] as const) {
      expect(judgeDecision({ ...DECIDED, state }, decision({ idempotencyKey: 'first' }))).toEqual({
        repeat: DECIDED.decision,
      })
    }
  })

  test('names the state of a request that is already closed', () => {
    const stale = recordOf({ state: 'stale', outcome: { at: 3, reason: 'gone' } })
    expect(judgeDecision(stale, decision())).toMatchObject({
      refuse: {
        message: 'this request is closed: the agent no longer shows this question',
        details: { first: { state: 'stale' } },
      },
    })
    const bare = recordOf({ state: 'stale', outcome: { at: 3 } })
    expect(judgeDecision(bare, decision())).toMatchObject({
      refuse: { message: expect.stringContaining('this request is closed: ') },
    })
    const superseded = recordOf({ state: 'stale', outcome: { at: 3, reason: 'changed', followedBy: 'apr_2' } })
    expect(judgeDecision(superseded, decision())).toMatchObject({
      refuse: { code: 'E_APPROVAL_CHANGED', message: 'this request was superseded by apr_2' },
    })
    const { actor } = decision()
    const seenThere = (result?: string) =>
      recordOf({
        state: 'applied',
        outcome: { at: 3, observed: { actor, surface: 'terminal', option: null, ...(result && { result }) } } as never,
      })
    expect(judgeDecision(seenThere('denied'), decision())).toMatchObject({
      refuse: { message: 'this request was already denied by Ada (terminal)' },
    })
    expect(judgeDecision(seenThere(), decision())).toMatchObject({
      refuse: { message: 'this request was already answered by Ada (terminal)' },
    })
  })

  test('needs the whole fingerprint; only a person at the command line may shorten it, to twelve digits', () => {
    const short = record.fingerprint.slice(0, 12)
    expect(codeOf(record, decision({ fingerprint: short, surface: 'cli' }))).toBe('accept')
    expect(codeOf(record, decision({ fingerprint: short.slice(0, 11), surface: 'cli' }))).toBe('E_APPROVAL_CHANGED')
    for (const surface of ['web', 'telegram', 'api'] as const)
      expect(codeOf(record, decision({ fingerprint: short, surface }))).toBe('E_APPROVAL_CHANGED')
    expect(
      codeOf(
        record,
        decision({
          fingerprint: short,
          surface: 'cli',
          actor: { kind: 'grant', id: 'g', name: 'grant', role: 'approver' },
        }),
      ),
    ).toBe('E_APPROVAL_CHANGED')
    expect(codeOf(record, decision({ fingerprint: '', surface: 'cli' }))).toBe('E_APPROVAL_CHANGED')
  })

  test('needs the whole request shown to allow an elevated risk, but not to deny it', () => {
    const unseen = { displayHash: '0'.repeat(64), whole: true }
    expect(codeOf(record, decision({ seen: unseen }))).toBe('E_APPROVAL_SEE_ALL')
    expect(codeOf(record, decision({ seen: unseen, option: 'No' }))).toBe('accept')
    expect(codeOf(recordOf({ risk: { level: 'high', reasons: [] } }), decision({ seen: unseen }))).toBe(
      'E_APPROVAL_SEE_ALL',
    )
    expect(codeOf(recordOf({ risk: { level: 'low', reasons: [] } }), decision({ seen: unseen }))).toBe('accept')
  })

  test('cannot be made for a sign-in', () => {
    for (const option of ['Yes', 'No'])
      expect(codeOf(recordOf({ kind: 'auth' }), decision({ option }))).toBe('E_APPROVAL_OPTION')
  })
})

const rules = (policy: Partial<typeof DEFAULT_POLICY> = {}, more: Partial<DecideRules> = {}): DecideRules => ({
  now: 1_000_000,
  policy: { ...DEFAULT_POLICY, ...policy },
  rateEdited: ({ kind, request, subject }, input) =>
    rateRisk({ kind, tool: request.tool, input, text: null, cwd: subject.cwd }, { project: '/p', home: '/home/x' }),
  ...more,
})

describe('the right to decide', () => {
  test('belongs only to people on the surfaces of approvals.decide_from', () => {
    const policy = { decideFrom: ['web', 'telegram'] as const }
    expect(codeOf(record, decision({ surface: 'cli' }), rules(policy))).toBe('E_ROLE')
    expect(codeOf(record, decision({ surface: 'web' }), rules(policy))).toBe('accept')
  })

  test('follows the role in the home, whatever role the surface claims; a removed person has none', () => {
    const roleOf: DecideRules['roleOf'] = ({ id }, surface) =>
      id === 'ada' ? (surface === 'web' ? 'approver' : 'viewer') : null
    const claims = { kind: 'person', id: 'ada', name: 'Ada', role: 'owner' } as const
    const by = (fields: Partial<ProposedDecision>) => codeOf(record, decision(fields), rules({}, { roleOf }))
    expect(by({ actor: claims, surface: 'web' })).toBe('accept')
    expect(by({ actor: claims, surface: 'telegram' })).toBe('E_ROLE')
    expect(by({ actor: { ...claims, id: 'removed' }, surface: 'web' })).toBe('E_ROLE')
  })

  test('is limited to denials in a lockdown', () => {
    const locked = rules({}, { isLocked: true })
    expect(codeOf(record, decision({ option: 'Yes' }), locked)).toBe('E_LOCKED')
    expect(codeOf(record, decision({ option: 'No' }), locked)).toBe('accept')
  })

  test('is refused to an agent inside its session, also for a denial', () => {
    expect(codeOf(record, decision({ insideSession: 'ses_1' }))).toBe('E_ROLE')
    expect(codeOf(record, decision({ insideSession: 'ses_1', option: 'No' }))).toBe('E_ROLE')
  })

  test('is limited for an automatic decider: no permissions and no high risks', () => {
    const auto = { kind: 'auto', id: 'run', name: 'auto', role: 'approver' } as const
    expect(codeOf(record, decision({ actor: auto }))).toBe('E_ROLE')
    expect(codeOf(recordOf({ ...record, kind: 'plan' }), decision({ actor: auto }))).toBe('accept')
    const high = recordOf({ ...record, kind: 'plan', risk: { level: 'high', reasons: ['x'] } })
    expect(codeOf(high, decision({ actor: auto }))).toBe('E_APPROVAL_OPTION')
    for (const kind of ['gate', 'review'] as const)
      expect(codeOf(recordOf({ ...record, kind }), decision({ actor: auto }))).toBe('accept')
    // The profile of a run allows the run's own acts, unless the act is never automatic.
    const act = recordOf({ ...record, source: { ...record.source, channel: 'run' } })
    expect(codeOf(act, decision({ actor: auto }))).toBe('accept')
    expect(codeOf({ ...act, neverAuto: 'merges' } as never, decision({ actor: auto }))).toBe('E_ROLE')
    expect(codeOf({ ...act, kind: 'question' } as never, decision({ actor: auto }))).toBe('E_ROLE')
  })

  test('includes no grant with an edited input, or for an option other than allow once', () => {
    const grant = { scope: 'session' } as const
    const options = record.request.options.filter(({ key }) => key !== 'Yes, always')
    const one = { ...record, request: { ...record.request, options } }
    const refusal = (fields: Partial<ProposedDecision>, on: ApprovalRecord = record) => {
      const verdict = judgeDecision(on, decision({ grant, ...fields }))
      return 'refuse' in verdict ? verdict.refuse.message : Object.keys(verdict)[0]
    }
    expect(refusal({ editedInput: { command: 'ls' } })).toContain('an edited input can only be allowed once')
    expect(refusal({ option: 'Yes, always' })).toContain('the option that allows once')
    expect(refusal({}, one)).toBe('accept')
  })
})

describe('a second confirmation', () => {
  const high = recordOf({ risk: { level: 'high', reasons: ['deletes recursively'] } })
  const on = rules({ stepUp: true })

  test('is required for a high risk, lasts five minutes, and cannot be in the future', () => {
    expect(codeOf(high, decision(), on)).toBe('E_STEP_UP')
    expect(codeOf(high, decision({ confirmedAt: 1_000_000 - 300_000 }), on)).toBe('accept')
    expect(codeOf(high, decision({ confirmedAt: 1_000_000 - 300_001 }), on)).toBe('E_STEP_UP')
    expect(codeOf(high, decision({ confirmedAt: 1_000_001 }), on)).toBe('E_STEP_UP')
  })

  test('is not required for a lower risk, for a denial, or when step-up is off', () => {
    expect(codeOf(record, decision(), on)).toBe('accept')
    expect(codeOf(high, decision({ option: 'No' }), on)).toBe('accept')
    expect(codeOf(high, decision(), rules())).toBe('accept')
  })

  test('is requested only after the whole request was shown', () => {
    expect(codeOf(high, decision({ seen: { displayHash: high.display.hash, whole: false } }), on)).toBe(
      'E_APPROVAL_SEE_ALL',
    )
  })
})

describe('choices and texts of a decision', () => {
  const question = (multi: boolean, count = 1) =>
    recordOf({
      kind: 'question',
      request: {
        ...record.request,
        freeText: 'optional',
        questions: Array.from({ length: count }, (_, index) => ({ text: `Which ${index}?`, multi })),
        options: Array.from({ length: count }, (_, index) =>
          ['a', 'b'].map(label => ({
            key: `${index}:${label}`,
            label,
            meaning: 'choice' as const,
            from: 'agent' as const,
            danger: null,
            question: index,
          })),
        ).flat(),
      },
    })
  const choose = (...choices: string[]): ProposedDecision => {
    const { option: _, ...rest } = decision()
    return { ...rest, choices }
  }

  test('answer every question, with one choice where only one is possible', () => {
    expect(codeOf(question(true), choose('0:a', '0:b'))).toBe('accept')
    expect(codeOf(question(true), choose())).toBe('accept')
    expect(codeOf(question(false), choose('0:a', '0:b'))).toBe('E_APPROVAL_OPTION')
    expect(codeOf(question(false, 2), choose('0:a', '1:b'))).toBe('accept')
    expect(codeOf(question(false, 2), choose('0:a'))).toBe('E_APPROVAL_OPTION')
    expect(codeOf(question(false), choose('0:c'))).toBe('E_APPROVAL_OPTION')
    expect(codeOf(question(true), choose('0:a', '0:a'))).toBe('E_APPROVAL_OPTION')
  })

  test('do not include an option that allows', () => {
    expect(codeOf(record, choose('Yes'))).toBe('E_APPROVAL_OPTION')
  })

  test('include a text only where the request takes one', () => {
    const { option: _, ...rest } = decision()
    expect(codeOf(question(false), { ...rest, text: 'neither' })).toBe('accept')
    expect(codeOf(record, { ...rest, text: 'neither' })).toBe('E_APPROVAL_OPTION')
    expect(codeOf(record, decision({ text: 'for an option that takes none' }))).toBe('E_APPROVAL_OPTION')
    expect(codeOf(record, rest)).toBe('E_INPUT')
  })
})

describe('an edited input of a decision', () => {
  const editable = recordOf({
    risk: { level: 'low', reasons: [] },
    request: { ...record.request, tool: 'Bash', input: { command: 'npm test', timeout: 10 } },
    source: { ...record.source, channel: 'hook', can: ['edit'] },
  })
  const edit = (editedInput: unknown, more: Partial<ProposedDecision> = {}) =>
    codeOf(editable, decision({ editedInput, ...more }), rules())

  test('is accepted with the same fields where the channel supports it', () => {
    expect(edit({ command: 'npm test -- --run', timeout: 10 })).toBe('accept')
    expect(edit({ command: 'npm test' })).toBe('E_APPROVAL_EDIT')
    expect(edit({ command: 'npm test', timeout: '10' })).toBe('E_APPROVAL_EDIT')
    expect(edit({ command: 'npm test', timeout: 10, sandbox: false })).toBe('E_APPROVAL_EDIT')
    expect(edit('npm test')).toBe('E_APPROVAL_EDIT')
    expect(edit({ command: 'curl -H ‹secret:token:1f2e›', timeout: 10 })).toBe('E_APPROVAL_EDIT')
    expect(codeOf(record, decision({ editedInput: { command: 'x' } }), rules())).toBe('E_APPROVAL_EDIT')
  })

  test('has its own risk, which must be shown and confirmed like any other', () => {
    const unseen = { seen: { displayHash: editable.display.hash, whole: false } }
    expect(edit({ command: 'git status', timeout: 10 }, unseen)).toBe('accept')
    expect(edit({ command: 'rm -rf /', timeout: 10 }, unseen)).toBe('E_APPROVAL_SEE_ALL')
    expect(
      codeOf(editable, decision({ editedInput: { command: 'rm -rf /', timeout: 10 } }), rules({ stepUp: true })),
    ).toBe('E_STEP_UP')
  })
})

describe('a request that is shown in part', () => {
  test('can only be denied where it is cut', () => {
    const cut = recordOf({ ...record, display: { ...record.display, isCut: true } })
    expect(codeOf(cut, decision())).toBe('E_APPROVAL_SEE_ALL')
    expect(codeOf(cut, decision({ option: 'No' }))).toBe('accept')
  })
})

test('a dialog that hides part of the request is allowed only through a held hook, but can be denied', () => {
  const cut = recordOf({ risk: { level: 'low', reasons: [] }, terminalOnly: 'a part is hidden' })
  expect(judgeDecision(cut, decisionOf(cut))).toMatchObject({
    refuse: { code: 'E_APPROVAL_SEE_ALL', message: expect.stringContaining('a part is hidden') },
  })
  expect(judgeDecision(cut, decisionOf(cut, { option: 'No' }))).toHaveProperty('accept')
  const held = { ...cut, source: { ...cut.source, can: ['hold' as const] } }
  expect(judgeDecision(held, decisionOf(held))).toHaveProperty('accept')
})

test('a question whose text is not on the screen has no low risk', () => {
  const asked = { kind: 'question', tool: 'question', input: null, text: ' \n', cwd: '/p' }
  expect(rateRisk(asked, { project: '/p', home: '/h' }).level).toBe('elevated')
})
