import { readFileSync } from 'node:fs'
import { afterAll, describe, expect, it } from 'vitest'
import { signProof } from '../../src/server/auth/proof.js'
import { TestHome, waitFor } from './harness.js'

const home = new TestHome()
afterAll(() => home.close())

interface Served {
  address: string
  link: string
  pid: number
}

/** Runs `serve` in the foreground; returns the one line of JSON that it prints. */
async function serve(...args: string[]): Promise<{ served: Served; ended: Promise<unknown> }> {
  const child = home.start(['serve', '--json', ...args])
  const ended = home.finish(child, 300_000)
  let out = ''
  child.stdout!.on('data', chunk => {
    out += String(chunk)
  })
  const line = await waitFor('the line of serve', () => (out.includes('\n') ? out : null))
  expect(line.trim().split('\n')).toHaveLength(1)
  return { served: JSON.parse(line) as Served, ended }
}

const token = () => readFileSync(home.path('state', 'token'), 'utf8').trim()
const bearer = () => ({ authorization: `Bearer ${token()}` })

describe('signalbox serve', () => {
  it('accepts a login link once, uses the given port, and lets a client resume a stream after a kill', async () => {
    const { served, ended } = await serve('--port', '0')
    const { address, link } = served
    expect(link.startsWith(`${address}/login#`)).toBe(true)
    expect(JSON.parse(readFileSync(home.path('run', 'server.json'), 'utf8'))).toMatchObject({
      address,
      pid: served.pid,
    })
    const exchange = () =>
      fetch(`${address}/api/v1/auth/session`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ code: link.split('#')[1], name: 'a browser' }),
      })
    const login = (await (await exchange()).json()) as { device: string; key: string }
    expect((await exchange()).status).toBe(401)
    const key = Buffer.from(login.key, 'base64url')
    const get = (base: string, target: string) => {
      const stamp = {
        ms: Date.now(),
        nonce: Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString('base64url'),
      }
      const asked = { method: 'GET', target, host: new URL(base).host, body: new Uint8Array() }
      const proof = `${login.device}.${stamp.ms}.${stamp.nonce}.${signProof(key, asked, stamp)}`
      return fetch(`${base}${target}`, { headers: { 'x-signalbox-proof': proof, 'sec-fetch-site': 'same-origin' } })
    }
    expect((await get(address, '/api/v1/overview')).status).toBe(200)

    // The daemon is killed during a stream; the next one on the same port knows device and cursor.
    await home.startDemo()
    const stream = await fetch(`${address}/api/v1/events?since=0`, { headers: bearer() })
    const reader = stream.body!.pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    await waitFor('the start of a session', async () => {
      text += (await reader.read()).value ?? ''
      return text.includes('event: session.ready')
    })
    const cursor = [...text.matchAll(/^id: (.*)$/gm)].at(-1)![1]!
    process.kill(served.pid, 'SIGKILL')
    await expect(reader.read().then(({ done }) => done || Promise.reject(new Error('more')))).rejects.toThrow()
    await ended
    const port = new URL(address).port
    const again = await serve('--port', port)
    expect(again.served.address).toBe(address)
    expect((await get(address, '/api/v1/auth/me')).status).toBe(200)
    const resumed = await fetch(`${address}/api/v1/events`, { headers: { ...bearer(), 'last-event-id': cursor } })
    const hello = await resumed.body!.pipeThrough(new TextDecoderStream()).getReader().read()
    expect(hello.value).toContain('"resume":"ok"')
    expect((await home.ok(['serve'])).stdout).toContain(`${address}/login#`)
    const before = token()
    await home.ok(['serve', '--rotate-token'])
    expect(token()).not.toBe(before)
    const old = await fetch(`${address}/api/v1/overview`, { headers: { authorization: `Bearer ${before}` } })
    expect(old.status).toBe(401)
    const second = await home.json<{ link: string }>(['serve', '--link', '--role', 'viewer', '--as', 'Ada', '--json'])
    expect(second.link).toContain('/login#')
    await home.ok(['serve', '--stop'])
    await again.ended
  })

  it('refuses to listen on all addresses, and reports a port in use', async () => {
    const open = await home.run(['serve'], { env: { SIGNALBOX_SERVER_BIND: '0.0.0.0' } })
    expect([open.code, open.stderr]).toEqual([6, expect.stringContaining('server.public')])
    const { createServer } = await import('node:net')
    const taken = createServer().listen(0, '127.0.0.1')
    await new Promise(resolve => taken.once('listening', resolve))
    const { port } = taken.address() as { port: number }
    const clash = await home.run(['serve', '--port', String(port)])
    expect([clash.code, clash.stderr]).toEqual([1, expect.stringContaining('the port is in use')])
    taken.close()
  })

  it('refuses an engine that cannot work before it opens the store', async () => {
    const refused = async (nodes: string, env: Record<string, string> = {}) => {
      const store = ['--store', 'postgres://nobody@127.0.0.1:1/nowhere', '--engine', 'restate', '--node', 'a']
      const { code, stderr } = await home.run(['serve', '--port', '0', ...store, '--nodes', nodes], { env })
      return { code, stderr }
    }
    const two = await refused('a=10.0.0.1:5122,b=10.0.0.2:5122')
    expect(two).toMatchObject({ code: 6, stderr: expect.stringContaining('use one node, or three') })
    const three = await refused('a=10.0.0.1:5122,b=10.0.0.2:5122,c=10.0.0.3:5122')
    expect(three).toMatchObject({ code: 6, stderr: expect.stringContaining('a bucket for snapshots') })
    const missing = await refused('a=127.0.0.1:5122', { XDG_CACHE_HOME: home.path('empty') })
    expect(missing).toMatchObject({ code: 7, stderr: expect.stringContaining('signalbox engine install') })
  })

  it('keeps its options in the background, and refuses them if a daemon already runs', async () => {
    const { createServer } = await import('node:net')
    const probe = createServer().listen(0, '127.0.0.1')
    await new Promise(resolve => probe.once('listening', resolve))
    const port = String((probe.address() as { port: number }).port)
    await new Promise(resolve => probe.close(resolve))
    await home.ok(['serve', '--background', '--read-only', '--port', port])
    const { address } = JSON.parse(readFileSync(home.path('run', 'server.json'), 'utf8')) as { address: string }
    expect(new URL(address).port).toBe(port)
    const write = await fetch(`${address}/api/v1/sessions`, {
      method: 'POST',
      headers: { ...bearer(), 'content-type': 'application/json' },
      body: JSON.stringify({ agent: 'demo' }),
    })
    expect([write.status, await write.text()]).toEqual([403, expect.stringContaining('read-only')])
    const second = await home.run(['serve', '--background', '--port', '0'])
    expect([second.code, second.stderr]).toEqual([expect.any(Number), expect.stringContaining('serve --stop')])
    expect(second.code).not.toBe(0)
    await home.ok(['serve', '--background'])
    await home.ok(['serve', '--stop'])
  })
})
