import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { TestServer, until } from './support.js'

let server: TestServer
beforeAll(async () => {
  server = await TestServer.start()
})
afterAll(() => server.close())

/** A program that prints "ready", and writes a file before it ends on SIGTERM. */
async function start(note: string): Promise<string> {
  const { id } = await server.host.startSession({
    agent: null,
    args: ['/bin/sh', '-c', `trap 'touch ${note}; exit' TERM; echo ready; while :; do sleep 0.1; done`],
    cwd: server.work,
    terminal: null,
    size: { cols: 80, rows: 24 },
    person: 'local',
    label: null,
    resume: null,
  })
  const live = server.host.local(id)!
  await until(async () => {
    await live.effectsDone()
    return live.frame?.lines.some(line => line.text.includes('ready'))
  })
  return id
}

test('stopping a session kills it at once, or sends SIGTERM first if there is a grace period', async () => {
  const [unasked, asked] = ['unasked', 'asked'].map(name => join(server.work, name)) as [string, string]
  const stop = (id: string, graceMs: number) =>
    server.ask('POST', `/api/v1/sessions/${id}/stop`, { as: 'token', body: { graceMs } })
  const first = await stop(await start(unasked), 0)
  expect(first.json.state).toBe('ended')
  expect(existsSync(unasked)).toBe(false)
  const second = await stop(await start(asked), 60_000)
  expect(second.json.state).toBe('ended')
  expect(existsSync(asked)).toBe(true)
})
