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
    expect(joinReports([structured({}, { state: 'decided' })], menu(['$ rm -rf /']))).toEqual({ do: 'wait' })
    expect(joinReports([structured({}, { state: 'decided' })], menu(['Sure?']))).toEqual({ do: 'wait' })
  })

  test('that shows a decided request may join it', () => {
    const open = structured({}, { state: 'decided' })
    expect(joinReports([open], menu(['$ npm run build:all']))).toMatchObject({ do: 'join', id: open.id })
  })

  test('about something else raises no second request while one is open', () => {
    const open = structured()
    expect(joinReports([open], menu(['Do you trust this folder?'], { kind: 'trust' }))).toEqual({ do: 'wait' })
    const choices = menuOf(['Red', 'Blue']).options
    expect(joinReports([open], menu(['Which one?'], { kind: 'question', options: choices }))).toEqual({ do: 'wait' })
    expect(joinReports([open], { ...menu(['Which one?'], { kind: 'question' }), isOwnQuestion: true })).toEqual({
      do: 'new',
    })
  })

  test('that shows nothing of the only open request joins it as a guess', () => {
    const open = structured()
    const guess = { do: 'join', id: open.id, by: 'menu', isGuess: true }
    expect(joinReports([open], menu([]))).toEqual(guess)
    expect(joinReports([open], menu([], { kind: 'question', question: '' }))).toEqual(guess)
    expect(joinReports([open, structured()], menu([]))).toEqual({ do: 'wait' })
  })

  test('joins the only request of which it shows a part as a guess', () => {
    const script = Array.from({ length: 60 }, (_, n) => `echo this is line ${n}`).join('\n')
    const long = structured({ input: { command: script } })
    const other = structured({ input: { command: 'npm test' } })
    const guess = { do: 'join', id: long.id, by: 'menu', isGuess: true }
    expect(joinReports([other, long], menu(['echo this is line 41', '⋮ 23 more rows']))).toEqual(guess)
  })

  test('of a tool without a command joins by the names and the values that it shows', () => {
    const release = structured({ tool: 'mcp__deploy__release', input: { environment: 'staging', force: true } })
    const other = structured({ tool: 'mcp__deploy__rollback', input: {} })
    const shown = menu(['deploy - release(environment: "staging", force: true) (MCP)'])
    expect(joinReports([release, other], shown)).toEqual({ do: 'join', id: release.id, by: 'menu' })
    const bare = menu(['deploy - release (MCP)'])
    expect(joinReports([release, other], bare)).toEqual({ do: 'join', id: release.id, by: 'menu', isGuess: true })
  })

  test('of two requests with the same path and different content belongs to neither', () => {
    const edits = ['a', 'b'].map(text => structured({ tool: 'Write', input: { file_path: '/p/src/x.ts', text } }))
    expect(joinReports(edits, menu(['src/x.ts']))).toEqual({ do: 'wait' })
    const equal = ['a', 'a'].map(text => structured({ tool: 'Write', input: { file_path: '/p/src/x.ts', text } }))
    expect(joinReports(equal, menu(['src/x.ts']))).toEqual({ do: 'join', id: equal[0]!.id, by: 'menu' })
  })

  test('of a longer command does not join a shorter one that it happens to contain', () => {
    const [list, all] = ['ls', 'ls -la src'].map(command => structured({ input: { command } }))
    expect(joinReports([list!, all!], menu(['$ ls -la src']))).toEqual({ do: 'join', id: all!.id, by: 'menu' })
    expect(joinReports([list!], menu(['Deletes all files?']))).not.toEqual({ do: 'join', id: list!.id, by: 'menu' })
  })

  test('drawn again in another size stays with its request', () => {
    const open = structured({}, { menuHash: 'narrow' })
    const join = joinReports([open], { ...menu(['⋮ 2 more rows']), shownBefore: open.id })
    expect(join).toEqual({ do: 'join', id: open.id, by: 'menu', isGuess: true })
  })

  test('does not join a request that has a menu', () => {
    expect(joinReports([structured({}, { menuHash: 'there' })], menu(['$ npm run build:all']))).toEqual({ do: 'new' })
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

  test('replaces the request on screen that shows nothing of it, unless that clearly shows another', () => {
    const record = onScreen('pending')
    const shows = (body: string[]) => report({ onScreen: { id: record.id, menu: menu(body).menu } })
    expect(joinReports([record], { ...shows([]), input: { command: 'make' } })).toEqual({
      do: 'replace',
      id: record.id,
      isGuess: true,
    })
    expect(joinReports([record], { ...shows(['$ npm start']), input: { command: 'make' } })).toEqual({ do: 'new' })
  })

  test('is not answered by a decision about a dialog that did not show it', () => {
    const record = onScreen('decided')
    const late = report({ input: { command: 'make' }, onScreen: { id: record.id, menu: menu([]).menu } })
    expect(joinReports([record], late)).toEqual({ do: 'known', id: record.id })
  })
})

describe('blocked requests', () => {
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
