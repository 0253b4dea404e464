import { createDecipheriv, createECDH, hkdfSync } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { SimulatedClock } from '../../clock/index.js'
import { PushService } from './push-service.js'

/** A push service on loopback, and a browser that can read what arrives there. */
class FakePushService {
  readonly received: { headers: Record<string, string | string[] | undefined>; body: Buffer }[] = []
  status = 201
  readonly #server: Server
  readonly #browser = createECDH('prime256v1')
  readonly #auth = Buffer.alloc(16, 7)

  constructor() {
    this.#browser.generateKeys()
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', chunk => chunks.push(chunk))
      request.on('end', () => {
        this.received.push({ headers: request.headers, body: Buffer.concat(chunks) })
        response.writeHead(this.status).end()
      })
    })
  }

  async open(): Promise<void> {
    await new Promise<void>(resolve => this.#server.listen(0, '127.0.0.1', resolve))
  }

  close(): void {
    this.#server.close()
  }

  get subscription() {
    return {
      endpoint: `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/send/1`,
      keys: { p256dh: this.#browser.getPublicKey('base64url'), auth: this.#auth.toString('base64url') },
      person: 'ann',
      device: 'Firefox on Linux',
    }
  }

  /** What the browser reads, by RFC 8291. */
  read(body: Buffer): unknown {
    const salt = body.subarray(0, 16)
    const length = body[20]!
    const server = body.subarray(21, 21 + length)
    const sealed = body.subarray(21 + length)
    const derive = (key: Uint8Array, from: Uint8Array, info: Uint8Array, size: number) =>
      Buffer.from(hkdfSync('sha256', key, from, info, size))
    const info = Buffer.concat([Buffer.from('WebPush: info\0'), this.#browser.getPublicKey(), server])
    const secret = derive(this.#browser.computeSecret(server), this.#auth, info, 32)
    const key = derive(secret, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16)
    const nonce = derive(secret, salt, Buffer.from('Content-Encoding: nonce\0'), 12)
    const decipher = createDecipheriv('aes-128-gcm', key, nonce)
    decipher.setAuthTag(sealed.subarray(-16))
    const text = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()])
    return JSON.parse(text.subarray(0, -1).toString())
  }
}

const PAYLOAD = { title: 'shop: Claude wants to run a command', body: 'npm test', tag: 'apr_1', url: '/a/apr_1' }

let directory: string
let fake: FakePushService
let errors: unknown[]
const open = () =>
  new PushService({ directory, clock: new SimulatedClock(Date.UTC(2026, 0, 5)), onError: error => errors.push(error) })

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'signalbox-push-'))
  fake = new FakePushService()
  errors = []
  await fake.open()
})
afterEach(() => {
  fake.close()
  rmSync(directory, { recursive: true, force: true })
})

describe('the push service', () => {
  test('reaches a subscribed browser, which alone can read the message', async () => {
    const push = open()
    push.subscribe(fake.subscription)
    expect(await push.send(PAYLOAD)).toEqual({ sent: 1, failed: 0 })
    const [{ headers, body }] = fake.received as [(typeof fake.received)[number]]
    expect(headers).toMatchObject({ 'content-encoding': 'aes128gcm', urgency: 'high' })
    expect(headers.authorization).toContain(`k=${push.publicKey}`)
    expect(body.includes('npm test')).toBe(false)
    expect(fake.read(body)).toEqual(PAYLOAD)
  })

  test('keeps its key and its subscriptions over a restart, readable by their owner only', async () => {
    const before = open()
    const { id } = before.subscribe(fake.subscription)
    const after = open()
    expect(after.publicKey).toBe(before.publicKey)
    expect(after.list().map(known => known.id)).toEqual([id])
    expect(statSync(join(directory, 'push.json')).mode & 0o777).toBe(0o600)
    expect(after.unsubscribe(id)).toBe(true)
    expect(JSON.parse(readFileSync(join(directory, 'push.json'), 'utf8')).subscriptions).toEqual([])
  })

  test('forgets a browser that the push service no longer knows, and keeps it during an outage', async () => {
    const push = open()
    push.subscribe(fake.subscription)
    fake.status = 503
    expect(await push.send(PAYLOAD)).toEqual({ sent: 0, failed: 1 })
    expect(push.count).toBe(1)
    expect(String(errors[0])).toContain('answered 503')
    fake.status = 410
    await push.send(PAYLOAD)
    expect(push.count).toBe(0)
  })

  test('refuses an address that is not a push service of the web', () => {
    const { subscription } = fake
    for (const endpoint of ['http://example.com/x', 'file:///etc/passwd'])
      expect(() => open().subscribe({ ...subscription, endpoint })).toThrow(/begins with https/)
    expect(() => open().subscribe({ ...subscription, keys: { p256dh: 'AA', auth: 'AA' } })).toThrow(/P-256/)
  })
})
