import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { compressRecording } from '../../../src/terminal/recording/index.js'
import { type Loose, until } from '../support.js'
import { api, call, pending, server, session } from './context.js'

export function describeSessions(): void {
  describe('sessions and approvals', () => {
    test('a request is decided once by its idempotency key, applied and reported', async () => {
      const approval = await pending()
      await call('approvals.list', api('/approvals'))
      await call('approvals.get', api(`/approvals/${approval.id}`))
      await call('approvals.seen', api(`/approvals/${approval.id}/seen`), { body: { whole: true } })
      await call('overview.get', api('/overview'))
      const option = approval.request.options.find((each: Loose) => each.meaning === 'allow-once').key
      const decision = {
        fingerprint: approval.fingerprint,
        option,
        seen: { displayHash: approval.display.hash, whole: true },
        actor: { id: 'root', name: 'Mallory' },
        surface: 'cli',
      }
      const path = api(`/approvals/${approval.id}/decision?waitMs=30000`)
      const key = { 'idempotency-key': 'press-1' }
      const wrong = { ...decision, fingerprint: 'f'.repeat(64) }
      await call('approvals.decide', path, { body: wrong, expect: 409 })
      const { json } = await call('approvals.decide', path, { body: decision, headers: key })
      expect(json.state).toBe('applied')
      // Who decided is what the credential says, not what the client claims.
      expect(json.decision).toMatchObject({ actor: { name: 'owner', role: 'owner' }, surface: 'api' })
      expect((await call('approvals.decide', path, { body: decision, headers: key })).json.decision.at).toBe(
        json.decision.at,
      )
      const second = await call('approvals.decide', path, {
        body: decision,
        headers: { 'idempotency-key': 'press-2' },
        expect: 409,
      })
      expect(second.json.error).toMatchObject({ code: 'E_APPROVAL_DECIDED', first: { by: 'owner' } })
      await call('approvals.proof', api(`/approvals/${approval.id}/proof`))
      await call('approvals.wait', api(`/approvals/${approval.id}/wait?timeoutMs=0`))
      const { items, total, next, projects } = (
        await call('approvals.history', api(`/approvals/history?session=${session}&decision=allowed&limit=1`))
      ).json
      expect(items).toMatchObject([{ id: approval.id, result: 'allowed', by: 'owner', surface: 'api', session }])
      expect([total, next, projects]).toEqual([1, null, [items[0].project]])
      await call('approvals.report', api('/approvals/report'))
      expect((await call('approvals.report', api('/approvals/report?format=csv'))).headers['content-type']).toContain(
        'csv',
      )
    })

    test('a batch allows the listed requests, and deny-all denies the others of a session', async () => {
      const next = await pending()
      await call('sessions.wait', api(`/sessions/${session}/wait?for=approval&timeoutMs=60000`))
      const items = [{ id: next.id, fingerprint: next.fingerprint }]
      const { json } = await call('approvals.decide-batch', api('/approvals/decisions'), { body: { items } })
      expect(json.items).toEqual([{ id: next.id, state: 'decided' }])
      await until(async () => (await pending()).id !== next.id)
      const denied = await call('approvals.deny-all', api('/approvals/deny-all'), { body: { session } })
      expect(denied.json.items).toHaveLength(1)
    })

    test('a session shows its screen, conversation and files, and accepts prompts, keys, uploads and a budget', async () => {
      await until(async () => (await server.ask('GET', api(`/sessions/${session}`), { as: 'token' })).json.idle)
      await call('sessions.list', api('/sessions?state=live&q=first'))
      await call('sessions.get', api(`/sessions/${session.slice(0, 10)}`))
      await call('sessions.screen', api(`/sessions/${session}/screen`))
      expect((await call('active-session.choose', api('/active-session'), { body: { session } })).json.id).toBe(session)
      expect((await call('active-session.get', api('/active-session'))).json.id).toBe(session)
      const { json } = await call('sessions.conversation', api(`/sessions/${session}/conversation`))
      expect(JSON.stringify(json.messages)).toContain('Done')
      expect((await call('sessions.git', api(`/sessions/${session}/git`))).json.git).toBeNull()
      await call('sessions.diff', api(`/sessions/${session}/diff`), { expect: 409 })
      await call('sessions.image', api(`/sessions/${session}/image?path=a.png`), { expect: 409 })
      await call('sessions.commit', api(`/sessions/${session}/commit`), { body: { message: 'x' }, expect: 409 })
      await call('sessions.discard', api(`/sessions/${session}/discard`), { body: { files: ['x'] }, expect: 409 })
      await call('sessions.tree', api(`/sessions/${session}/tree`))
      await call('sessions.tree', api(`/sessions/${session}/tree?path=../home`), { expect: 403 })
      await call('sessions.held', api(`/sessions/${session}/messages`))
      await call('sessions.drop-message', api(`/sessions/${session}/messages/none`), { expect: 404 })
      await call('sessions.keys', api(`/sessions/${session}/keys`), { body: { keys: ['a', 'backspace'] } })
      await call('sessions.keys', api(`/sessions/${session}/keys`), { body: { keys: ['hyper-x'] }, expect: 400 })
      writeFileSync(join(server.work, 'note.txt'), 'hello')
      const file = await call('sessions.file', api(`/sessions/${session}/files?path=note.txt`))
      expect([file.text, file.headers['content-disposition']]).toEqual([
        'hello',
        "attachment; filename*=UTF-8''note.txt",
      ])
      await call('sessions.file', api(`/sessions/${session}/files?path=../home/state/token`), { expect: 403 })
      const form = new Response(
        (() => {
          const made = new FormData()
          made.set('file', new File(['bytes'], 'up.txt'))
          return made
        })(),
      )
      const upload = Buffer.from(await form.arrayBuffer())
      await call('sessions.upload', api(`/sessions/${session}/uploads?notify=false`), {
        body: upload,
        headers: { 'content-type': form.headers.get('content-type')! },
      })
      await call('sessions.send', api(`/sessions/${session}/messages`), { body: { text: 'again', when: 'after-turn' } })
      await call('active-session.send', api('/active-session/messages'), {
        body: { text: 'and again', when: 'after-turn' },
      })
      const raised = await call('sessions.budget', api(`/sessions/${session}/budget`), {
        body: { usd: 5, tokens: null },
      })
      expect(raised.json.budget).toEqual({ usd: 5, tokens: null })
      await call('sessions.interrupt', api(`/sessions/${session}/interrupt`), { body: {} })
      await call('active-session.choose', api('/active-session'), { body: { session } })
      expect((await call('active-session.get', api('/active-session'))).json.id).toBe(session)
      const id = 'msg_0123456789abcdef'
      const toActive = { body: { text: 'once', when: 'after-turn', id } }
      const first = await call('active-session.send', api('/active-session/messages'), toActive)
      expect(first.json.session).toBe(session)
      // The same prompt again, by its name, is the same one.
      const { position: _, ...again } = (await call('active-session.send', api('/active-session/messages'), toActive))
        .json
      expect(first.json).toMatchObject(again)
    })

    test('a pane shows its frame and picture, is renamed, acknowledged and acted on', async () => {
      const { json } = await call('panes.list', api('/panes'))
      expect(json.items).toHaveLength(1)
      await call('panes.get', api(`/panes/${session}`))
      await call('panes.stats', api('/panes/stats'))
      await call('panes.switches', api('/panes/switches'))
      await call('panes.set-switch', api('/panes/switches'), { body: { switch: 'notify', isOn: true } })
      await call('panes.frame', api(`/panes/${session}/frame?format=spans`))
      await call('panes.frame', api(`/panes/${session}/frame`))
      await call('panes.conversation', api(`/panes/${session}/conversation`))
      const picture = await call('panes.preview', api(`/panes/${session}/preview.svg`))
      expect(picture.text).toMatch(/^<svg [^>]*>.*<text/s)
      const same = { 'if-none-match': String(picture.headers.etag) }
      const again = await server.ask('GET', api(`/panes/${session}/preview.svg`), { as: 'token', headers: same })
      expect([200, 304]).toContain(again.status)
      await call('panes.explain', api(`/panes/${session}/explain`))
      await call('panes.acknowledge', api(`/panes/${session}/acknowledge`), { body: {} })
      await call('panes.clear', api(`/panes/${session}/clear`), { body: {} })
      await call('panes.act', api(`/panes/${session}/act`), { body: { action: 'seen' } })
      await call('panes.focus', api(`/panes/${session}/focus`), { body: {}, expect: 409 })
      const renamed = await call('panes.rename', api(`/panes/${session}`), { body: { name: 'second' } })
      expect(renamed.json.name).toBe('second')
      expect((await call('sessions.get', api(`/sessions/${session}`))).json.label).toBe('second')
      const [first] = (await call('panes.switches', api('/panes/switches'))).json.items
      await call('panes.set-switch', api('/panes/switches'), { body: { switch: first.switch, isOn: true } })
      await call('packs.problems', api('/packs/problems'))
    })

    test('a recording is served as bytes, with an index of decisions and the screen at any time', async () => {
      const { json } = await call('recordings.list', api(`/recordings?session=${session}`))
      const [recording] = json.items as Loose[]
      expect((await call('recordings.cast', api(`/recordings/${recording.id}.cast`))).text).toMatch(/^\{"version":/)
      const index = await call('recordings.index', api(`/recordings/${recording.id}/index`))
      expect(index.json.decisions.length).toBeGreaterThanOrEqual(3)
      expect(index.json.markers.length).toBeGreaterThan(3)
      const at = index.json.decisions[0].atMs
      const frame = await call(
        'recordings.frame',
        api(`/recordings/${recording.id}/frame?atMs=${at + 500}&format=text`),
      )
      expect(frame.json.lines.join('\n')).toContain('echo one')
    })

    test('a recording is sent without secrets, and compressed for a client that decompresses it', async () => {
      const about = { cwd: server.work, terminal: null, size: { cols: 80, rows: 24 }, label: null, resume: null }
      const token = `ghp_${'a1B2c3D4'.repeat(5).slice(0, 36)}`
      const args = ['/bin/sh', '-c', `echo ${token} packed`]
      const { id } = await server.host.startSession({ ...about, agent: null, args, person: 'local' })
      await until(async () => (await server.host.record(id)).state === 'ended')
      const path = api(`/recordings/${id}.cast`)
      const { text } = await call('recordings.cast', path)
      expect(text).toContain('packed')
      expect(text).not.toContain(token)
      await compressRecording((await server.host.record(id)).recording)
      const unpacked = await call('recordings.cast', path)
      expect(unpacked.text).toBe(text)
      const packed = await server.send('GET', path, { as: 'token', headers: { 'accept-encoding': 'gzip' } })
      expect(packed.headers['content-encoding']).toBe('gzip')
      const chunks: Buffer[] = []
      for await (const chunk of packed as AsyncIterable<Buffer>) chunks.push(chunk)
      expect(gunzipSync(Buffer.concat(chunks)).toString()).toBe(text)
      const index = await call('recordings.index', api(`/recordings/${id}/index`))
      expect(index.json.markers.map((marker: Loose) => marker.kind)).toContain('exit')
    })
  })
}
