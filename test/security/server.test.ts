import { existsSync, lstatSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import WebSocket from 'ws'
import { newEvent } from '../../src/events/index.js'
import type { Block } from '../../src/screen/index.js'
import { ROUTES } from '../../src/server/index.js'
import { StaticFiles } from '../../src/server/static-files.js'
import { type Ask, eventsOf, type Login, TestServer, until } from '../server/support.js'

/*
 * Known incidents of other servers, against a running one. test/server/contract.test.ts has the
 * whole table of access rights.
 */

const CANARY = 'sk-ant-api03-CANARYCANARYCANARYCANARYCANARY'
const SERVED = ROUTES.filter(route => !route.isSocketOnly)
let server: TestServer
let owner: Login
let session: string

beforeAll(async () => {
  process.env.SBX_TEST_API_KEY = CANARY
  server = await TestServer.start()
  owner = await server.login('owner')
  writeFileSync(join(server.work, 'echo.sh'), 'cat')
  session = (
    await server.host.startSession({
      agent: null,
      args: ['/bin/sh', join(server.work, 'echo.sh')],
      cwd: server.work,
      terminal: null,
      size: { cols: 100, rows: 24 },
      person: 'local',
      label: null,
      resume: null,
    })
  ).id
})
afterAll(async () => {
  delete process.env.SBX_TEST_API_KEY
  await server.close()
})

const api = (path: string) => `/api/v1${path}`
const filled = (path: string) => path.replace(/:file\{[^}]*\}/, 'x.cast').replace(/:(\w+)/g, 'x')
const position = () => server.host.store.head()
const code = async (method: string, path: string, ask: Ask = {}) =>
  (await server.ask(method, path, ask)).json?.error?.code

function upgrade(
  headers: Record<string, string | undefined>,
  pane = session,
): Promise<{ status: number; opened: boolean }> {
  return new Promise(resolve => {
    const socket = new WebSocket(`ws://${server.authority}/api/v1/panes/${pane}/terminal`, 'signalbox.terminal.v1', {
      headers: Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined)) as Record<
        string,
        string
      >,
    })
    socket.on('open', () => {
      socket.terminate()
      resolve({ status: 101, opened: true })
    })
    socket.on('unexpected-response', (_request, response) => {
      response.resume()
      resolve({ status: response.statusCode!, opened: false })
    })
    socket.on('error', () => undefined)
  })
}

