import { createHmac } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { TestHome, waitFor } from './harness.js'

const SECRET = 'a secret of the receiver'

interface Received {
  id: string
  signature: string
  timestamp: string
  body: string
  type: string
}

let home: TestHome
let receiver: Server
const received: Received[] = []
/** Refuses events of the label that a test uses. */
let isRefusing = false

beforeAll(async () => {
  receiver = createServer((request, response) => {
    let body = ''
    request.on('data', chunk => (body += String(chunk)))
    request.on('end', () => {
      const { type } = JSON.parse(body) as { type: string }
      const header = (name: string) => String(request.headers[name])
      received.push({
        id: header('webhook-id'),
        signature: header('webhook-signature'),
        timestamp: header('webhook-timestamp'),
        body,
        type,
      })
      response.writeHead(isRefusing ? 410 : 200).end()
    })
  })
  await new Promise<void>(resolve => receiver.listen(0, '127.0.0.1', resolve))
  home = new TestHome()
  const secret = join(home.directory, 'hook.secret')
  writeFileSync(secret, SECRET, { mode: 0o600 })
  const { port } = receiver.address() as AddressInfo
  mkdirSync(home.path('config'), { recursive: true })
  writeFileSync(
    home.path('config', 'config.toml'),
    `[webhooks.ci]\nurl = "http://127.0.0.1:${port}/hook"\nevents = ["session.*", "!session.screen*"]\nsecret_file = ${JSON.stringify(secret)}\n`,
  )
})
afterAll(async () => {
  await home.close()
  receiver.closeAllConnections()
  await new Promise(resolve => receiver.close(resolve))
})

const started = () => received.filter(({ type }) => type === 'session.started')

test('the daemon sends signed events; a refused event is a dead letter and is sent again on request', async () => {
  // The first command starts the daemon; a webhook begins with the next event.
  await home.run(['sessions'])
  await waitFor('the first event', async () => {
    if (started().length > 0) return true
    await home.ok(['start', 'demo', '--json', '--', '--speed', '0'])
    return started().length > 0
  })
  const [first] = started()
  const signed = createHmac('sha256', SECRET).update(`${first!.id}.${first!.timestamp}.${first!.body}`).digest('base64')
  expect(first!.signature.split(' ')).toContain(`v1,${signed}`)
  expect(received.every(({ type }) => type.startsWith('session.'))).toBe(true)

  isRefusing = true
  const { id } = await home.json<{ id: string }>(['start', 'demo', '--json', '--', '--speed', '0'])
  const dead = await waitFor('the dead letter', async () => {
    const [hook] = await home.json<{ name: string; dead: { position: number }[] }[]>(['webhooks', '--json'])
    return hook!.dead.length > 0 && hook
  })
  expect(dead).toMatchObject({ name: 'ci' })

  isRefusing = false
  const before = received.length
  expect((await home.ok(['webhooks', 'replay', 'ci'])).stdout).toContain('will be sent again')
  await waitFor('the event again', () => received.slice(before).some(({ body }) => body.includes(id)))
  await waitFor('no dead letters', async () => {
    const [hook] = await home.json<{ dead: unknown[] }[]>(['webhooks', '--json'])
    return hook!.dead.length === 0
  })
})
