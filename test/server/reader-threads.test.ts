import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { PACKAGE_ROOT } from '../../src/process/index.js'
import { TestServer, until } from './support.js'

/*
 * Terminals that are read in threads, with a reader that hangs: a rule of the person's own pack
 * needs hours for one row of the screen.
 */

const HANGING_RULE = `
[[rule]]
id = "hangs"
view = "thinking"
region = "screen"
line = '(?:x|xx|xxx)+y$'
busy = true
`

let server: TestServer
beforeAll(async () => {
  server = await TestServer.start()
  const packs = join(server.directory, 'home', 'config', 'packs', 'demo')
  mkdirSync(packs, { recursive: true })
  const shipped = readFileSync(join(PACKAGE_ROOT, 'packs', 'demo', 'demo.toml'), 'utf8')
  writeFileSync(join(packs, 'demo.toml'), `${shipped}${HANGING_RULE}`)
  await server.api.close()
  await server.host.close()
  await server.open({ config: '[terminal]\nthreads = 1\n[agents.demo]\nhooks = false\n' })
})
afterAll(() => server.close())

const start = (agent: string | null, args: string[]) =>
  server.host.startSession({
    agent,
    args,
    cwd: server.work,
    terminal: null,
    size: { cols: 120, rows: 24 },
    person: 'local',
    label: null,
    resume: null,
  })

const type = (id: string, text: string) =>
  server.ask('POST', `/api/v1/sessions/${id}/keys`, { as: 'token', body: { text } })

async function screenHas(id: string, text: string): Promise<void> {
  await until(async () => {
    const { json } = await server.ask('GET', `/api/v1/sessions/${id}/screen`, { as: 'token' })
    return json.lines?.some((line: string) => line.includes(text)) === true
  }, 120_000)
}

async function losses(id: string): Promise<{ isCause: boolean; isReadAgain: boolean }[]> {
  const events = await server.host.store.readStream('host')
  return events
    .filter(({ type: name, data }) => name === 'reader.lost' && data.session === id)
    .map(({ data }) => ({ isCause: data.isCause as boolean, isReadAgain: data.isReadAgain as boolean }))
}

const readers = async () => (await server.ask('GET', '/api/v1/health', { as: 'token' })).json.readers

test('a terminal whose reader hangs delays the others once, and is given up when it hangs again', async () => {
  const other = await start(null, ['/bin/sh', '-c', 'echo ready; while read word; do echo "got $word"; done'])
  const bad = await start('demo', [])
  await screenHas(other.id, 'ready')
  await screenHas(bad.id, 'Ask me')
  expect((await readers()).threads).toBeGreaterThan(0)

  await type(bad.id, 'x'.repeat(100))
  await until(async () => (await losses(bad.id)).length > 0, 120_000)
  expect(await losses(bad.id)).toEqual([{ isCause: true, isReadAgain: true }])
  // The daemon answers while the thread hangs, and the other session continues where it was.
  await type(other.id, 'one\r')
  await screenHas(other.id, 'got one')
  expect(await losses(other.id)).toEqual([{ isCause: false, isReadAgain: true }])

  await until(async () => (await losses(bad.id)).length > 1, 120_000)
  expect((await losses(bad.id))[1]).toEqual({ isCause: true, isReadAgain: false })
  const events = await server.host.store.readStream(`session/${bad.id}`)
  expect(events.filter(({ type: name }) => name === 'session.noticed').map(({ data }) => data.kind)).toEqual([
    'unreadable',
  ])
  await type(other.id, 'two\r')
  await screenHas(other.id, 'got two')
  expect(await losses(other.id)).toHaveLength(1)
  expect((await readers()).failures).toBe(2)
  // The agent continues, and its end is seen.
  await server.host.keeper.signal(bad.id, 'SIGKILL')
  await until(async () => (await server.host.record(bad.id)).state === 'ended', 120_000)
}, 180_000)

test('a terminal is read in a thread without a setting, and a thread is shared by four sessions', async () => {
  await server.api.close()
  await server.host.close()
  await server.open({ config: '' })
  const cores = availableParallelism()
  const echo = () => start(null, ['/bin/sh', '-c', 'echo ready; read word'])
  const first = await Promise.all([1, 2, 3, 4].map(echo))
  for (const { id } of first) await screenHas(id, 'ready')
  expect((await readers()).threads).toBe(Math.min(1, cores - 1))
  const fifth = await echo()
  await screenHas(fifth.id, 'ready')
  expect((await readers()).threads).toBe(Math.min(2, cores - 1))
  for (const { id } of [...first, fifth]) await server.host.keeper.signal(id, 'SIGKILL')
}, 180_000)
