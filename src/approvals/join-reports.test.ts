import { describe, expect, test } from 'vitest'
import { blockersOf } from './blocked-requests.js'
import { joinReports, type MenuReport, type ReportedRequest } from './join-reports.js'
import type { ApprovalRecord } from './record.js'
import { requestFromReport, type StructuredReport } from './request-from-report.js'
import { menuOf, recordOf, SUBJECT } from './testing/fixtures.js'

let count = 0

function structured(report: Partial<StructuredReport> = {}, fields: Partial<ApprovalRecord> = {}): ApprovalRecord {
  const request = requestFromReport(
    {
      channel: 'hook',
      requestKey: `k${++count}`,
      tool: 'Bash',
      input: { command: 'npm run build:all' },
      turn: 't1',
      ...report,
    },
    { subject: SUBJECT, home: '/home/ada', realPath: path => path },
  )
  return recordOf({ ...request, menuPrint: undefined as never, id: `apr_${count}`, ...fields })
}

function report(fields: Partial<ReportedRequest> = {}): ReportedRequest {
  return {
    channel: 'transcript',
    requestKey: 'r1',
    session: 'ses_1',
    tool: 'Bash',
    input: { command: 'npm run build:all' },
    turn: 't1',
    ...fields,
  }
}

function menu(body: string[], fields: Partial<MenuReport['menu']> = {}): MenuReport {
  return {
    channel: 'screen',
    requestKey: '3:1',
    session: 'ses_1',
    menu: { ...menuOf(['Yes', 'No'], { body }), ...fields },
  }
}

describe('reports of one request', () => {
  test('with the same key are joined, also when the relay repeats one', () => {
    const open = structured({ requestKey: 'same' })
    expect(joinReports([open], report({ channel: 'hook', requestKey: 'same' }))).toEqual({ do: 'known', id: open.id })
  })

  test('with the same id of the agent are joined, whatever else differs', () => {
    const open = structured({ toolUseId: 'toolu_1' })
    expect(joinReports([structured(), open], report({ toolUseId: 'toolu_1', input: { command: 'other' } }))).toEqual({
      do: 'join',
      id: open.id,
      by: 'id',
    })
  })

  test('with the same tool and input in the same turn are joined, in any order of fields', () => {
    const open = structured({ input: { command: 'x', timeout: 1 } })
    expect(joinReports([open], report({ input: { timeout: 1, command: 'x' } }))).toEqual({
      do: 'join',
      id: open.id,
      by: 'input',
    })
    expect(joinReports([open], report({ input: { command: 'x' } }))).toEqual({ do: 'new' })
    expect(joinReports([open], report({ input: { timeout: 1, command: 'x' }, turn: 't2' }))).toEqual({ do: 'new' })
    expect(joinReports([open], report({ input: { timeout: 1, command: 'x' }, tool: 'Shell' }))).toEqual({ do: 'new' })
    expect(joinReports([open], report({ input: { timeout: 1, command: 'x' }, session: 'ses_2' }))).toEqual({
      do: 'new',
    })
    expect(joinReports([open], report({ input: { timeout: 1, command: 'x' }, subAgent: 'a' }))).toEqual({ do: 'new' })
  })

  test('of two equal requests of one channel, or with different ids, are not joined', () => {
    expect(joinReports([structured()], report({ channel: 'hook', requestKey: 'another' }))).toEqual({ do: 'new' })
    expect(joinReports([structured({ toolUseId: 'a' })], report({ toolUseId: 'b' }))).toEqual({ do: 'new' })
  })

  test('of the second of two equal requests join the second', () => {
    const first = structured({}, { joined: [{ channel: 'transcript', requestKey: 'r0' }] })
    const second = structured()
    expect(joinReports([first, second], report())).toMatchObject({ id: second.id })
  })

  test('of a closed request raise nothing', () => {
    const closed = structured({ requestKey: 'tool:1', toolUseId: 'toolu_1' }, { state: 'applied' })
    expect(joinReports([closed], report({ channel: 'hook' }))).toEqual({ do: 'known', id: closed.id })
    expect(joinReports([closed], report({ channel: 'hook', toolUseId: 'toolu_1' }))).toEqual({
      do: 'known',
      id: closed.id,
    })
    expect(joinReports([closed], report({ channel: 'hook', toolUseId: 'toolu_2' }))).toEqual({ do: 'new' })
    const told = { ...closed, joined: [{ channel: 'hook', requestKey: 'hook:1' }] }
    expect(joinReports([told], report({ channel: 'hook' }))).toEqual({ do: 'new' })
  })
})

