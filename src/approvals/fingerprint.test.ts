import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fingerprintOf } from './fingerprint.js'
import { approvalKindOf, requestFromMenu } from './request-from-menu.js'
import { menuOf, SUBJECT } from './testing/fixtures.js'

const REQUEST: Parameters<typeof fingerprintOf>[0] = {
  kind: 'permission',
  agent: 'demo',
  session: 'ses_1',
  tool: 'Bash',
  input: { command: 'rm -rf build', timeout: 10 },
  text: null,
  cwd: '/p',
  questions: [{ text: 'May I?', multi: false }],
  options: [
    { label: 'Yes', meaning: 'allow-once' },
    { label: 'No', meaning: 'deny' },
  ],
}

const PRINT = fingerprintOf(REQUEST)

describe('the fingerprint of a request', () => {
  test('is a SHA-256 over its canonical form, the same in every version', () => {
    expect(PRINT).toMatch(/^[0-9a-f]{64}$/)
    expect(PRINT).toMatchInlineSnapshot(`"ecaec07ce121663148a23745c3c37e26a5fccf65832aad0c7157a001d00e1bbc"`)
  })

  test('does not depend on the order of keys or on absent fields', () => {
    expect(fingerprintOf({ ...REQUEST, input: { timeout: 10, command: 'rm -rf build' } })).toBe(PRINT)
    expect(fingerprintOf({ ...REQUEST, subAgent: undefined })).toBe(PRINT)
    expect(
      fingerprintOf({ ...REQUEST, options: REQUEST.options.map(option => ({ ...option, selected: true, index: 4 })) }),
    ).toBe(PRINT)
  })

  test.each<[string, Partial<typeof REQUEST>]>([
    ['one character of the command', { input: { command: 'rm -rf builb', timeout: 10 } }],
    ['a look-alike letter', { input: { command: 'rm -rf b\u0443ild', timeout: 10 } }],
    ['another normal form', { input: { command: 'caf\u0065\u0301', timeout: 10 } }],
    ['an invisible character', { input: { command: 'rm -rf\u200b build', timeout: 10 } }],
    ['upper case', { tool: 'BASH' }],
    ['the order of options', { options: [...REQUEST.options].reverse() }],
    ['the meaning of an option', { options: [{ label: 'Yes', meaning: 'allow-always' }, REQUEST.options[1]!] }],
    ['an additional option', { options: [...REQUEST.options, { label: 'Maybe', meaning: 'choice' }] }],
    ['the working directory', { cwd: '/q' }],
    ['the session', { session: 'ses_2' }],
    ['the agent', { agent: 'other' }],
    ['the kind', { kind: 'plan' }],
    ['the question', { questions: [{ text: 'May I?', multi: true }] }],
    ['the text', { text: '' }],
    ['the sub-agent', { subAgent: 'reviewer' }],
    ['a number as text', { input: { command: 'rm -rf build', timeout: '10' } }],
  ])('differs with %s', (_, change) => {
    expect(fingerprintOf({ ...REQUEST, ...change } as typeof REQUEST)).not.toBe(PRINT)
  })

  test('differs between texts that differ only in Unicode normalisation', () => {
    const of = (command: string) => fingerprintOf({ ...REQUEST, input: { command } })
    expect(of('caf\u00e9')).not.toBe(of('cafe\u0301'))
  })

  test('differs between different texts', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (a, b) => {
        fc.pre(a !== b)
        expect(fingerprintOf({ ...REQUEST, text: a })).not.toBe(fingerprintOf({ ...REQUEST, text: b }))
      }),
    )
  })
})

describe('a menu as a request', () => {
  const context = { kind: 'permission' as const, subject: SUBJECT, instance: '3:1' }
  const menu = menuOf(['Yes', 'Yes, always', 'No'])
  const request = requestFromMenu(menu, context)

  test('does not depend on the selected row, its place or its time', () => {
    const moved = {
      ...menu,
      selected: 2,
      options: menu.options.map((option, index) => ({ ...option, selected: index === 2 })),
      rows: [1, 7] as [number, number],
      live: { proofs: ['pointer'], since: 99, afterInput: false },
      hash: 'other',
    }
    expect(requestFromMenu(moved, { ...context, instance: '9:9' }).fingerprint).toBe(request.fingerprint)
  })

  test('changes with body, question, title, options or directory', () => {
    const others = [
      requestFromMenu({ ...menu, body: ['$ npm test '] }, context),
      requestFromMenu({ ...menu, question: 'May I run that?' }, context),
      requestFromMenu({ ...menu, title: 'Edit' }, context),
      requestFromMenu(menuOf(['Yes', 'No', 'Yes, always']), context),
      requestFromMenu(menu, { ...context, subject: { ...SUBJECT, cwd: '/elsewhere' } }),
      requestFromMenu(menu, { ...context, subject: { ...SUBJECT, subAgent: 'x' } }),
    ]
    for (const other of others) expect(other.fingerprint).not.toBe(request.fingerprint)
    expect(new Set(others.map(other => other.fingerprint)).size).toBe(others.length)
  })

  test('offers every option with its exact label', () => {
    expect(request.request.options.map(({ label, meaning }) => [label, meaning])).toEqual([
      ['Yes', 'allow-once'],
      ['Yes, always', 'allow-once'],
      ['No', 'deny'],
    ])
    expect(request).toMatchObject({
      menuHash: menu.hash,
      instance: '3:1',
      source: { channel: 'screen', requestKey: '3:1' },
      risk: { level: 'low' },
    })
  })

  test('is a high risk if it has hidden characters, and shows them', () => {
    const hidden = requestFromMenu({ ...menu, body: ['$ echo \u202egnp.exe'] }, context)
    expect(hidden.risk).toMatchObject({
      level: 'high',
      reasons: [expect.stringContaining('hidden characters')],
    })
    expect(hidden.display.findings.length).toBeGreaterThan(0)
    expect(JSON.stringify(hidden.display)).not.toContain('\u202e')
  })

  test('surveys and pickers are not requests; a login is shown, not decided', () => {
    expect(approvalKindOf(menu)).toBe('permission')
    expect(approvalKindOf({ ...menu, kind: 'plan' })).toBe('plan')
    expect(approvalKindOf({ ...menu, kind: 'auth' })).toBe('auth')
    expect(approvalKindOf({ ...menu, kind: 'survey' })).toBeNull()
    expect(approvalKindOf({ ...menu, kind: 'picker' })).toBeNull()
    expect(approvalKindOf({ ...menu, origin: 'user' })).toBeNull()
    for (const kind of [
      'question',
      'trust',
      'api_key',
      'update',
      'limit',
      'resume',
      'confirm',
      'input',
      'other',
    ] as const) {
      expect(approvalKindOf({ ...menu, kind })).toBe('question')
    }
  })
})
