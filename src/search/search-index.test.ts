import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { EventStore, StoredEvent } from '../store/index.js'
import { SearchIndex } from './search-index.js'

let directory: string
let index: SearchIndex
let position: number
const store = { id: 'store_1' } as EventStore
const open = (of = store) => SearchIndex.open(join(directory, 'search.db'), of, error => expect(error).toBeNull())

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'signalbox-search-'))
  position = 0
  index = await open()
})
afterEach(() => {
  index.close()
  rmSync(directory, { recursive: true, force: true })
})

const event = (stream: string, type: string, data: object): StoredEvent =>
  ({ stream, type, data, position: ++position, version: position, at: position * 1000 }) as unknown as StoredEvent
const started = (id: string, project: string) =>
  event(`session/${id}`, 'session.started', {
    agent: 'demo',
    project,
    cwd: project,
    args: [],
    label: 'my label',
    pid: 1,
    size: { cols: 80, rows: 24 },
    person: 'ada',
    number: 1,
    recording: 'x.cast',
    owner: 'daemon',
  })
const message = (id: string, name: string, markdown: string, blocks: object[] = []) =>
  event(`session/${id}`, 'message.final', { session: id, turn: 't', message: name, markdown, blocks })
const find = (words: string, more: object = {}) => index.find({ words, limit: 10, ...more })

test('the index finds prompts, messages, commands and files by words, newest first', () => {
  const tool = { kind: 'tool_call', tool: { name: 'Shell', kind: 'shell', summary: 'x', command: 'npm test --silent' } }
  index.add([
    started('ses_a', '/work/shop'),
    event('session/ses_a', 'turn.opened', { session: 'ses_a', turn: 't', prompt: 'Fix the Größe of discounts' }),
    message('ses_a', 'm1', 'The discount is rounded in src/cart.js.', [tool]),
  ])
  expect(find('discount').map(({ kind }) => kind)).toEqual(['message', 'prompt'])
  expect(find('grosse')).toEqual([])
  expect(find('große')).toHaveLength(1)
  expect(find('größe')[0]).toMatchObject({ kind: 'prompt', session: 'ses_a', project: '/work/shop' })
  expect(find('npm test')[0]).toMatchObject({ kind: 'message' })
  expect(find('src/cart.js').map(({ kind }) => kind)).toEqual(['message'])
  expect(find('"rounded in"')).toHaveLength(1)
  expect(find('"in rounded"')).toEqual([])
  expect(find('disc')).toHaveLength(2)
  expect(find('disc ')).toEqual([])
  expect(find('label')[0]).toMatchObject({ kind: 'session', title: 'my label' })
  expect(find('cart')[0]!.excerpt).toContain('src/cart.js')
})

test('the index filters by kind, session, project and time, and pages by number', () => {
  index.add([started('ses_a', '/a'), started('ses_b', '/b')])
  for (let n = 0; n < 30; n++) index.add([message(n % 2 ? 'ses_a' : 'ses_b', `m${n}`, `common word ${n}`)])
  expect(find('common', { session: 'ses_a', limit: 100 })).toHaveLength(15)
  expect(find('common', { project: '/b', limit: 100 })).toHaveLength(15)
  expect(find('common', { kinds: ['prompt', 'run'] })).toEqual([])
  expect(find('common', { kinds: ['message'], since: 32_000 })).toHaveLength(1)
  const first = find('common', { limit: 20 })
  const rest = find('common', { limit: 20, before: first.at(-1)!.id })
  expect(new Set([...first, ...rest].map(({ id }) => id)).size).toBe(30)
})

test('the query language of the index is treated as text', () => {
  index.add([started('ses_a', '/a'), message('ses_a', 'm', 'say "NEAR" (or not) AND text:x')])
  for (const words of ['"NEAR" (or', 'AND text:x', 'not)', "x' OR 1=1"]) expect(() => find(words), words).not.toThrow()
  expect(find('text:x')).toHaveLength(1)
  expect(() => find('  ()* ')).toThrow('no words')
})

test('the index keeps only the last version of a message, and no entry of a removed session', () => {
  index.add([started('ses_a', '/a'), message('ses_a', 'm', 'first version'), message('ses_a', 'm', 'second version')])
  expect(find('version').map(({ excerpt }) => excerpt)).toEqual(['second version'])
  index.add([event('session/ses_a', 'session.forgotten', {})])
  expect([...find('version'), ...find('label')]).toEqual([])
})

test('the index is kept over restarts, and rebuilt if it is damaged or belongs to another store', async () => {
  index.add([started('ses_a', '/a')])
  index.close()
  index = await open()
  expect(find('label')).toHaveLength(1)
  index.close()
  index = await open({ id: 'store_2' } as EventStore)
  expect(find('label')).toEqual([])
  index.close()
  writeFileSync(join(directory, 'search.db'), 'not a database, '.repeat(400))
  index = await open({ id: 'store_2' } as EventStore)
  expect(find('label')).toEqual([])
})