describe('access to the server', () => {
  test('open local HTTP server: every route answers 401 or 403 without credentials', async () => {
    const before = await position()
    for (const { method, path, access } of SERVED) {
      if (access === 'open') continue
      for (const origin of [undefined, server.address, 'http://evil.example'])
        expect([401, 403]).toContain(
          (await server.ask(method, filled(path), origin === undefined ? {} : { headers: { origin } })).status,
        )
    }
    expect(await position()).toBe(before)
  })

  test('cross-origin WebSocket to loopback: foreign, null, missing or other-port Origin fails the upgrade', async () => {
    const port = server.port
    for (const origin of [
      'http://evil.example',
      'null',
      undefined,
      `http://127.0.0.1:${port + 1}`,
      `https://127.0.0.1:${port}`,
    ])
      expect(await upgrade({ origin }), String(origin)).toEqual({ status: 403, opened: false })
    expect(await upgrade({ origin: server.address })).toMatchObject({ opened: true })
    expect(await upgrade({ authorization: 'Bearer wrong' })).toEqual({ status: 401, opened: false })
    expect(await upgrade({ origin: 'http://evil.example', authorization: `Bearer ${server.token}` })).toEqual({
      status: 403,
      opened: false,
    })
  })

  test('DNS rebinding: a foreign Host is refused before routing, also with an equal Origin', async () => {
    for (const host of ['rebind.example', `rebind.example:${server.port}`]) {
      expect(await code('GET', '/', { headers: { host } })).toBe('E_HOST')
      expect(await code('GET', api('/overview'), { as: 'token', headers: { host, origin: `http://${host}` } })).toBe(
        'E_HOST',
      )
      expect(await upgrade({ host, origin: `http://${host}` })).toEqual({ status: 403, opened: false })
    }
  })

  test('CSRF on dangerous actions: simple forms, text/plain and missing proofs change nothing', async () => {
    const before = await position()
    for (const { method, path, access } of SERVED.filter(({ isWrite, access: by }) => isWrite && by !== 'open')) {
      const target = filled(path)
      const body = Buffer.from('a=b')
      for (const type of ['application/x-www-form-urlencoded', 'text/plain', 'multipart/form-data; boundary=x'])
        for (const origin of [server.address, 'http://evil.example', 'null'])
          expect([401, 403], `${access} ${target}`).toContain(
            (await server.ask(method, target, { body, headers: { 'content-type': type, origin } })).status,
          )
    }
    const path = api('/grants/pause')
    const body = Buffer.from('{}')
    expect(await code('POST', path, { as: owner, body, headers: { 'content-type': 'text/plain' } })).toBe('E_TYPE')
    expect(await position()).toBe(before)
  })

  test('wildcard CORS, public bind, shell: no response has a CORS header, and 0.0.0.0 is refused', async () => {
    for (const { method, path } of SERVED) {
      const { headers } = await server.ask(method, filled(path), {
        headers: { origin: 'http://evil.example', 'access-control-request-method': 'POST' },
      })
      expect(Object.keys(headers).filter(name => name.startsWith('access-control'))).toEqual([])
    }
    const { listenTcp } = await import('../../src/server/tcp-listener.js')
    const tryBind = (settings: object) =>
      listenTcp({ ...server.api.parts, settings: { ...server.api.parts.settings, bind: '0.0.0.0', ...settings } })
    const pair = { certFile: '/c', keyFile: '/k' }
    for (const settings of [
      {},
      { isPublic: true },
      { isPublic: true, tls: pair },
      { isPublic: true, isBehindProxy: true, passphraseFile: '/p' },
      { tls: pair, passphraseFile: '/p' },
    ])
      await expect(tryBind(settings)).rejects.toMatchObject({ code: 'E_CONFIG' })
  })
})

