import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Role } from '../../src/server/caller.js'
import { ROUTES } from '../../src/server/index.js'
import type { Route } from '../../src/server/route.js'
import { type Ask, type Login, type TestResponse, TestServer } from './support.js'

/*
 * Every operation with every kind of credentials. The list is the server's own, so a new operation
 * is tested automatically. Paths name missing objects and bodies are nonsense: a caller with access
 * gets 400, 404 or 409, and nothing is changed.
 */

const SERVED = ROUTES.filter(route => !route.isSocketOnly)
const GUARDED = SERVED.filter(({ access }) => access !== 'open' && access !== 'hook')
const RANK: Readonly<Record<Role, number>> = { viewer: 0, approver: 1, owner: 2 }
/** These act without a path or a body. */
const ACTS_AT_ONCE = ['lockdown.begin', 'auth.logout']

function targetOf({ path }: Route): string {
  return path.replace(/:file\{[^}]*\}/, 'rec_none.cast').replace(/:(\w+)/g, 'none')
}

let server: TestServer
let readOnly: TestServer
const logins = new Map<Role, Login>()

beforeAll(async () => {
  server = await TestServer.start()
  readOnly = await TestServer.start({ settings: { isReadOnly: true } })
  for (const role of ['viewer', 'approver', 'owner'] as const) logins.set(role, await server.login(role))
  server.ageLogins()
})
afterAll(async () => {
  await server.close()
  await readOnly.close()
})

/** Streams are not waited for to end. */
async function ask(
  route: Route,
  how: Ask,
  at = server,
): Promise<Pick<TestResponse, 'status'> & { code: string | null }> {
  const body = route.method === 'GET' ? undefined : { nonsense: true }
  const response = await at.send(route.method, targetOf(route), { ...(body && { body }), ...how })
  if (String(response.headers['content-type']).startsWith('text/event-stream')) {
    response.destroy()
    return { status: response.statusCode!, code: null }
  }
  let text = ''
  for await (const chunk of response) text += chunk
  const isJson = String(response.headers['content-type']).includes('json')
  const code = isJson && text ? ((JSON.parse(text).error?.code as string) ?? null) : null
  return { status: response.statusCode!, code }
}

/** Asks all of them one way, and tells which were not refused as they should be. */
async function refusals(routes: readonly Route[], how: (route: Route) => Ask, codes: readonly string[], at = server) {
  const wrong: string[] = []
  for (const route of routes) {
    const { status, code } = await ask(route, how(route), at)
    if (code === null || !codes.includes(code)) wrong.push(`${route.id}: ${status} ${code}`)
  }
  return wrong
}

describe('the table of operations', () => {
  test('has every operation once, with a role and an answer', () => {
    const ids = ROUTES.map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    for (const route of ROUTES) expect(Object.keys(route.answers).length, route.id).toBeGreaterThan(0)
    expect(SERVED.length).toBeGreaterThan(80)
  })
})