describe('a menu on screen', () => {
  test('joins the request whose command it shows, with any line wraps', () => {
    const open = structured()
    for (const body of [
      ['$ npm run build:all'],
      ['Bash command', '  npm run', '  build:all', '  Builds it'],
      ['npm run bui', 'ld:all'],
    ])
      expect(joinReports([open], menu(body))).toEqual({ do: 'join', id: open.id, by: 'menu' })
  })

  test('joins the one request of several that it shows', () => {
    const [a, b] = [
      structured({ input: { command: 'npm run aaa' } }),
      structured({ input: { command: 'npm run bbb' } }),
    ]
    expect(joinReports([a, b], menu(['$ npm run bbb']))).toMatchObject({ do: 'join', id: b.id })
    expect(joinReports([a, b], menu(['$ npm run ccc']))).toEqual({ do: 'new' })
  })

  test('joins by a shortened path and by a truncated command', () => {
    const edit = structured({ tool: 'Edit', input: { file_path: '/p/src/deep/file.ts' } })
    expect(joinReports([edit], menu(['src/deep/file.ts']))).toMatchObject({ do: 'join', id: edit.id })
    const long = structured({ input: { command: `node script.mjs ${'--option value '.repeat(20)}` } })
    expect(joinReports([long], menu(['$ node script.mjs --option value --option value…']))).toMatchObject({
      id: long.id,
    })
    expect(joinReports([long], menu(['$ node script.mjs --option value --option other…']))).not.toMatchObject({
      do: 'join',
      mismatch: undefined,
    })
  })

  test('with another command than the only open request contradicts it', () => {
    const open = structured()
    const join = joinReports([open], menu(['$ rm -rf /']))
    expect(join).toEqual({
      do: 'join',
      id: open.id,
      by: 'menu',
      mismatch: 'the agent asks for npm run build:all, the menu shows rm -rf /',
    })
  })

  test('with another content never joins a decided request', () => {
    expect(joinReports([structured({}, { state: 'decided' })], menu(['$ rm -rf /']))).toEqual({ do: 'new' })
  })

  test('that shows a decided request may join it', () => {
    const open = structured({}, { state: 'decided' })
    expect(joinReports([open], menu(['$ npm run build:all']))).toMatchObject({ do: 'join', id: open.id })
  })

  test('about something else is a new request', () => {
    expect(joinReports([structured()], menu(['Do you trust this folder?'], { kind: 'trust' }))).toEqual({ do: 'new' })
    expect(joinReports([structured()], menu(['Which one?']))).toEqual({ do: 'new' })
  })

  test('does not join a request that has a menu', () => {
    expect(joinReports([structured({}, { menuPrint: 'there' })], menu(['$ npm run build:all']))).toEqual({ do: 'new' })
  })
})

describe('a report that comes after the screen', () => {
  const onScreen = (state: ApprovalRecord['state']) =>
    recordOf({ id: 'apr_screen', state, request: { ...recordOf().request, text: '$ npm run build:all\nMay I?' } })

  test('replaces a pending request of the screen, not a decided one', () => {
    expect(joinReports([onScreen('pending')], report())).toEqual({ do: 'replace', id: 'apr_screen' })
    expect(joinReports([onScreen('decided')], report())).toEqual({ do: 'join', id: 'apr_screen', by: 'menu' })
    expect(joinReports([onScreen('pending')], report({ input: { command: 'ls' } }))).toEqual({ do: 'new' })
  })
})

describe('blocked requests', () => {
  test('are those of the same session that need the screen', () => {
    const front = structured({}, { menuPrint: 'p' })
    const waiting = structured()
    const holding = structured({ can: ['hold'] })
    const elsewhere = structured({}, { subject: { ...SUBJECT, session: 'ses_2' } })
    const closed = structured({}, { state: 'applied' })
    expect([...blockersOf([waiting, front, holding, elsewhere, closed])]).toEqual([[waiting.id, front.id]])
    expect(blockersOf([waiting, holding]).size).toBe(0)
  })
})
