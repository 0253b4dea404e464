import { spawnSync } from 'node:child_process'
import { createHash, createPrivateKey, X509Certificate } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { systemClock } from '../../src/clock/index.js'
import { newWorkerKey, openSocket, parseServerMessage, ServerLink } from '../../src/workers/index.js'
import { proveWorker } from '../../src/workers/worker-proof.js'
import { TestServer, until } from '../server/support.js'
import { describeNeeding } from '../support/requirements.js'

let directory: string
let server: TestServer
let pin: string
let worker: { id: string; privatePem: string }
const open: { close(): void }[] = []

const GREETING = { boot: 'boot-1', version: '1', maxSteps: 1, agents: [], runs: [], maxSessions: 0, sessions: [] }

describeNeeding('openssl', 'the channel of a worker', () => {
  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'signalbox-tls-'))
    const [certFile, keyFile] = [join(directory, 'cert.pem'), join(directory, 'key.pem')]
    const subject = ['-subj', '/CN=localhost', '-days', '2', '-nodes']
    const made = spawnSync('openssl', [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      ...subject,
      '-keyout',
      keyFile,
      '-out',
      certFile,
    ])
    if (made.status !== 0) throw new Error(String(made.stderr))
    const { publicKey: spki } = new X509Certificate(readFileSync(certFile))
    pin = createHash('sha256')
      .update(spki.export({ format: 'der', type: 'spki' }))
      .digest('base64url')
    server = await TestServer.start({ settings: { tls: { certFile, keyFile } } })
    const { privatePem, publicKey } = newWorkerKey()
    const { registry } = server.workers!
    const token = await registry.invite({ pool: 'default', labels: {}, validMs: 60_000, by: 'ada' })
    worker = { id: (await registry.join(token, { name: 'w1', key: publicKey })).id, privatePem }
  })
  afterEach(async () => {
    for (const each of open.splice(0)) each.close()
    await server.close()
    rmSync(directory, { recursive: true, force: true })
  })

  function connect(wantedPin: string | null): { welcomes: number; reasons: string[] } {
    const seen = { welcomes: 0, reasons: [] as string[] }
    const link = new ServerLink(
      { server: server.address, pin: wantedPin, clock: systemClock, random: () => 0 },
      { worker: worker.id, key: createPrivateKey(worker.privatePem) },
      {
        greeting: () => GREETING,
        welcome: () => void seen.welcomes++,
        message: () => undefined,
        bytes: () => undefined,
        reached: () => undefined,
        away: reason => void seen.reasons.push(reason),
      },
    )
    open.push(link)
    link.start()
    return seen
  }

  test('is accepted with the key of the server that the invitation named', async () => {
    const seen = connect(pin)
    await until(async () => seen.welcomes === 1)
    expect(seen.reasons).toEqual([])
  })

  test('is refused by the worker if the server has another key, or an unsigned certificate', async () => {
    const [wrong, none] = [connect('another'), connect(null)]
    await until(async () => wrong.reasons.length > 0 && none.reasons.length > 0)
    expect([wrong.welcomes, none.welcomes]).toEqual([0, 0])
  })

  test('is refused by the server if the proof was made for another channel', async () => {
    const { socket } = openSocket({ server: server.address, pin })
    open.push(socket)
    let refused: string | null = null
    socket.on('message', data => {
      const message = parseServerMessage(String(data))
      if (message?.type === 'refused') refused = message.code
      if (message?.type !== 'challenge') return
      const words = { worker: worker.id, nonce: message.nonce, channel: 'the channel to a proxy' }
      const signature = proveWorker(createPrivateKey(worker.privatePem), words)
      socket.send(JSON.stringify({ type: 'hello', worker: worker.id, signature, ...GREETING }))
    })
    await until(async () => refused !== null)
    expect(refused).toBe('E_LOGIN')
  })
})
