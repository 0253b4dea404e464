import { expect, test } from 'vitest'
import { isCovered } from './grants.js'
import type { ApprovalRecord, ApprovalRequest } from './record.js'
import { requestFromReport } from './request-from-report.js'
import { previewStanding, standingGrant } from './standing.js'

const ADA = { by: { kind: 'person', id: 'ada', name: 'Ada', role: 'owner' }, surface: 'cli' } as const
const DAY = 24 * 3_600_000
const NOW = 100 * DAY

function request(tool: string, input: object, subject: object = {}): ApprovalRequest {
  return requestFromReport(
    { channel: 'hook', requestKey: 'k', tool, input },
    {
      subject: {
        agent: 'claude',
        agentVersion: '2.1.0',
        session: 's',
        project: '/p',
        cwd: '/p',
        hostName: 'h',
        ...subject,
      },
      home: '/home/ada',
      realPath: path => path,
    },
  )
}
const bash = (command: string, subject?: object) => request('Bash', { command }, subject)
const prefix = (...words: string[]) =>
  standingGrant({ project: '/p', agent: null, match: { kind: 'prefix', words } }, ADA)
const covers = (made: ReturnType<typeof prefix>, asked: ApprovalRequest, now = NOW) =>
  isCovered(asked, { ...made, id: 'grt_1', version: 1, madeAt: NOW, uses: 1_000 }, now)

test('a standing approval covers its pattern in its project for every agent and version', () => {
  const made = prefix('npm', 'test')
  expect(covers(made, bash('npm test'))).toBe(true)
  expect(covers(made, bash('npm test --silent', { agent: 'codex', agentVersion: '9' }), NOW + 3_000 * DAY)).toBe(true)
  expect(covers(made, bash('npm testing'))).toBe(false)
  expect(covers(made, bash('npm test', { project: '/q' }))).toBe(false)
  expect(covers(made, bash('npm test; rm -rf /'))).toBe(false)
  expect(covers(made, bash('npm test > $(id)'))).toBe(false)
})

test('a standing approval may be limited to one agent, or to the files below a directory', () => {
  const codex = standingGrant({ project: '/p', agent: 'codex', match: { kind: 'prefix', words: ['npm', 'test'] } }, ADA)
  expect([covers(codex, bash('npm test')), covers(codex, bash('npm test', { agent: 'codex' }))]).toEqual([false, true])
  const docs = standingGrant({ project: '/p', agent: null, match: { kind: 'path', directory: '/p/docs' } }, ADA)
  const edit = (path: string) => request('Edit', { file_path: path, old_string: 'a', new_string: 'b' })
  expect([covers(docs, edit('/p/docs/a.md')), covers(docs, edit('/p/src/a.ts'))]).toEqual([true, false])
})

test('a standing approval covers no high risk, and cannot have a pattern that covers everything', () => {
  const risky = bash('rm -rf /p/build')
  expect(risky.risk.level).toBe('high')
  expect(covers(prefix('rm', '-rf'), risky)).toBe(false)
  expect(() => prefix('npm')).toThrow('would allow every command')
  expect(() => prefix('npm', 'test;id')).toThrow('plain words')
  const outside = { project: '/p', agent: null, match: { kind: 'path', directory: '/etc' } } as const
  expect(() => standingGrant(outside, ADA)).toThrow('outside the project')
})

test('a preview lists the requests that would have been covered, and counts denied ones', () => {
  const record = (id: string, asked: ApprovalRequest, at: number, option?: string) =>
    ({ ...asked, id, requestedAt: at, ...(option && { decision: { option } }) }) as unknown as ApprovalRecord
  const asked = bash('npm test')
  const deny = asked.request.options.find(({ meaning }) => meaning.startsWith('deny'))!
  const records = [
    record('old', asked, NOW - 40 * DAY),
    record('one', asked, NOW - 2 * DAY, deny.key),
    record('two', asked, NOW - DAY),
    record('other', bash('npm publish'), NOW - DAY),
  ]
  const preview = previewStanding(prefix('npm', 'test'), records, { now: NOW, since: NOW - 30 * DAY })
  expect([preview.covered.map(({ id }) => id), preview.denied]).toEqual([['two', 'one'], 1])
})
