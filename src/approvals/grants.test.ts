import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type GrantRecord, type GrantRequest, grantFrom, isActive, isCovered, whyNoGrant } from './grants.js'
import { DEFAULT_POLICY } from './policy.js'
import type { ApprovalRequest } from './record.js'
import { requestFromReport, type StructuredReport } from './request-from-report.js'

const SUBJECT: ApprovalRequest['subject'] = {
  agent: 'claude',
  agentVersion: '2.1.0',
  session: 'ses_1',
  run: 'run_1',
  effect: 'run_1/build@1#1',
  project: '/p',
  cwd: '/p',
  hostName: 'here',
}
const ADA = { kind: 'person', id: 'ada', name: 'Ada', role: 'approver' } as const
const NOW = 1_000_000

function request(
  report: Partial<StructuredReport> = {},
  subject: Partial<ApprovalRequest['subject']> = {},
): ApprovalRequest {
  return requestFromReport(
    { channel: 'hook', requestKey: 'k1', tool: 'Bash', input: { command: 'npm test' }, ...report },
    { subject: { ...SUBJECT, ...subject }, home: '/home/ada', realPath: path => path },
  )
}
const bash = (command: string) => request({ input: { command } })

function make(from: ApprovalRequest, grant: GrantRequest): GrantRecord {
  expect(whyNoGrant(from, grant, DEFAULT_POLICY)).toBeNull()
  const made = grantFrom(from, grant, { by: ADA, surface: 'cli', approval: 'apr_1', policy: DEFAULT_POLICY, now: NOW })
  return { ...made, id: 'grt_1', version: 1, madeAt: NOW, uses: 0 }
}

describe('a new grant', () => {
  test('lasts half an hour and twenty uses by default', () => {
    expect(make(bash('npm test'), { scope: 'session' })).toMatchObject({
      scope: { kind: 'session', session: 'ses_1' },
      match: { kind: 'same' },
      tools: ['Bash'],
      expiresAt: NOW + 1_800_000,
      maxUses: 20,
      agentVersion: '2.1.0',
    })
  })

  test.each<[string, ApprovalRequest, Partial<GrantRequest>, RegExp]>([
    ['a duration over the limit', bash('npm test'), { forMs: 9 * 3_600_000 }, /at most/],
    ['a duration of zero', bash('npm test'), { forMs: 0 }, /duration/],
    ['too many uses', bash('npm test'), { uses: 201 }, /uses/],
    ['half a use', bash('npm test'), { uses: 0.5 }, /uses/],
    ['high risk', bash('rm -rf x'), {}, /risk is high/],
    ['a question', request({ tool: 'AskUserQuestion', input: {}, kind: 'question' }), {}, /not a permission/],
    ['a mismatch', { ...bash('npm test'), source: { ...bash('npm test').source, mismatch: 'x' } }, {}, /contradict/],
    ['a request for a person only', { ...bash('npm test'), neverAuto: 'it is about trust' }, {}, /trust/],
    [
      'the scope session without a session',
      request({}, { session: undefined as never }),
      { scope: 'session' },
      /does not belong to a session/,
    ],
    [
      'the scope node without a node',
      request({}, { effect: undefined as never }),
      { scope: 'node' },
      /does not belong to a node/,
    ],
    [
      'a prefix of another command',
      bash('npm test'),
      { match: { kind: 'prefix', words: ['npm', 'run'] } },
      /would not cover/,
    ],
    [
      'a prefix that covers every command',
      bash('git status'),
      { match: { kind: 'prefix', words: ['git'] } },
      /every command/,
    ],
    [
      'a prefix with an operator',
      bash('npm test'),
      { match: { kind: 'prefix', words: ['npm', 'test;'] } },
      /plain words/,
    ],
    ['an empty prefix', bash('npm test'), { match: { kind: 'prefix', words: [] } }, /plain words/],
    [
      'a directory outside',
      request({ tool: 'Edit', input: { file_path: 'a' } }),
      { match: { kind: 'path', directory: '/p-evil' } },
      /outside/,
    ],
    ['a path for a command', bash('npm test'), { match: { kind: 'path', directory: '/p' } }, /would not cover/],
    ['an unknown MCP server', request({ tool: 'mcp__x__y', input: {} }), {}, /launch command/],
  ])('is refused for %s', (_, from, wanted, why) => {
    expect(whyNoGrant(from, { scope: 'project', ...wanted }, DEFAULT_POLICY)).toMatch(why)
  })
})