describe('input and output of the server', () => {
  test('shell injection through parameters: hostile words stay words, and no canary file is created', async () => {
    const canary = join(server.work, 'canary')
    const hostile = [
      `$(touch ${canary})`,
      `\`touch ${canary}\``,
      `'; touch ${canary}; '`,
      `x\ntouch ${canary}`,
      `--output=${canary}`,
      `-o${canary}`,
    ]
    for (const word of hostile) {
      const text = encodeURIComponent(word)
      await server.ask('GET', api(`/sessions/${session}/files?path=${text}`), { as: 'token' })
      await server.ask('GET', api(`/runs/${text}/diff?from=${text}`), { as: 'token' })
      await server.ask('POST', api('/sessions'), { as: 'token', body: { agent: 'demo', cwd: word, args: [] } })
      await server.ask('POST', api('/sessions'), { as: 'token', body: { agent: word, cwd: server.work } })
      await server.ask('POST', api('/runs'), { as: 'token', body: { graph: 'digraph { }', project: word } })
      await server.ask('POST', api('/runs'), {
        as: 'token',
        body: { oneshot: { task: word, agent: word }, project: server.work },
      })
      await server.ask('POST', api('/graphs/validate'), { as: 'token', body: { file: word, project: server.work } })
      await server.ask('PATCH', api(`/panes/${session}`), { as: 'token', body: { name: word } })
      await server.ask('POST', api(`/panes/${text}/focus`), { as: 'token', body: {} })
    }
    expect(existsSync(canary)).toBe(false)
  })

  test('script injection into a terminal bridge: input reaches the program as bytes only', async () => {
    const canary = join(server.work, 'canary-8')
    const text = `x; touch ${canary}; $(touch ${canary}) \`touch ${canary}\` \${x@P} \u001b[200~`
    await server.ask('POST', api(`/sessions/${session}/keys`), { as: 'token', body: { text: `${text}\r` } })
    const live = server.host.local(session)!
    await until(async () => {
      await live.effectsDone()
      return live.frame?.lines.some(line => line.text.includes('touch'))
    })
    expect(existsSync(canary)).toBe(false)
  })

  test('server address or token from a link: pages connect to their own origin, and URLs have no secret', async () => {
    const { headers } = await server.ask('GET', `/login?server=http://evil.example&token=${server.token}`)
    expect(headers['content-security-policy']).toContain("connect-src 'self'")
    expect(headers['content-security-policy']).toContain("base-uri 'none'")
    expect(await code('GET', api(`/overview?token=${server.token}`))).toBe('E_LOGIN')
    expect(await code('GET', api(`/overview?access_token=${server.token}&code=x`))).toBe('E_LOGIN')
  })

  test('token leaked to another local port: another server cannot use what the page sent to it', async () => {
    const caught: Record<string, string>[] = []
    const impostor = createServer((request, response) => {
      caught.push(request.headers as Record<string, string>)
      response.end('{}')
    })
    await new Promise<void>(resolve => impostor.listen(0, '127.0.0.1', resolve))
    // The page signs for the host that it talks to: a proof for another port is not valid here.
    const { port } = impostor.address() as { port: number }
    const proof = server.proofOf(owner, 'GET', api('/overview'), undefined, { host: `127.0.0.1:${port}` })
    expect(await code('GET', api('/overview'), { as: owner, headers: { 'x-signalbox-proof': proof } })).toBe('E_PROOF')
    expect(await code('GET', api('/overview'), { headers: { cookie: 'session=1' } })).toBe('E_LOGIN')
    await new Promise(resolve => impostor.close(resolve))
    // While the server is down, another program on its port receives requests that are signed for
    // it.
    const kept = server.proofOf(owner, 'POST', api('/grants/pause'), Buffer.from('{}'))
    const { port: own } = server
    await server.api.close()
    // A server refuses proofs from before its start; the clock has a resolution of 1 ms.
    const signedAt = Date.now()
    await until(() => Date.now() > signedAt)
    const again = await TestServer.restarted(server, { settings: { port: own } })
    expect(again.port).toBe(own)
    expect(
      await code('POST', api('/grants/pause'), {
        as: owner,
        body: Buffer.from('{}'),
        headers: { 'x-signalbox-proof': kept },
      }),
    ).toBe('E_PROOF')
    expect((await server.ask('GET', api('/overview'), { as: owner })).status).toBe(200)
  })

  test('unauthenticated settings write: loosening needs owner and step-up; binaries and hooks are fixed', async () => {
    const file = join(server.directory, 'home', 'config', 'config.toml')
    const change = (changes: object, as: Ask['as'] = owner) =>
      server.ask('PATCH', api('/settings'), { as, body: { changes } })
    expect((await change({ 'notify.grace_s': 1 }, await server.login('approver'))).json.error.code).toBe('E_ROLE')
    server.ageLogins()
    for (const far of ['approvals.step_up', 'approvals.grant_uses', 'notify.webhooks', 'server.bind', 'no.such'])
      expect((await change({ 'notify.grace_s': 1, [far]: 'on' })).json.error.code, far).toBe('E_STEP_UP')
    // What loosens nothing needs no confirmation of a browser, unless others can reach the server.
    expect((await change({ 'notify.grace_s': 'x' })).json.error.code).toBe('E_CONFIG')
    expect((await change({ 'notify.grace_s': 1 }, 'token')).json.error.code).toBe('E_STEP_UP')
    const { settings } = server.api.parts
    for (const reachable of ['isPublic', 'isBehindProxy'] as const) {
      settings[reachable] = true
      expect((await change({ 'notify.grace_s': 1 })).json.error.code, reachable).toBe('E_STEP_UP')
      settings[reachable] = false
    }
    const link = await server.api.parts.auth.codes.make({ id: 'owner', name: 'owner', role: 'owner' })
    await server.ask('POST', api('/auth/step-up'), { as: owner, body: { code: link } })
    const forbidden = [
      'agents.claude.command',
      'hooks.enabled',
      'server.bind',
      'server.port',
      'server.public',
      'server.hosts',
      'telegram.token_file',
      'telegram.api_root',
      'env.pass',
      'notify.command',
      'oneshot.endpoint',
      'store.keep_days',
      'projects.roots',
    ]
    for (const key of forbidden) expect((await change({ [key]: 'x' })).json.error.code, key).toBe('E_ROLE')
    for (const wrong of ['x', 1, ['x']])
      expect((await change({ 'approvals.decide_from': wrong })).json.error.code).toBe('E_CONFIG')
    expect((await change({ 'approvals.step_up': 'off' })).json.error.code).toBe('E_ROLE')
    expect((await change({ 'notify.grace_s': '1\n[server]\nbind = "0.0.0.0"' })).json.error.code).toBe('E_CONFIG')
    expect(existsSync(file)).toBe(false)
  })

  test('claimed scopes, unvalidated token: an invalid token equals none, and a claim changes no role', async () => {
    for (const bearer of [
      '',
      'null',
      'undefined',
      '0',
      'x'.repeat(43),
      server.token.slice(0, -1),
      server.token.toUpperCase(),
    ])
      expect(await code('GET', api('/overview'), { headers: { authorization: `Bearer ${bearer}` } }), bearer).toBe(
        'E_LOGIN',
      )
    expect(await code('GET', api('/overview'), { headers: { authorization: `Basic ${server.token}` } })).toBe('E_LOGIN')
    const viewer = await server.login('viewer')
    const claims = { 'x-role': 'owner', 'x-signalbox-person': 'owner', authorization: null }
    expect(
      await code('POST', api('/grants/pause'), {
        as: viewer,
        body: { actor: { id: 'owner', name: 'owner' } },
        headers: claims,
      }),
    ).toBe('E_ROLE')
  })

  test('revoked secret still valid: rotation ends the next request, open streams and terminals', async () => {
    const before = server.token
    const events = await server.send('GET', api('/events'), { as: 'token' })
    const terminal = new WebSocket(`ws://${server.authority}/api/v1/panes/${session}/terminal`, {
      headers: { authorization: `Bearer ${before}` },
    })
    await new Promise(resolve => terminal.once('open', resolve))
    terminal.send(JSON.stringify({ type: 'hello', want: 'view', cols: 80, rows: 24 }))
    await new Promise(resolve => terminal.once('message', resolve))
    const closed = new Promise<number>(resolve => terminal.once('close', resolve))
    await server.api.parts.auth.token.rotate()
    server.api.parts.streams.endToken()
    const last: string[] = []
    for await (const { event } of eventsOf(events)) last.push(event)
    expect(last.at(-1)).toBe('bye')
    expect(await closed).toBe(4003)
    expect(await code('GET', api('/overview'), { as: { bearer: before } })).toBe('E_LOGIN')
    const device = await server.login('viewer')
    const stream = await server.send('GET', api('/events'), { as: device })
    await server.ask('DELETE', api(`/auth/devices/${device.device}`), { as: 'token' })
    const seen: string[] = []
    for await (const { event } of eventsOf(stream)) seen.push(event)
    expect(seen.at(-1)).toBe('bye')
  })
})

