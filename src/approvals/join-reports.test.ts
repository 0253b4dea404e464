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
  return recordOf({ ...request, menuHash: undefined as never, id: `apr_${count}`, ...fields })
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
  test('are joined if they have the same key, also when the relay repeats one', () => {
    const open = structured({ requestKey: 'same' })
    expect(joinReports([open], report({ channel: 'hook', requestKey: 'same' }))).toEqual({ do: 'known', id: open.id })
  })

  test('are joined if they have the same agent id, whatever else differs', () => {
    const open = structured({ toolUseId: 'toolu_1' })
    expect(joinReports([structured(), open], report({ toolUseId: 'toolu_1', input: { command: 'other' } }))).toEqual({
      do: 'join',
      id: open.id,
      by: 'id',
    })
  })

  test('are joined if tool, input and turn are equal, in any order of fields', () => {
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

  test('are not joined if they come from one channel or have different ids', () => {
    expect(joinReports([structured()], report({ channel: 'hook', requestKey: 'another' }))).toEqual({ do: 'new' })
    expect(joinReports([structured({ toolUseId: 'a' })], report({ toolUseId: 'b' }))).toEqual({ do: 'new' })
  })

  test('are joined with the second of two equal requests if they belong to it', () => {
    const first = structured({}, { joined: [{ channel: 'transcript', requestKey: 'r0' }] })
    const second = structured()
    expect(joinReports([first, second], report())).toMatchObject({ id: second.id })
  })

  test('raise nothing if the request is closed', () => {
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

describe('the menu on screen', () => {
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
    expect(joinReports([a, b], menu(['$ npm run ccc']))).toEqual({ do: 'wait' })
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

  test('contradicts the only open request if it shows another command', () => {
    const open = structured()
    const join = joinReports([open], menu(['$ rm -rf /']))
    expect(join).toEqual({
      do: 'join',
      id: open.id,
      by: 'menu',
      mismatch: 'the agent asks for npm run build:all, the menu shows rm -rf /',
    })
  })

  test('does not join a decided request if its content differs', () => {
    expect(joinReports([structured({}, { state: 'decided' })], menu(['$ rm -rf /']))).toEqual({ do: 'wait' })
    expect(joinReports([structured({}, { state: 'decided' })], menu(['Sure?']))).toEqual({ do: 'wait' })
  })

  test('may join a decided request that it shows', () => {
    const open = structured({}, { state: 'decided' })
    expect(joinReports([open], menu(['$ npm run build:all']))).toMatchObject({ do: 'join', id: open.id })
  })

  test('raises no second request while another is open if it is about something else', () => {
    const open = structured()
    expect(joinReports([open], menu(['Do you trust this folder?'], { kind: 'trust' }))).toEqual({ do: 'wait' })
    const choices = menuOf(['Red', 'Blue']).options
    expect(joinReports([open], menu(['Which one?'], { kind: 'question', options: choices }))).toEqual({ do: 'wait' })
    expect(joinReports([open], { ...menu(['Which one?'], { kind: 'question' }), isOwnQuestion: true })).toEqual({
      do: 'new',
    })
  })

  test('joins the only open request as a guess if it shows nothing of it', () => {
    const open = structured()
    const guess = { do: 'join', id: open.id, by: 'menu', isGuess: true }
    expect(joinReports([open], menu([]))).toEqual(guess)
    expect(joinReports([open], menu([], { kind: 'question', question: '' }))).toEqual(guess)
    expect(joinReports([open, structured()], menu([]))).toEqual({ do: 'wait' })
  })

  test('joins a request as a guess if it shows a part of that one only', () => {
    const script = Array.from({ length: 60 }, (_, n) => `echo this is line ${n}`).join('\n')
    const long = structured({ input: { command: script } })
    const other = structured({ input: { command: 'npm test' } })
    const guess = { do: 'join', id: long.id, by: 'menu', isGuess: true }
    expect(joinReports([other, long], menu(['echo this is line 41', '⋮ 23 more rows']))).toEqual(guess)
  })

  test('joins a tool without a command by the names and values that it shows', () => {
    const release = structured({ tool: 'mcp__deploy__release', input: { environment: 'staging', force: true } })
    const other = structured({ tool: 'mcp__deploy__rollback', input: {} })
    const shown = menu(['deploy - release(environment: "staging", force: true) (MCP)'])
    expect(joinReports([release, other], shown)).toEqual({ do: 'join', id: release.id, by: 'menu' })
    const bare = menu(['deploy - release (MCP)'])
    expect(joinReports([release, other], bare)).toEqual({ do: 'join', id: release.id, by: 'menu', isGuess: true })
  })

  test('joins neither of two requests with the same path and different content', () => {
    const edits = ['a', 'b'].map(text => structured({ tool: 'Write', input: { file_path: '/p/src/x.ts', text } }))
    expect(joinReports(edits, menu(['src/x.ts']))).toEqual({ do: 'wait' })
    const equal = ['a', 'a'].map(text => structured({ tool: 'Write', input: { file_path: '/p/src/x.ts', text } }))
    expect(joinReports(equal, menu(['src/x.ts']))).toEqual({ do: 'join', id: equal[0]!.id, by: 'menu' })
  })

  test('does not join a shorter command that its longer command contains', () => {
    const [list, all] = ['ls', 'ls -la src'].map(command => structured({ input: { command } }))
    expect(joinReports([list!, all!], menu(['$ ls -la src']))).toEqual({ do: 'join', id: all!.id, by: 'menu' })
    expect(joinReports([list!], menu(['Deletes all files?']))).not.toEqual({ do: 'join', id: list!.id, by: 'menu' })
  })

  test('stays with its request when it is redrawn in another size', () => {
    const open = structured({}, { menuHash: 'narrow' })
    const join = joinReports([open], { ...menu(['⋮ 2 more rows']), shownBefore: open.id })
    expect(join).toEqual({ do: 'join', id: open.id, by: 'menu', isGuess: true })
  })

  test('does not join a request that already has a menu', () => {
    expect(joinReports([structured({}, { menuHash: 'there' })], menu(['$ npm run build:all']))).toEqual({ do: 'new' })
  })
})

describe('a report that arrives after the screen was read', () => {
  const onScreen = (state: ApprovalRecord['state']) =>
    recordOf({ id: 'apr_screen', state, request: { ...recordOf().request, text: '$ npm run build:all\nMay I?' } })

  test('replaces a pending request of the screen, but not a decided one', () => {
    expect(joinReports([onScreen('pending')], report())).toEqual({ do: 'replace', id: 'apr_screen' })
    expect(joinReports([onScreen('decided')], report())).toEqual({ do: 'join', id: 'apr_screen', by: 'menu' })
    expect(joinReports([onScreen('pending')], report({ input: { command: 'ls' } }))).toEqual({ do: 'new' })
  })

  test('replaces a request on screen that shows nothing of it, unless that shows another request', () => {
    const record = onScreen('pending')
    const shows = (body: string[]) => report({ onScreen: { id: record.id, menu: menu(body).menu } })
    expect(joinReports([record], { ...shows([]), input: { command: 'make' } })).toEqual({
      do: 'replace',
      id: record.id,
      isGuess: true,
    })
    expect(joinReports([record], { ...shows(['$ npm start']), input: { command: 'make' } })).toEqual({ do: 'new' })
  })

  test('is not answered by a decision on a dialog that did not show it', () => {
    const record = onScreen('decided')
    const late = report({ input: { command: 'make' }, onScreen: { id: record.id, menu: menu([]).menu } })
    expect(joinReports([record], late)).toEqual({ do: 'known', id: record.id })
  })
})

describe('the requests that a menu blocks', () => {
  test('are those of the same session that need the screen', () => {
    const front = structured({}, { menuHash: 'p' })
    const waiting = structured()
    const holding = structured({ can: ['hold'] })
    const elsewhere = structured({}, { subject: { ...SUBJECT, session: 'ses_2' } })
    const closed = structured({}, { state: 'applied' })
    expect([...blockersOf([waiting, front, holding, elsewhere, closed])]).toEqual([[waiting.id, front.id]])
    expect(blockersOf([waiting, holding]).size).toBe(0)
  })
})
