import { beforeAll, describe, expect, test } from 'vitest'
import { reportedOf, requestOf } from '../../../src/approvals/testing/fixtures.js'
import type { Loose, TestServer } from '../support.js'
import { api, call, called, run, server, session } from './context.js'

export function describeDaemon(): void {
  describe('links that share a session', () => {
    test('a link shows its session and nothing else without a login, until it is revoked', async () => {
      const made = await call('shares.add', api(`/sessions/${session}/shares`), { body: { hours: 2 }, expect: 201 })
      const code = String(made.json.url).split('#')[1]!
      expect(made.json.share).toMatchObject({ session, by: 'owner' })
      const headers = { 'x-signalbox-share': code }
      const read = await call('shares.read', api('/shared'), { as: 'nobody', headers })
      expect(read.json).toMatchObject({
        session: { agent: 'demo', state: 'live' },
        expiresAt: made.json.share.expiresAt,
      })
      // The agent's own screen may show its directory; nothing else of the answer does.
      expect(JSON.stringify({ ...read.json, screen: null })).not.toContain(server.work)
      const tag = { ...headers, 'if-none-match': String(read.headers.etag) }
      expect((await server.ask('GET', api('/shared'), { as: 'nobody', headers: tag })).status).toBe(304)
      // The code of a link is not a login.
      for (const path of ['/sessions', `/sessions/${session}`, '/overview', '/shares'])
        expect((await server.ask('GET', api(path), { as: 'nobody', headers })).status).toBe(401)
      const other = { 'x-signalbox-share': `${code.slice(0, -1)}${code.endsWith('A') ? 'B' : 'A'}` }
      await call('shares.read', api('/shared'), { as: 'nobody', headers: other, expect: 401 })
      expect((await call('shares.list', api(`/shares?session=${session}`))).json.items).toHaveLength(1)
      const viewer = await server.login('approver')
      await call('shares.add', api(`/sessions/${session}/shares`), { as: viewer, body: {}, expect: 403 })
      await call('shares.revoke', api(`/shares/${made.json.share.id}`))
      await call('shares.revoke', api(`/shares/${made.json.share.id}`), { expect: 404 })
      await call('shares.read', api('/shared'), { as: 'nobody', headers, expect: 401 })
    })
  })

  describe('people, settings and the daemon', () => {
    let login: Awaited<ReturnType<TestServer['login']>>

    beforeAll(async () => {
      login = await server.login('owner')
      server.ageLogins()
      called.add('auth.login')
    })

    test('a setting is changed after a step-up, and only from its current version', async () => {
      await call('auth.me', api('/auth/me'), { as: login })
      await call('auth.devices', api('/auth/devices'), { as: login })
      const code = await server.api.parts.auth.codes.make({ id: 'owner', name: 'owner', role: 'owner' })
      const change = { body: { changes: { 'notify.grace_s': 33 } } }
      const far = { body: { changes: { 'approvals.grant_uses': 3 } } }
      await call('settings.change', api('/settings'), { as: login, ...far, expect: 403 })
      await call('auth.step-up', api('/auth/step-up'), { as: login, body: { code } })
      const { headers } = await call('settings.get', api('/settings'), { as: login })
      const stale = { 'if-match': '"0000"' }
      await call('settings.change', api('/settings'), { as: login, ...change, headers: stale, expect: 409 })
      const current = { 'if-match': String(headers.etag) }
      const { json } = await call('settings.change', api('/settings'), { as: login, ...change, headers: current })
      expect(json.items.find((item: Loose) => item.key === 'notify.grace_s')).toMatchObject({
        shown: '33',
        origin: { source: 'user' },
      })
    })

    test('a login link signs its person in; it needs a proof that the owner is there', async () => {
      const link = api('/auth/links')
      const body = { name: 'Vera', role: 'viewer' }
      const { json } = await call('auth.link', link, { as: login, body, expect: 201 })
      const code = new URL(json.url).hash.slice(1)
      const made = await server.ask('POST', '/api/v1/auth/session', { as: 'nobody', body: { code, name: 'phone' } })
      expect(made).toMatchObject({ status: 201, json: { person: { id: 'person:Vera', name: 'Vera', role: 'viewer' } } })
      const later = await server.login('owner')
      server.ageLogins()
      await call('auth.link', link, { as: later, body, expect: 403 })
    })

    test('a project is trusted by the hash that was shown; pairing without a bot is refused', async () => {
      const pairing = api('/pairing/telegram')
      await call('pairing.telegram', pairing, { as: login, body: { action: 'open' }, expect: 409 })
      const bot = api('/pairing/telegram/bot')
      await call('pairing.telegram-bot', bot, { as: login, body: { token: '1:x' }, expect: 409 })
      const projects = await call('projects.list', api('/projects'))
      const { id } = projects.json.items[0]
      await call('projects.trust', api(`/projects/${id}/trust`))
      await call('projects.set-trust', api(`/projects/${id}/trust`), {
        as: login,
        body: { hash: 'f'.repeat(64) },
        expect: 403,
      })
      const trust = await call('projects.trust', api(`/projects/${id}/trust`))
      const trusted = await call('projects.set-trust', api(`/projects/${id}/trust`), {
        as: login,
        body: { hash: trust.json.hash },
      })
      expect(trusted.json.isTrusted).toBe(true)
    })

    test('people, directories and the findings of doctor are listed', async () => {
      await call('people.list', api('/people'))
      const below = await call('directories.list', api(`/directories?path=${encodeURIComponent(`${server.work}/`)}`))
      expect(below.json.items.every(({ path }: Loose) => String(path).startsWith(server.work))).toBe(true)
      // Only a daemon that a command started is replaced.
      await call('health.restart', api('/restart'), { body: {}, expect: 409 })
      await call('doctor.get', api('/doctor'))
      await call('doctor.fix', api('/doctor/fix/store'), { body: {}, expect: 409 })
    })

    test('a browser subscribes to notifications, is tested and unsubscribes', async () => {
      const presence = { subscription: 'sub_1', visible: true, focused: true, inputAgoMs: 10 }
      await call('presence.report', api('/presence'), { body: presence })
      const push = {
        // Nothing listens there: the subscription stays.
        endpoint: 'http://127.0.0.1:1/push',
        keys: {
          p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
          auth: 'BTBZMqHH6r4Tts7J_aSIgg',
        },
      }
      const { id: subscribed } = (await call('push.subscribe', api('/push/subscriptions'), { body: push, expect: 201 }))
        .json
      expect((await call('push.state', api('/push'))).json.items).toHaveLength(1)
      await call('push.test', api('/push/test'), { body: {} })
      await call('push.unsubscribe', api(`/push/subscriptions/${subscribed}`), { expect: 200 })
      await call('push.unsubscribe', api(`/push/subscriptions/${subscribed}`), { expect: 404 })
    })

    test('agents, conversations, health and metrics are shown', async () => {
      expect((await call('agents.list', api('/agents'))).json.items[0]).toMatchObject({ isInstalled: true })
      expect((await call('conversations.list', api('/conversations'))).json.items).toEqual([])
      await call('health.alive', '/healthz', { as: 'nobody' })
      await call('health.get', api('/health'))
      expect((await call('metrics.root', '/metrics')).text).toContain('signalbox_sessions 1')
      await call('metrics.get', api('/metrics'))
    })

    test('a schedule needs a proof of the person; it is paused, started and removed', async () => {
      const nightly = { cron: '0 2 * * *', command: ['oneshot', 'Update'], directory: '/work' }
      // What starts programs later needs a proof of the person, like a grant.
      await call('schedules.add', api('/schedules'), { body: nightly, expect: 403 })
      const by = { kind: 'person', id: 'local', name: 'kim', role: 'owner' } as const
      const { id: schedule } = await server.schedules.add({ ...nightly, by })
      expect((await call('schedules.list', api('/schedules'))).json.items).toHaveLength(1)
      await call('schedules.pause', api(`/schedules/${schedule}/pause`), { body: {} })
      await call('schedules.resume', api(`/schedules/${schedule}/resume`), { body: {} })
      const tried = await call('schedules.start', api(`/schedules/${schedule}/start`), { body: {} })
      expect(tried.json.last).toMatchObject({ outcome: 'started', run: 'run_1' })
      await call('schedules.remove', api(`/schedules/${schedule}/remove`), { body: {} })
    })

    test('standing approvals are paused, resumed and revoked', async () => {
      await call('grants.list', api('/grants'))
      await call('grants.pause', api('/grants/pause'), { body: {} })
      await call('grants.resume', api('/grants/resume'), { body: {} })
      await call('grants.revoke', api('/grants/none/revoke'), { body: {}, expect: 404 })
    })

    test('events are listed and streamed; a hook call without its secret is refused', async () => {
      await call('events.log', api('/events/log?limit=3'))
      const stream = await server.send('GET', api('/events'), { as: 'token' })
      expect(stream.headers['content-type']).toContain('text/event-stream')
      stream.destroy()
      called.add('events.stream')
      await call('events.watch', api('/events/none/watch'), { body: { panes: [] }, expect: 404 })
      await call('hooks.report', api('/hooks/demo'), { as: { bearer: 'none' }, body: {}, expect: 401 })
    })

    test('a session without a directory or repository is refused; one is stopped, forked and resumed', async () => {
      const apart = { agent: 'demo', cwd: server.work, worktree: true }
      await call('sessions.start', api('/sessions'), { body: apart, expect: 400 })
      await call('sessions.start', api('/sessions'), { body: { agent: 'claude' }, expect: 400 })
      await call('sessions.stop', api(`/sessions/${session}/stop`), { body: {} })
      await call('sessions.fork', api(`/sessions/${session}/fork`), { body: {} })
      await call('sessions.resume', api(`/sessions/${session}/resume`), { body: {} })
    })

    test('a logout ends the login', async () => {
      await call('auth.revoke-device', api('/auth/devices/none'), { expect: 404 })
      await call('auth.logout', api('/auth/session'), { as: login })
      expect((await server.ask('GET', api('/auth/me'), { as: login })).json.error.code).toBe('E_LOGIN')
    })

    test('tools over MCP may do what their caller may do', async () => {
      const headers = { accept: 'application/json, text/event-stream' }
      const message = (params: object) => ({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
      const tool = { name: 'run_show', arguments: { run } }
      const shown = await call('mcp.call', api('/mcp'), { headers, body: message(tool) })
      expect(shown.text).toContain('Release')
      const viewer = await server.login('viewer')
      const cancel = message({ name: 'run_cancel', arguments: { run } })
      expect((await call('mcp.call', api('/mcp'), { headers, body: cancel, as: viewer })).text).toContain('E_ROLE')
      await call('mcp.stream', api('/mcp'), { expect: 405 })
    })

    test('lists are returned page by page, newest first, each item once', async () => {
      const ids: string[] = []
      for (let cursor = ''; ; ) {
        const { json } = await call('runs.list', api(`/runs?limit=1${cursor}`))
        ids.push(...json.items.map((item: Loose) => item.id))
        if (json.next === null) break
        cursor = `&cursor=${json.next}`
      }
      expect(ids).toEqual(
        (await server.ask('GET', api('/runs?limit=200'), { as: 'token' })).json.items.map((item: Loose) => item.id),
      )
      expect(ids.length).toBeGreaterThan(3)
      await call('runs.list', api('/runs?limit=201'), { expect: 400 })
      await call('runs.list', api('/runs?colour=red'), { expect: 400 })
      await call('runs.list', api('/runs?cursor=nonsense'), { expect: 400 })
    })

    test('a write with the same idempotency key is performed once; another write under that key is refused', async () => {
      const headers = { 'idempotency-key': 'start-1' }
      const dot = 'digraph g { start [shape=Mdiamond]; exit [shape=Msquare]; start -> exit }'
      const body = { graph: dot, project: server.work }
      const first = await call('runs.start', api('/runs'), { body, headers })
      const again = await call('runs.start', api('/runs'), { body, headers })
      expect(again.json.id).toBe(first.json.id)
      const other = await call('runs.start', api('/runs'), {
        body: { ...body, labels: { a: 'b' } },
        headers,
        expect: 409,
      })
      expect(other.json.error.code).toBe('E_IDEMPOTENCY')
    })

    test('lockdown ends grants, logins and tokens, and accepts only denials', async () => {
      const login = await server.login('owner')
      const before = server.token
      await call('lockdown.begin', api('/lockdown'), { as: login, body: {} })
      expect((await server.ask('GET', api('/overview'), { as: login })).json.error.code).toBe('E_LOGIN')
      expect((await server.ask('GET', api('/overview'), { as: { bearer: before } })).json.error.code).toBe('E_LOGIN')
      const { ledger } = server.host
      const item = async () => {
        const { id, fingerprint, display } = await ledger.request(requestOf())
        return { id, fingerprint, displayHash: display.hash }
      }
      const decide = async (option: string) => {
        const { id, fingerprint, displayHash } = await item()
        const body = { fingerprint, option, seen: { displayHash, whole: true } }
        return (await server.ask('POST', api(`/approvals/${id}/decision`), { as: 'token', body })).json
      }
      const batch = async (chosen: object) => {
        const { id, fingerprint } = await ledger.request(reportedOf({ requestKey: JSON.stringify(chosen) }))
        const body = { items: [{ id, fingerprint }], ...chosen }
        return (await server.ask('POST', api('/approvals/decisions'), { as: 'token', body })).json
      }
      const [allow, deny] = ['allow-once', 'deny'].map(
        meaning => requestOf().request.options.find(option => option.meaning === meaning)!.key,
      )
      expect((await decide(allow!)).error.code).toBe('E_LOCKED')
      expect((await decide(deny!)).state).toBe('decided')
      expect((await batch({})).items).toMatchObject([{ state: 'refused', code: 'E_LOCKED' }])
      expect((await batch({ answer: 'deny' })).items).toMatchObject([{ state: 'decided' }])
    })
  })
}