describe('files of the server', () => {
  test('symlinks out of the allowed directory: downloads, graphs and the page’s files do not follow them', async () => {
    symlinkSync('/etc/passwd', join(server.work, 'link.txt'))
    symlinkSync('/etc', join(server.work, 'etc.d'))
    symlinkSync('/etc/passwd', join(server.work, 'flow.dot'))
    for (const path of ['link.txt', 'etc.d/passwd', '/etc/passwd', '../home/state/token', 'x/../../home/state/token'])
      expect(
        (await server.ask('GET', api(`/sessions/${session}/files?path=${encodeURIComponent(path)}`), { as: 'token' }))
          .status,
        path,
      ).toBeGreaterThanOrEqual(400)
    const graph = await server.ask('POST', api('/graphs/validate'), {
      as: 'token',
      body: { file: 'flow.dot', project: server.work },
    })
    expect(graph.text).not.toContain('root:')
    const web = join(server.directory, 'web')
    mkdirSync(join(web, 'assets'), { recursive: true })
    writeFileSync(join(web, 'index.html'), '<!doctype html>page')
    symlinkSync('/etc/passwd', join(web, 'assets', 'passwd.txt'))
    const files = new StaticFiles(web)
    expect(files.answer('/assets/passwd.txt', undefined).status).toBe(404)
    for (const path of [
      '/../home/state/token',
      '/assets/../../home/state/token',
      '/%2e%2e/token',
      '/..%2ftoken',
      '//etc/passwd',
    ])
      expect(await files.answer(path, undefined).text(), path).not.toContain(server.token)
  })

  test('symlinks out of the allowed directory: a directory swapped for a link is not followed', async () => {
    const outside = join(server.directory, 'outside')
    const [place, real, link] = ['swapped', 'real', 'link'].map(name => join(server.work, name)) as [
      string,
      string,
      string,
    ]
    for (const [path, text] of [
      [outside, 'OUTSIDE'],
      [real, 'inside'],
    ] as const) {
      mkdirSync(path)
      writeFileSync(join(path, 'note.txt'), text)
    }
    symlinkSync(outside, link)
    const swapper = new Worker(
      `const { renameSync } = require('node:fs')
       const { place, real, link } = require('node:worker_threads').workerData
       for (;;)
         for (const from of [real, link]) {
           renameSync(from, place)
           for (const until = performance.now() + 0.3; performance.now() < until; );
           renameSync(place, from)
         }`,
      { eval: true, workerData: { place, real, link } },
    )
    const seen = { inside: 0, refused: 0 }
    try {
      const target = api(`/sessions/${session}/files?path=${encodeURIComponent('swapped/note.txt')}`)
      for (let tries = 0; tries < 5_000 && (tries < 300 || seen.inside === 0 || seen.refused === 0); tries += 10)
        for (const { status, text } of await Promise.all(
          Array.from({ length: 10 }, () => server.ask('GET', target, { as: 'token' })),
        )) {
          expect(text).not.toContain('OUTSIDE')
          if (status === 200) seen.inside++
          else if (status === 403) seen.refused++
        }
    } finally {
      await swapper.terminate()
    }
    // Both states occurred, so the test could have failed.
    expect(Math.min(seen.inside, seen.refused)).toBeGreaterThan(0)
  })

  test('predictable temporary file: planted links are replaced, not followed; secrets are 0600', async () => {
    const state = join(server.directory, 'home', 'state')
    const victim = join(server.directory, 'victim')
    writeFileSync(victim, 'untouched')
    const { writePrivateFile } = await import('../../src/server/auth/private-file.js')
    symlinkSync(victim, join(state, 'planted'))
    await writePrivateFile(join(state, 'planted'), 'secret')
    expect(readFileSync(victim, 'utf8')).toBe('untouched')
    expect(lstatSync(join(state, 'planted')).isSymbolicLink()).toBe(false)
    for (const file of [
      join(state, 'token'),
      join(state, 'devices.json'),
      join(server.directory, 'home', 'run', 'server.json'),
    ])
      expect(statSync(file).mode & 0o777, file).toBe(0o600)
  })

  test('prefix comparison of hosts or paths: a host or path with only the same beginning is refused', async () => {
    const { port } = server
    const hosts = [
      `127.0.0.1.evil:${port}`,
      `127.0.0.1:${port}.evil`,
      `localhost.:${port}`,
      `user@127.0.0.1:${port}`,
      `127.0.0.1:0${port}`,
      `[::ffff:127.0.0.1]:${port}`,
      `0x7f.1:${port}`,
    ]
    for (const host of hosts)
      expect(
        (await server.ask('GET', api('/overview'), { as: 'token', headers: { host } })).status,
        host,
      ).toBeGreaterThanOrEqual(400)
    for (const origin of [
      `http://127.0.0.1:${port}.evil`,
      `http://127.0.0.1:${port}@evil`,
      `HTTP://127.0.0.1:${port}`,
      `http://127.0.0.1:${port}/`,
    ])
      expect(await code('GET', api('/overview'), { as: 'token', headers: { origin } }), origin).toBe('E_ORIGIN')
    mkdirSync(`${server.work}-evil`)
    writeFileSync(join(`${server.work}-evil`, 'secret.txt'), 'secret')
    const path = encodeURIComponent(`${server.work}-evil/secret.txt`)
    expect(
      (await server.ask('GET', api(`/sessions/${session}/files?path=${path}`), { as: 'token' })).text,
    ).not.toContain('secret\n')
    expect(await code('GET', api(`/sessions/${session}/files?path=a%00b`), { as: 'token' })).toMatch(/^E_/)
  })

  test('secrets in shared logs: a planted secret is in no response, event or log line', async () => {
    await server.ask('POST', api(`/sessions/${session}/keys`), { as: 'token', body: { text: `key ${CANARY}\r` } })
    const live = server.host.local(session)!
    await until(async () => {
      await live.effectsDone()
      return live.frame?.lines.some(line => line.text.includes(CANARY))
    })
    await server.host.store.append('run/run_canary', 'any', [
      newEvent('run.created', { kind: 'graph', title: 'x', project: '/x', cwd: '/x', person: 'local', input: {} }),
      newEvent('run.notice', { level: 'error', text: `boom ${CANARY}` }),
    ])
    const targets = [
      '/overview',
      '/panes',
      `/panes/${session}/frame`,
      `/panes/${session}/frame?format=spans`,
      `/panes/${session}/preview.svg`,
      `/panes/${session}/explain`,
      '/settings',
      '/doctor',
      '/health',
      '/metrics',
      `/runs/run_canary/log`,
      `/runs/run_canary/export`,
      `/sessions/${session}/conversation`,
      '/auth/devices',
      '/events/log?limit=200&types=run.*',
      `/sessions/${session}/screen`,
    ]
    for (const target of targets) {
      const { status, text } = await server.ask('GET', api(target), { as: 'token' })
      expect(status, target).toBeLessThan(500)
      expect(text, target).not.toContain(CANARY)
      expect(text, target).not.toContain(server.token)
    }
    const events = await server.send('GET', api('/events?since=0'), { as: 'token' })
    const frames: string[] = []
    for await (const { event, data } of eventsOf(events)) {
      frames.push(JSON.stringify(data))
      if (event === 'run.notice') {
        const [rows, source]: [Block['rows'], 'screen'] = [[0, 0], 'screen']
        const base = { id: 'b', rows, provisional: true, missing: false, source }
        const blocks: Block[] = [{ ...base, kind: 'notice', text: `says ${CANARY}` }]
        server.host.bus.emit({ type: 'message.update', session, turn: 't', message: 'm', blocks })
      }
      if (event === 'message.update') break
    }
    events.destroy()
    expect(frames.join('\n')).toContain('boom ‹secret')
    expect(frames.join('\n')).toContain('says ‹secret')
    expect(frames.join('\n')).not.toContain(CANARY)
    expect(server.log.join('\n')).not.toContain(CANARY)
    expect(server.log.join('\n')).not.toContain(server.token)
  })
})