describe('a grant', () => {
  test('covers the same request, also in another session of its scope', () => {
    const grant = make(bash('npm test'), { scope: 'run' })
    expect(isCovered(request({ requestKey: 'k2' }, { session: 'ses_2' }), grant, NOW)).toBe(true)
    expect(isCovered(bash('npm test '), grant, NOW)).toBe(false)
    expect(isCovered(request({}, { run: 'run_2' }), grant, NOW)).toBe(false)
  })

  test.each<[GrantRequest['scope'], Partial<ApprovalRequest['subject']>]>([
    ['session', { session: 'ses_2' }],
    ['run', { run: 'run_2' }],
    ['node', { effect: 'run_1/deploy@1#1' }],
    ['project', { project: '/q' }],
  ])('has no effect outside its scope %s', (scope, elsewhere) => {
    const grant = make(bash('npm test'), { scope })
    expect(isCovered(bash('npm test'), grant, NOW)).toBe(true)
    expect(isCovered(request({}, elsewhere), grant, NOW)).toBe(false)
  })

  test('covers all visits and attempts of a node', () => {
    const grant = make(bash('npm test'), { scope: 'node' })
    expect(isCovered(request({}, { effect: 'run_1/build@2#3' }), grant, NOW)).toBe(true)
  })

  test('covers plain commands that start with its words', () => {
    const grant = make(bash('npm test'), { scope: 'session', match: { kind: 'prefix', words: ['npm', 'test'] } })
    for (const command of ['npm test', 'npm test -- --run', '  npm   test x', `npm "test" 'a b'`])
      expect([command, isCovered(bash(command), grant, NOW)]).toEqual([command, true])
    for (const command of [
      'npm testing',
      'npm',
      'npm run test',
      'x npm test',
      'npm test; ls',
      'npm test $X',
      'npm test\nls',
    ])
      expect([command, isCovered(bash(command), grant, NOW)]).toEqual([command, false])
  })

  test('covers argument lists, with or without a shell', () => {
    const grant = make(request({ tool: 'shell', input: { command: ['npm', 'test'] } }), {
      scope: 'session',
      match: { kind: 'prefix', words: ['npm', 'test'] },
    })
    const covers = (command: string[]) => isCovered(request({ tool: 'shell', input: { command } }), grant, NOW)
    expect(covers(['npm', 'test', '--run'])).toBe(true)
    expect(covers(['bash', '-lc', 'npm test'])).toBe(true)
    expect(covers(['bash', '-lc', 'npm test; rm x'])).toBe(false)
    expect(covers(['npm', 'test', '$(rm x)'])).toBe(false)
    expect(covers(['bash', 'npm', 'test'])).toBe(false)
  })

  test('does not cover a text with a shell operator by a prefix', () => {
    const grant = make(bash('npm test'), { scope: 'session', match: { kind: 'prefix', words: ['npm', 'test'] } })
    const operator = fc.constantFrom(...';&|<>$`(){}[]*?~!#\\\n\r')
    fc.assert(
      fc.property(fc.string(), operator, fc.string(), (before, sign, after) => {
        expect(isCovered(bash(`npm test ${before}${sign}${after}`), grant, NOW)).toBe(false)
        expect(
          isCovered(request({ input: { command: ['npm', 'test', `${before}${sign}${after}`] } }), grant, NOW),
        ).toBe(false)
      }),
      { numRuns: 1500 },
    )
  })

  test('covers writes below a directory, by their real paths', () => {
    const edit = (path: string, real = `/p/${path}`) =>
      requestFromReport(
        { channel: 'hook', requestKey: 'k', tool: 'Edit', input: { file_path: path } },
        { subject: SUBJECT, home: '/home/ada', realPath: given => (given === `/p/${path}` ? real : given) },
      )
    const grant = make(edit('src/a.ts'), { scope: 'session', match: { kind: 'path', directory: '/p/src' } })
    expect(isCovered(edit('src/deep/b.ts'), grant, NOW)).toBe(true)
    expect(isCovered(edit('src-evil/b.ts'), grant, NOW)).toBe(false)
    expect(isCovered(edit('src/../other.ts', '/p/other.ts'), grant, NOW)).toBe(false)
    expect(isCovered(edit('src/link', '/etc/passwd'), grant, NOW)).toBe(false)
    expect(isCovered(request({ tool: 'Read', input: { file_path: 'src/a.ts' } }), grant, NOW)).toBe(false)
  })

  test('does not cover a high risk, another tool, another agent or another version', () => {
    const grant = make(bash('npm test'), { scope: 'project', match: { kind: 'prefix', words: ['npm', 'test'] } })
    expect(isCovered(bash('npm test --prefix=/etc'), grant, NOW)).toBe(false)
    expect(isCovered(request({ tool: 'Shell' }), grant, NOW)).toBe(false)
    expect(isCovered(request({}, { agent: 'codex' }), grant, NOW)).toBe(false)
    expect(isCovered(request({}, { agentVersion: '2.1.1' }), grant, NOW)).toBe(false)
    expect(isCovered({ ...bash('npm test'), neverAuto: 'x' }, grant, NOW)).toBe(false)
  })

  test('covers an MCP tool only with the same launch command', () => {
    const call = (launch: string) => request({ tool: 'mcp__db__query', input: { q: 1 }, launch: launch.repeat(64) })
    const grant = make(call('a'), { scope: 'session' })
    expect(isCovered(call('a'), grant, NOW)).toBe(true)
    expect(isCovered(call('b'), grant, NOW)).toBe(false)
  })

  test('covers nothing where several options allow once, or none does', () => {
    const grant = make(bash('npm test'), { scope: 'session', match: { kind: 'prefix', words: ['npm', 'test'] } })
    const option = { key: 'y', label: 'Yes', meaning: 'allow-once' as const }
    const offers = (options: (typeof option)[]) => request({ options })
    expect(isCovered(offers([option]), grant, NOW)).toBe(true)
    expect(isCovered(offers([option, { ...option, key: 'z' }]), grant, NOW)).toBe(false)
    expect(isCovered(offers([]), grant, NOW)).toBe(false)
  })
})

describe('the end of a grant', () => {
  const grant = make(bash('npm test'), { scope: 'session', forMs: 60_000, uses: 2 })

  test('follows from time, uses or revocation; setting the clock back does not delay it', () => {
    expect(isActive(grant, NOW + 59_999)).toBe(true)
    expect(isActive(grant, NOW + 60_000)).toBe(false)
    expect(isActive({ ...grant, uses: 2 }, NOW)).toBe(false)
    expect(isActive({ ...grant, ended: { reason: 'revoked', at: NOW } }, NOW)).toBe(false)
    expect(isActive(grant, NOW - 3_600_000)).toBe(false)
  })
})
