import { createHmac } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { SimulatedClock } from '../../clock/index.js'
import { newEvent, validateEvent } from '../../events/index.js'
import type { EventStore } from '../../store/index.js'
import { openTestStore } from '../../store/testing/open-test-store.js'
import { WebhookDelivery } from './webhook-delivery.js'
import { type WebhookRecord, webhookStream, webhooksProjection } from './webhook-record.js'
import { isWanted } from './webhook-request.js'

const SECRET = `whsec_${Buffer.from('a secret of 24 bytes ok!').toString('base64')}`

interface Received {
  headers: Record<string, string | string[] | undefined>
  body: string
  type: string
  id: string
}

let directory: string
let store: EventStore
let server: Server
let received: Received[]
/** The statuses of the next answers; then 200. */
let answers: number[]
const clock = new SimulatedClock(1_700_000_000_000)

beforeEach(async () => {
  received = []
  answers = []
  directory = mkdtempSync(join(tmpdir(), 'signalbox-webhooks-'))
  store = await openTestStore({
    path: join(directory, 'store.db'),
    clock,
    projections: [webhooksProjection] as never,
    validate: validateEvent,
  })
  server = createServer((request, response) => {
    let body = ''
    request.on('data', chunk => (body += String(chunk)))
    request.on('end', () => {
      const { type, id } = JSON.parse(body) as { type: string; id: string }
      received.push({ headers: request.headers, body, type, id })
      response.writeHead(answers.shift() ?? 200).end()
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
})
afterEach(async () => {
  await store.close()
  server.closeAllConnections()
  await new Promise(resolve => server.close(resolve))
  rmSync(directory, { recursive: true, force: true })
})

function delivery(events: readonly string[] = ['host.*']): WebhookDelivery {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
  return new WebhookDelivery({
    store,
    clock,
    target: { name: 'ci', url, events, secret: SECRET },
    owner: 'test',
    redact: value => JSON.parse(JSON.stringify(value).replaceAll('hunter2', '‹secret›')),
    onError: error => {
      throw error
    },
  })
}

const happens = (reason: string) => store.append('host', 'any', [newEvent('host.stopped', { pid: 1, reason })])
const recordOf = async () => (await store.document<WebhookRecord>(webhooksProjection.name, 'ci'))!.state

/** Waits for a condition, and lets the simulated time pass, so that retries come due. */
async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) {
    await new Promise(resolve => setImmediate(resolve))
    clock.advance(1_000)
  }
}

test('events of the filter are sent in order, signed, without secrets, and only since the start', async () => {
  await happens('before')
  const hook = delivery(['host.*', '!host.started'])
  await hook.start()
  await store.append('host', 'any', [newEvent('host.started', { pid: 1, version: '1' })])
  await happens('hunter2')
  await happens('second')
  await until(async () => (await recordOf()).delivered === 2)
  await hook.stop()
  expect(received.map(({ body }) => JSON.parse(body).data.reason)).toEqual(['‹secret›', 'second'])
  const [{ headers, body, id }] = received as [Received]
  const signed = `${id}.${headers['webhook-timestamp']}.${body}`
  const key = Buffer.from(SECRET.slice('whsec_'.length), 'base64')
  expect(headers['webhook-id']).toBe(id)
  expect(headers['webhook-signature']).toBe(`v1,${createHmac('sha256', key).update(signed).digest('base64')}`)
})

test('an event is sent again with the same id after an error of the server', async () => {
  answers = [503, 429]
  const hook = delivery()
  await hook.start()
  await happens('once')
  await until(async () => (await recordOf()).delivered === 1)
  await hook.stop()
  expect(received).toHaveLength(3)
  expect(new Set(received.map(({ id }) => id)).size).toBe(1)
  expect((await recordOf()).dead).toEqual([])
})

test('a refused event becomes a dead letter, the next one follows, and a replay sends it again', async () => {
  answers = [400, 200]
  const hook = delivery()
  await hook.start()
  await happens('refused')
  await happens('accepted')
  await until(async () => (await recordOf()).delivered === 1)
  expect((await recordOf()).dead).toMatchObject([{ type: 'host.stopped', attempts: 1, error: 'answered 400' }])
  await store.append(webhookStream('ci'), 'any', [newEvent('webhook.replayed', { person: 'ann' })])
  await until(async () => (await recordOf()).delivered === 2)
  await hook.stop()
  expect((await recordOf()).dead).toEqual([])
  expect(received.map(({ body }) => JSON.parse(body).data.reason)).toEqual(['refused', 'accepted', 'refused'])
})

test('an unreachable receiver causes a dead letter after all attempts', async () => {
  answers = Array.from({ length: 6 }, () => 500)
  const hook = delivery()
  await hook.start()
  await happens('lost')
  await until(async () => (await recordOf()).dead.length === 1)
  await hook.stop()
  expect((await recordOf()).dead).toMatchObject([{ attempts: 6, error: 'answered 500' }])
})

test('a stopped delivery continues after the last event, including events in between', async () => {
  const first = delivery()
  await first.start()
  await happens('one')
  await until(async () => (await recordOf()).delivered === 1)
  await first.stop()
  await happens('meanwhile')
  const second = delivery()
  await second.start()
  await until(async () => (await recordOf()).delivered === 2)
  await store.append(webhookStream('ci'), 'any', [newEvent('webhook.replayed', { person: 'ann', after: 0 })])
  await until(async () => (await recordOf()).delivered === 4)
  await second.stop()
  const reasons = received.map(({ body }) => JSON.parse(body).data.reason)
  expect(reasons).toEqual(['one', 'meanwhile', 'one', 'meanwhile'])
})

test('a filter selects event types by their parts', () => {
  expect(isWanted('approval.decided', ['approval.*'])).toBe(true)
  expect(isWanted('approval.decided', ['*', '!approval.decided'])).toBe(false)
  expect(isWanted('run.ended', ['!approval.*'])).toBe(true)
  expect(isWanted('run-ended', ['run.ended'])).toBe(false)
})