describe('requests over TCP', () => {
  test('a request without a login is refused, whatever its Origin', async () => {
    expect(await refusals(GUARDED, () => ({}), ['E_LOGIN'])).toEqual([])
    expect(await refusals(GUARDED, () => ({ headers: { origin: server.address } }), ['E_LOGIN'])).toEqual([])
    const hooks = SERVED.filter(({ access }) => access === 'hook')
    expect(await refusals(hooks, () => ({}), ['E_LOGIN'])).toEqual([])
  })

  test('an unknown Host is refused first, even with a valid token and a matching Origin', async () => {
    const hosts = [
      'evil.example',
      `evil.example:${server.port}`,
      '127.0.0.1',
      `127.0.0.1:${server.port + 1}`,
      'localhost',
    ]
    for (const host of hosts)
      expect(
        await refusals(SERVED, () => ({ as: 'token', headers: { host, origin: `http://${host}` } }), ['E_HOST']),
      ).toEqual([])
    const unknown = await server.ask('GET', '/no/such/page', { headers: { host: 'evil.example' } })
    expect(unknown.json.error.code).toBe('E_HOST')
  })

  test('an unknown Origin is refused, even with a valid token or proof', async () => {
    const origins = [
      'http://evil.example',
      'null',
      `http://127.0.0.1:${server.port + 1}`,
      `https://${server.authority}`,
    ]
    for (const origin of origins) {
      expect(await refusals(SERVED, () => ({ as: 'token', headers: { origin } }), ['E_ORIGIN'])).toEqual([])
      expect(await refusals(SERVED, () => ({ as: logins.get('owner')!, headers: { origin } }), ['E_ORIGIN'])).toEqual(
        [],
      )
    }
    for (const site of ['cross-site', 'same-site'])
      expect(
        await refusals(SERVED, () => ({ as: 'token', headers: { 'sec-fetch-site': site } }), ['E_ORIGIN']),
      ).toEqual([])
  })

  test('a proof without an Origin or Sec-Fetch-Site of the dashboard is refused', async () => {
    const bare = { origin: null, 'sec-fetch-site': null }
    expect(await refusals(GUARDED, () => ({ as: logins.get('owner')!, headers: bare }), ['E_ORIGIN'])).toEqual([])
  })

  test('a proof is valid for one request to one address for one minute', async () => {
    const as = logins.get('owner')!
    const bad = ['E_PROOF']
    expect(await refusals(GUARDED, () => ({ as, proof: { target: '/api/v1/overview?x' } }), bad)).toEqual([])
    expect(await refusals(GUARDED, () => ({ as, proof: { host: 'localhost:1' } }), bad)).toEqual([])
    expect(await refusals(GUARDED, () => ({ as, proof: { method: 'PUT' } }), bad)).toEqual([])
    expect(await refusals(GUARDED, () => ({ as, proof: { body: Buffer.from('{}') } }), bad)).toEqual([])
    expect(await refusals(GUARDED, () => ({ as, proof: { ms: Date.now() - 61_000 } }), bad)).toEqual([])
    expect(await refusals(GUARDED, () => ({ as, proof: { ms: Date.now() + 61_000 } }), bad)).toEqual([])
    expect(await refusals(GUARDED, () => ({ as, headers: { 'x-signalbox-proof': 'nonsense' } }), bad)).toEqual([])
    const wrongKey = { ...as, key: Buffer.alloc(32) }
    expect(await refusals(GUARDED, () => ({ as: wrongKey }), bad)).toEqual([])
    for (const route of GUARDED.filter(({ id }) => !ACTS_AT_ONCE.includes(id))) {
      const proof = { nonce: `used-${route.id}`.padEnd(20, 'x').replaceAll('.', '-') }
      await ask(route, { as, proof })
      expect(await ask(route, { as, proof }), route.id).toMatchObject({ code: 'E_PROOF' })
    }
  })

  test('a revoked device and a rotated token are refused', async () => {
    const gone = await server.login('owner')
    await server.ask('DELETE', `/api/v1/auth/devices/${gone.device}`, { as: 'token' })
    expect(await refusals(GUARDED, () => ({ as: gone }), ['E_LOGIN'])).toEqual([])
    const before = server.token
    await server.api.parts.auth.token.rotate()
    expect(await refusals(GUARDED, () => ({ as: { bearer: before } }), ['E_LOGIN'])).toEqual([])
    expect(await refusals(GUARDED, () => ({ as: { bearer: 'x' } }), ['E_LOGIN'])).toEqual([])
    expect((await server.ask('GET', '/api/v1/overview', { as: 'token' })).status).toBe(200)
  })

  test('a role may do exactly what the table lists, whatever a client claims to be', async () => {
    for (const [role, as] of logins) {
      const [may, mayNot] = [true, false].map(is =>
        GUARDED.filter(({ access }) => RANK[role] >= RANK[access as Role] === is),
      )
      const claims = { 'x-role': 'owner', 'x-signalbox-role': 'owner', 'x-forwarded-user': 'root' }
      expect(await refusals(mayNot!, () => ({ as, headers: claims }), ['E_ROLE']), role).toEqual([])
      for (const route of may!.filter(({ id }) => !ACTS_AT_ONCE.includes(id))) {
        const { status, code } = await ask(route, { as })
        if (route.needsStepUp === true) expect(code, `${role} ${route.id}`).toBe('E_STEP_UP')
        else
          expect([200, 201, 202, 304, 400, 404, 405, 409, 413, 415, 422], `${role} ${route.id} ${code}`).toContain(
            status,
          )
      }
    }
  })

  test('a read-only server refuses every write and no read', async () => {
    const writes = GUARDED.filter(({ isWrite }) => isWrite)
    expect(await refusals(writes, () => ({ as: 'token' }), ['E_READ_ONLY'], readOnly)).toEqual([])
    for (const route of GUARDED.filter(({ isWrite }) => !isWrite)) {
      if (ACTS_AT_ONCE.includes(route.id)) continue
      expect((await ask(route, { as: 'token' }, readOnly)).code, route.id).not.toBe('E_READ_ONLY')
    }
  })

  test('operations of the socket do not exist over TCP', async () => {
    for (const route of ROUTES.filter(({ isSocketOnly }) => isSocketOnly))
      expect(await ask(route, { as: 'token' }), route.id).toMatchObject({ status: 404, code: 'E_UNKNOWN' })
  })

  test('every answer has the security headers and no CORS header', async () => {
    const targets = ['/', '/login', '/api/v1/overview', '/api/v1/none', '/healthz', '/assets/none.js']
    for (const target of targets)
      for (const as of ['nobody', 'token'] as const) {
        const { headers } = await server.ask('GET', target, { as })
        expect(headers['content-security-policy'], target).toContain("default-src 'none'")
        expect(headers['x-content-type-options']).toBe('nosniff')
        expect(headers['referrer-policy']).toBe('no-referrer')
        expect(headers['cross-origin-resource-policy']).toBe('same-origin')
        expect(Object.keys(headers).filter(name => name.startsWith('access-control'))).toEqual([])
        expect(headers['set-cookie']).toBeUndefined()
      }
    for (const route of SERVED)
      expect((await server.ask('OPTIONS', targetOf(route), { headers: { origin: server.address } })).status).toBe(405)
  })
})
