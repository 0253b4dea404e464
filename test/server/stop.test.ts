import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { TestServer, until } from './support.js'

let server: TestServer
beforeAll(async () => {
  server = await TestServer.start()
})
afterAll(() => server.close())

/** A program that says when it is ready, and notes when it is asked to end instead of ending. */
async function stubborn(note: string): Promise<string> {
  const { id } = await server.host.startSession({
    agent: null,
    args: ['/bin/sh', '-c', `trap 'touch ${note}' TERM; echo ready; while :; do sleep 0.1; done`],
    cwd: server.work,
    terminal: null,
    size: { cols: 80, rows: 24 },
    person: 'local',
    label: null,
    resume: null,
  })
  const live = server.host.live(id)!
  await until(async () => {
    await live.settled()
    return live.frame?.lines.some(line => line.text.includes('ready'))
  })
  return id
}

test('a session that is given no time to end is killed at once; one that is given some is asked first', async () => {
  const [unasked, asked] = ['unasked', 'asked'].map(name => join(server.work, name)) as [string, string]
  const stop = (id: string, graceMs: number) =>
    server.ask('POST', `/api/v1/sessions/${id}/stop`, { as: 'token', body: { graceMs } })
  const first = await stop(await stubborn(unasked), 0)
  expect(first.json.state).toBe('ended')
  expect(existsSync(unasked)).toBe(false)
  const second = await stop(await stubborn(asked), 1_000)
  expect(second.json.state).toBe('ended')
  expect(existsSync(asked)).toBe(true)
})
