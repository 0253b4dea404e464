import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { SimulatedClock } from '../clock/index.js'
import { People } from '../people/index.js'
import type { EventStore } from '../store/index.js'
import { openTestStore } from '../store/testing/open-test-store.js'
import { SharedPeople } from './shared-people.js'

const clock = new SimulatedClock()
let directory: string
let store: EventStore

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'signalbox-people-'))
  store = await openTestStore({ path: join(directory, 'store.db'), clock })
})
afterEach(async () => {
  await store.close()
  rmSync(directory, { recursive: true, force: true })
})

function server(name: string) {
  const config = join(directory, name)
  mkdirSync(config, { recursive: true })
  const people = new People(config)
  const log = () => undefined
  const onError = (error: unknown) => {
    throw error
  }
  const files = { file: join(config, 'people.json'), syncedFile: join(config, 'synced.json') }
  return { config, people, shared: new SharedPeople({ store, clock, people, ...files, log, onError }) }
}

const names = ({ people }: ReturnType<typeof server>) => people.all().map(({ name, telegram }) => [name, ...telegram])

test('a person who is paired or unpaired on one server is so on the others', async () => {
  const [a, b] = [server('a'), server('b')]
  a.people.pair(4711, { name: 'Ada', role: 'owner' })
  for (const { shared } of [a, b]) await shared.sync()
  expect(names(b)).toEqual([['Ada', 4711]])
  b.people.unpair(4711)
  for (const { shared } of [b, a]) await shared.sync()
  expect(names(a)).toEqual([['Ada']])
})

test('a change that was made while the server was stopped takes effect', async () => {
  const [a, b] = [server('a'), server('b')]
  a.people.pair(1, { name: 'Ada', role: 'owner' })
  for (const { shared } of [a, b]) await shared.sync()
  const again = server('a')
  again.people.unpair(1)
  for (const { shared } of [again, b]) await shared.sync()
  expect(names(b)).toEqual([['Ada']])
})

test('the version in the store wins over a conflicting file, which is kept', async () => {
  const [a, b] = [server('a'), server('b')]
  a.people.pair(1, { name: 'Ada', role: 'owner' })
  b.people.pair(2, { name: 'Bo', role: 'viewer' })
  for (const { shared } of [a, b]) await shared.sync()
  expect(names(b)).toEqual([['Ada', 1]])
  expect(readdirSync(b.config)).toContain('people.json.before-1')
})

test('a file of people that cannot be read is not replaced', async () => {
  const [a, b] = [server('a'), server('b')]
  a.people.pair(1, { name: 'Ada', role: 'owner' })
  await a.shared.sync()
  writeFileSync(join(b.config, 'people.json'), 'not JSON')
  await expect(b.shared.sync()).rejects.toMatchObject({ code: 'E_CONFIG' })
})