describe('limits of the server', () => {
  test('a request that is too large, too deep or malformed gets an error that names the limit', async () => {
    const path = api('/graphs/validate')
    expect(await code('POST', path, { as: 'token', body: Buffer.alloc(1024 * 1024 + 1, 32) })).toBe('E_TOO_LARGE')
    expect(
      await code('POST', path, { as: 'token', body: Buffer.from(`{"dot":${'['.repeat(65)}${']'.repeat(65)}}`) }),
    ).toBe('E_INPUT')
    expect(await code('POST', path, { as: 'token', body: Buffer.from('{"dot":') })).toBe('E_INPUT')
    expect(await code('POST', path, { as: 'token', body: Buffer.from([0xff, 0xfe]) })).toBe('E_INPUT')
    expect(await code('POST', path, { as: 'token', body: { dot: 'digraph {}', extra: 1 } })).toBe('E_INPUT')
    expect(await code('GET', api(`/runs?q=${'x'.repeat(5_000)}`), { as: 'token' })).toBe('E_URL')
    expect(
      (await server.ask('GET', api('/runs'), { as: 'token', headers: { 'x-long': 'x'.repeat(20_000) } })).status,
    ).toBe(431)
    expect((await server.ask('GET', api('/overview'), { as: 'token' })).status).toBe(200)
  })

  test('a body longer than its declared length is cut off', async () => {
    const socket = connect(server.port, '127.0.0.1')
    const head = `POST ${api('/graphs/validate')} HTTP/1.1\r\nhost: ${server.authority}\r\nauthorization: Bearer ${server.token}\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`
    socket.write(head)
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`
    let answer = ''
    socket.on('data', data => {
      answer += data
    })
    socket.on('error', () => undefined)
    for (let n = 0; n < 20; n++) socket.write(chunk)
    await until(() => answer.includes('E_TOO_LARGE'))
    socket.destroy()
  })

  test('a client with too many requests is limited, and five wrong codes block the login', async () => {
    // A request gets a new turn only after 1 000 s, however long the test takes.
    const small = await TestServer.start({ settings: { requestsPerS: 0.001, requestsBurst: 5, loginsPer15Min: 5 } })
    try {
      const answers = []
      for (let n = 0; n < 8; n++) answers.push(await small.ask('GET', api('/auth/me'), { as: 'token' }))
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 429, 429, 429])
      expect(Number(answers.at(-1)!.headers['retry-after'])).toBeGreaterThanOrEqual(1)
      const wrong = () => small.ask('POST', api('/auth/session'), { body: { code: 'guess' } })
      for (let n = 0; n < 5; n++) expect((await wrong()).json.error.code).toBe('E_LOGIN')
      expect((await wrong()).json.error.code).toBe('E_RATE')
      const right = await small.api.parts.auth.codes.make({ id: 'owner', name: 'owner', role: 'owner' })
      expect((await small.ask('POST', api('/auth/session'), { body: { code: right } })).json.error.code).toBe('E_RATE')
    } finally {
      await small.close()
    }
  })

  test('slow headers are cut off, and the number of connections is limited', async () => {
    const small = await TestServer.start({ settings: { headersMs: 200, maxConnections: 4 } })
    try {
      const slow = connect(small.port, '127.0.0.1')
      slow.write('GET / HTTP/1.1\r\nhost: ')
      const text = await new Promise<string>(resolve => {
        let got = ''
        slow.on('data', data => {
          got += data
        })
        slow.on('close', () => resolve(got))
      })
      expect(text).toContain('408')
      const many = Array.from({ length: 8 }, () => connect(small.port, '127.0.0.1').on('error', () => undefined))
      const ended = await until(
        () => many.filter(({ readyState }) => readyState === 'closed' || readyState === 'writeOnly').length >= 4,
      )
      expect(ended).toBe(true)
      for (const socket of many) socket.destroy()
    } finally {
      await small.close()
    }
  })

  test('a login link works once, and no response reveals how close a guess was', async () => {
    const link = await server.api.parts.auth.codes.make({ id: 'owner', name: 'owner', role: 'owner' })
    const wrong = await server.ask('POST', api('/auth/session'), { body: { code: `${link}x` } })
    expect((await server.ask('POST', api('/auth/session'), { body: { code: link } })).status).toBe(201)
    const again = await server.ask('POST', api('/auth/session'), { body: { code: link } })
    expect(again.json.error.message).toBe(wrong.json.error.message)
  })
})
