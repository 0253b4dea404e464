import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { requestFromMenu } from './request-from-menu.js'
import { realPathOf, requestFromReport } from './request-from-report.js'
import { menuOf, reportedOf, SUBJECT } from './testing/fixtures.js'

describe('the request of a report', () => {
  test('has the options allow once and deny if the channel has none', () => {
    expect(reportedOf().request.options.map(({ key, meaning, from }) => [key, meaning, from])).toEqual([
      ['allow', 'allow-once', 'signalbox'],
      ['deny', 'deny', 'signalbox'],
    ])
  })

  test('keeps the options of the channel, and marks those that allow more than once', () => {
    const options = [
      { key: 'once', label: 'Once', meaning: 'allow-once' as const },
      { key: 'always', label: 'Always', meaning: 'allow-always' as const },
    ]
    expect(reportedOf({ options }).request.options).toMatchObject([{ danger: null }, { danger: expect.any(String) }])
  })

  test('separates the options of several questions', () => {
    const questions = [
      { text: 'One?', multi: false, options: [{ label: 'Yes' }, { label: 'No' }] },
      { text: 'Two?', multi: true, header: 'Second', options: [{ label: 'Yes' }] },
    ]
    const request = reportedOf({ tool: 'AskUserQuestion', input: { questions }, questions })
    expect(request.kind).toBe('question')
    expect(request.request.options.map(({ key, question }) => [key, question])).toEqual([
      ['0:Yes', 0],
      ['0:No', 0],
      ['1:Yes', 1],
    ])
    expect(request.request.questions[1]).toEqual({ text: 'Two?', multi: true, header: 'Second' })
  })

  test('has a fingerprint of the whole request, and one without the session', () => {
    const here = reportedOf()
    const there = reportedOf({}, { session: 'ses_2' })
    expect(there.fingerprint).not.toBe(here.fingerprint)
    expect(there.sharedFingerprint).toBe(here.sharedFingerprint)
    for (const other of [
      reportedOf({ input: { command: 'npm tesт' } }),
      reportedOf({ tool: 'bash' }),
      reportedOf({ subAgent: 'x' }),
      reportedOf({ launch: 'a'.repeat(64) }),
      reportedOf({}, { cwd: '/p/x' }),
    ])
      expect(other.sharedFingerprint).not.toBe(here.sharedFingerprint)
    expect(reportedOf({ requestKey: 'other', toolUseId: 'x', turn: 'y' }).fingerprint).toBe(here.fingerprint)
    const withMenu = reportedOf({ options: [{ key: 'Yes', label: 'Yes', meaning: 'allow-once' }] })
    expect(withMenu.fingerprint).not.toBe(here.fingerprint)
    expect(withMenu.sharedFingerprint).toBe(here.sharedFingerprint)
  })

  test('is refused for a lone surrogate', () => {
    expect(() => reportedOf({ input: { command: '\ud800' } })).toThrow('surrogate')
  })
})

describe('the real path of a request', () => {
  let directory: string
  beforeEach(() => {
    directory = realpathSync(mkdtempSync(join(tmpdir(), 'signalbox-real-')))
    mkdirSync(join(directory, 'project'))
    mkdirSync(join(directory, 'outside'))
    symlinkSync(join(directory, 'outside'), join(directory, 'project', 'link'))
  })
  afterEach(() => rmSync(directory, { recursive: true, force: true }))

  test('follows links as far as the path exists', () => {
    expect(realPathOf(join(directory, 'project', 'link', 'new', 'file'))).toBe(
      join(directory, 'outside', 'new', 'file'),
    )
    expect(realPathOf(join(directory, 'project', 'new'))).toBe(join(directory, 'project', 'new'))
    expect(realPathOf('/no/such/place')).toBe('/no/such/place')
  })

  test('makes a write outside the project a high risk, and is shown', () => {
    const project = join(directory, 'project')
    const request = requestFromReport(
      { channel: 'hook', requestKey: 'k', tool: 'Write', input: { file_path: 'link/x', content: '' } },
      { subject: { ...SUBJECT, project, cwd: project }, home: '/home/ada' },
    )
    expect(request.risk).toMatchObject({
      level: 'high',
      reasons: [expect.stringContaining(`really ${directory}/outside/x`)],
    })
    expect(request.request.targets).toMatchObject([{ path: 'link/x', real: join(directory, 'outside', 'x') }])
  })
})

describe('the request of a menu', () => {
  const context = { kind: 'permission' as const, subject: SUBJECT, instance: '3:1', home: '/home/ada' }
  const riskOf = (fields: Parameters<typeof menuOf>[1]) => requestFromMenu(menuOf(['Yes', 'No'], fields), context).risk

  test('is rated by the tool use that the menu clearly shows', () => {
    expect(riskOf({ body: ['$ npm test'] }).level).toBe('low')
    expect(riskOf({ body: ['$ rm -rf /'] }).level).toBe('high')
    expect(riskOf({ body: ['npm test', 'Runs the tests'] })).toMatchObject({ level: 'elevated' })
    expect(riskOf({ body: ['x'], tool: { name: 'Read', kind: 'read', summary: '', path: '/p/a' } }).level).toBe('low')
    expect(riskOf({ body: ['x'], tool: { name: 'Edit', kind: 'edit', summary: '', path: '/etc/a' } }).level).toBe(
      'high',
    )
    expect(riskOf({ body: ['$ npm test'], more: { above: false, below: true } }).level).toBe('elevated')
  })

  test('can only be decided by a person if it is about trust, accounts, updates or money', () => {
    for (const kind of ['trust', 'api_key', 'update', 'limit', 'confirm', 'other'] as const)
      expect(requestFromMenu(menuOf(['Yes', 'No'], { kind }), { ...context, kind: 'question' }).neverAuto).toBeDefined()
    expect(requestFromMenu(menuOf(['Yes', 'No']), context).neverAuto).toBeUndefined()
    expect(requestFromMenu(menuOf(['Yes', 'No'], { danger: ['never-auto'] }), context).neverAuto).toBeDefined()
  })

  test('takes a text where the menu has a field, but never a secret', () => {
    const field = { option: null, value: '', placeholder: '', secret: false }
    const freeText = (fields: Parameters<typeof menuOf>[1], labels = ['Yes']) =>
      requestFromMenu(menuOf(labels, fields), context).request.freeText
    expect(freeText({})).toBe('none')
    expect(freeText({ text: field })).toBe('optional')
    expect(freeText({ text: field }, [])).toBe('required')
    expect(freeText({ text: { ...field, secret: true } })).toBe('none')
  })
})
