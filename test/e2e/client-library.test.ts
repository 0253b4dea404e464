import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connect, SignalboxApiError } from '../../src/client/index.js'
import { ROOT, TestHome } from './harness.js'

let home: TestHome
beforeAll(async () => {
  home = new TestHome()
  await home.run(['sessions'])
})
afterAll(() => home.close())

function example(name: string, ...args: string[]) {
  const child = spawn(process.execPath, [join(ROOT, 'examples', 'client', name), ...args], {
    cwd: home.work,
    env: home.env,
  })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => (text += String(chunk)))
  const seen = (word: string) =>
    new Promise<void>(resolve => child.stdout.on('data', () => text.includes(word) && resolve()))
  const ended = new Promise<string>(resolve => child.on('close', () => resolve(text)))
  return { seen, ended }
}

test('the examples of the library start an agent, follow events and list requests', async () => {
  const events = example('follow-events.mjs', '1', 'session.started')
  await events.seen('listening')
  const started = await example('start-session.mjs', 'demo', 'say hello').ended
  expect(started).toMatch(/^ses_\w+ (idle|approval): 1 prompt\(s\)/)
  // The stream may have opened after the first session: a second one is certainly in it.
  void example('start-session.mjs', 'demo', 'again')
  expect(await events.ended).toMatch(/session\.started session\/ses_/)
  expect(await example('list-requests.mjs').ended).toMatch(/request\(s\) wait/)
})

test('over HTTP the library needs a token, and returns the errors of the API', async () => {
  const { address: url } = JSON.parse(readFileSync(join(home.home, 'run', 'server.json'), 'utf8')) as {
    address: string
  }
  const token = readFileSync(join(home.home, 'state', 'token'), 'utf8').trim()
  const client = connect({ url, token })
  const { items } = await client.call('sessions.list', { limit: 1 })
  expect(items).toMatchObject([{ agent: 'demo' }])
  await expect(client.call('sessions.get', { id: 'ses_none' })).rejects.toMatchObject({
    code: 'E_UNKNOWN',
    status: 404,
  })
  await expect(connect({ url, token: 'x' }).call('runs.list', {})).rejects.toBeInstanceOf(SignalboxApiError)
})
