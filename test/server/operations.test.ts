import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { reportedOf, requestOf } from '../../src/approvals/testing/fixtures.js'
import { openApi, ROUTES } from '../../src/server/index.js'
import { pathOf } from '../../src/server/openapi.js'
import type { Route } from '../../src/server/route.js'
import { errorAnswer } from '../../src/server/schemas/common.js'
import { TIME_FIELDS } from '../../src/server/wire/index.js'
import { packRecording } from '../../src/terminal/recording/index.js'
import { executableText } from '../../src/trust/index.js'
import { type Ask, type Loose, type TestResponse, TestServer, until } from './support.js'

/*
 * Every operation is called on a living system, and what comes back is held against the schema that
 * the OpenAPI document was made from: all of it, with nothing that the schema does not name where
 * it is closed. An operation that no test calls fails the last test here.
 */

const SERVED = ROUTES.filter(route => !route.isSocketOnly)
const called = new Set<string>()
let server: TestServer
let session: string
let run: string

const DOT =
  'digraph g { label="Release"; start [shape=Mdiamond]; exit [shape=Msquare]; a [shape=parallelogram, tool_command="echo hello"]; g [shape=hexagon, label="Go on?"]; start -> a; a -> g; g -> exit [label="[Y] Yes"]; g -> exit [label="[N] No"] }'

function routeOf(id: string): Route {
  const found = SERVED.find(route => route.id === id)
  if (!found) throw new Error(`there is no operation ${id}`)
  return found
}

/**
 * Calls an operation by its id and checks the answer; `path` fills the parameters and may have a
 * query.
 */
async function call(id: string, path: string, ask: Ask & { expect?: number } = {}): Promise<TestResponse> {
  const route = routeOf(id)
  const told = await server.ask(route.method, path, { as: 'token', ...ask })
  const wanted = ask.expect ?? Math.min(...Object.keys(route.answers).map(Number))
  expect(told.status, `${id}: ${told.text.slice(0, 500)}`).toBe(wanted)
  called.add(id)
  if (told.status >= 400) expect(errorAnswer.strict().safeParse(told.json).error, id).toBeUndefined()
  else check(route, told)
  return told
}

function check(route: Route, { status, json, headers }: TestResponse): void {
  const answer = route.answers[status]
  expect(answer, `${route.id} documents ${status}`).toBeDefined()
  const type = String(headers['content-type'] ?? '')
  if (answer!.schema && type.includes('application/json')) {
    const result = answer!.schema.safeParse(json)
    expect(result.error?.issues, route.id).toBeUndefined()
    expect(json, `${route.id}: fields beyond the schema`).toEqual(result.data)
  } else if (answer!.media) expect([answer!.media].flat(), route.id).toContain(type.split(';')[0])
}

const api = (path: string) => `/api/v1${path}`

beforeAll(async () => {
  server = await TestServer.start({ hasRuns: true })
  const scenario = join(server.work, 'asks.json')
  const shell = (command: string) => ({
    tool: { name: 'Shell', kind: 'shell', command, permission: true, onDeny: 'continue' },
  })
  const steps = [shell('echo one'), { say: 'Done **it**.' }, shell('echo two'), shell('echo three')]
  writeFileSync(scenario, JSON.stringify({ name: 'asks', turns: [], otherwise: { steps } }))
  const args = ['--scenario', scenario]
  const body = { agent: 'demo', cwd: server.work, args, label: 'first', prompt: 'go' }
  session = (await call('sessions.start', api('/sessions'), { body })).json.id
  const { hash } = await executableText(DOT, server.work)
  const start = { graph: DOT, project: server.work, trust: hash, labels: { team: 'x' } }
  run = (await call('runs.start', api('/runs'), { body: start })).json.id
})
afterAll(() => server.close())

const pending = () =>
  until(async () => {
    const { json } = await server.ask('GET', api(`/approvals?session=${session}&state=pending`), { as: 'token' })
    return (json.items as Loose[]).find(item => item.kind === 'permission') as Loose
  })

const gate = () =>
  until(
    async () => (await server.ask('GET', `/pipelines/${run}/questions`, { as: 'token' })).json.questions?.[0] as Loose,
  )

describe('sessions and approvals', () => {
  test('an approval from the card to applied, once, with its key; then what was said', async () => {
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
    await call('approvals.report', api('/approvals/report'))
    expect((await call('approvals.report', api('/approvals/report?format=csv'))).headers['content-type']).toContain(
      'csv',
    )
  })

  test('a batch, and one press that denies the rest', async () => {
    const next = await pending()
    await call('sessions.wait', api(`/sessions/${session}/wait?for=approval&timeoutMs=60000`))
    const items = [{ id: next.id, fingerprint: next.fingerprint }]
    const { json } = await call('approvals.decide-batch', api('/approvals/decisions'), { body: { items } })
    expect(json.items).toEqual([{ id: next.id, state: 'decided' }])
    await until(async () => (await pending()).id !== next.id)
    const denied = await call('approvals.deny-all', api('/approvals/deny-all'), { body: { session } })
    expect(denied.json.items).toHaveLength(1)
  })

  test('sessions, what they show, and what is sent to them', async () => {
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
    expect([file.text, file.headers['content-disposition']]).toEqual(['hello', "attachment; filename*=UTF-8''note.txt"])
    await call('sessions.file', api(`/sessions/${session}/files?path=../home/state/token`), { expect: 403 })
    const form = new Response(
      (() => {
        const made = new FormData()
        made.set('file', new File(['bytes'], 'up.txt'))
        return made
      })(),
    )
    const upload = Buffer.from(await form.arrayBuffer())
    await call('sessions.upload', api(`/sessions/${session}/uploads?tell=false`), {
      body: upload,
      headers: { 'content-type': form.headers.get('content-type')! },
    })
    await call('sessions.send', api(`/sessions/${session}/messages`), { body: { text: 'again', when: 'after-turn' } })
    await call('active-session.send', api('/active-session/messages'), {
      body: { text: 'and again', when: 'after-turn' },
    })
    const raised = await call('sessions.budget', api(`/sessions/${session}/budget`), { body: { usd: 5, tokens: null } })
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

  test('panes: their pictures, and what is done to them', async () => {
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

  test('recordings: the bytes, what happened, and the screen at any time', async () => {
    const { json } = await call('recordings.list', api(`/recordings?session=${session}`))
    const [recording] = json.items as Loose[]
    expect((await call('recordings.cast', api(`/recordings/${recording.id}.cast`))).text).toMatch(/^\{"version":/)
    const index = await call('recordings.index', api(`/recordings/${recording.id}/index`))
    expect(index.json.decisions.length).toBeGreaterThanOrEqual(3)
    expect(index.json.markers.length).toBeGreaterThan(3)
    const at = index.json.decisions[0].atMs
    const frame = await call('recordings.frame', api(`/recordings/${recording.id}/frame?atMs=${at + 500}&format=text`))
    expect(frame.json.lines.join('\n')).toContain('echo one')
  })

  test('a recording is sent without secrets, packed for a client that unpacks it', async () => {
    const about = { cwd: server.work, terminal: null, size: { cols: 80, rows: 24 }, label: null, resume: null }
    const token = `ghp_${'a1B2c3D4'.repeat(5).slice(0, 36)}`
    const args = ['/bin/sh', '-c', `echo ${token} packed`]
    const { id } = await server.host.startSession({ ...about, agent: null, args, person: 'local' })
    await until(async () => (await server.host.record(id)).state === 'ended')
    const path = api(`/recordings/${id}.cast`)
    const { text } = await call('recordings.cast', path)
    expect(text).toContain('packed')
    expect(text).not.toContain(token)
    await packRecording((await server.host.record(id)).recording)
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

describe('runs and graphs', () => {
  test('a run is seen from every side while it waits, and answered', async () => {
    const asked = await gate()
    await call('attractor.questions', `/pipelines/${run}/questions`)
    await call('runs.list', api('/runs?status=waiting&label=team=x'))
    await call('runs.get', api(`/runs/${run}`))
    const nodes = await call('runs.nodes', api(`/runs/${run}/nodes`))
    expect(nodes.json.items.map((node: Loose) => [node.node, node.status])).toContainEqual(['g', 'waiting'])
    const visit = await call('runs.visit', api(`/runs/${run}/nodes/a/visits/1`))
    expect(visit.json).toMatchObject({ status: 'success', attempts: [{ status: 'ok' }] })
    await call('runs.visit', api(`/runs/${run}/nodes/a/visits/9`), { expect: 404 })
    const log = await call('runs.log', api(`/runs/${run}/log?limit=3`))
    expect(log.json.items).toHaveLength(3)
    const lines = await server.ask('GET', api(`/runs/${run}/log`), {
      as: 'token',
      headers: { accept: 'application/x-ndjson' },
    })
    expect(
      lines.text
        .trim()
        .split('\n')
        .map(line => JSON.parse(line)).length,
    ).toBeGreaterThan(3)
    await call('runs.timeline', api(`/runs/${run}/timeline`))
    expect((await call('runs.context', api(`/runs/${run}/context`))).json.context['tool.output']).toBe('hello\n')
    await call('runs.checkpoint', api(`/runs/${run}/checkpoint`))
    expect((await call('runs.gates', api(`/runs/${run}/gates`))).json.items).toHaveLength(1)
    await call('runs.artifacts', api(`/runs/${run}/artifacts`))
    await call('runs.artifact', api(`/runs/${run}/artifacts/none`), { expect: 404 })
    for (const format of ['svg', 'json', 'dot']) await call('runs.graph', api(`/runs/${run}/graph?format=${format}`))
    await call('runs.diff', api(`/runs/${run}/diff`), { expect: 409 })
    await call('runs.pull', api(`/runs/${run}/pull`), { expect: 404 })
    await call('runs.image', api(`/runs/${run}/image?path=a.png`), { expect: 404 })
    for (const format of ['bundle', 'attractor']) await call('runs.export', api(`/runs/${run}/export?format=${format}`))
    await call('runs.export', api(`/runs/${run}/export?format=oneshot`), { expect: 409 })
    await call('attractor.status', `/pipelines/${run}`)
    await call('attractor.checkpoint', `/pipelines/${run}/checkpoint`)
    await call('attractor.context', `/pipelines/${run}/context`)
    await call('attractor.graph', `/pipelines/${run}/graph`)
    const path = `/pipelines/${run}/questions/${asked.id}/answer`
    await call('attractor.answer', path, { body: { value: 'perhaps' }, expect: 422 })
    await call('attractor.answer', path, { body: { value: 'Y', fingerprint: asked.fingerprint } })
    await call('attractor.answer', path, { body: { value: 'N' }, expect: 409 })
    const events = await server.ask('GET', `/pipelines/${run}/events`, { as: 'token' })
    expect(events.text).toContain('event: PipelineStarted')
    expect(events.text).toContain('event: PipelineCompleted')
    expect(events.headers['content-type']).toContain('text/event-stream')
    called.add('attractor.events')
    await call('runs.resume', api(`/runs/${run}/resume`), { body: {}, expect: 409 })
    await call('runs.pause', api(`/runs/${run}/pause`), { body: {}, expect: 409 })
    await call('runs.cancel', api(`/runs/${run}/cancel`), { body: {}, expect: 409 })
    await call('attractor.cancel', `/pipelines/${run}/cancel`, { body: {}, expect: 409 })
    const fork = await call('runs.fork', api(`/runs/${run}/fork`), { body: { at: 'a' } })
    expect(fork.json.from).toMatchObject({ run, as: 'fork' })
  })

  test('a graph as text/vnd.graphviz; one that is wrong; one that is not trusted', async () => {
    const headers = { 'content-type': 'text/vnd.graphviz' }
    await call('attractor.create', '/pipelines', { body: Buffer.from('digraph {'), headers, expect: 422 })
    const untrusted = await call('attractor.create', '/pipelines', {
      body: { dot: DOT.replace('hello', 'other'), project: server.work },
      expect: 403,
    })
    expect(untrusted.json.error).toMatchObject({ code: 'E_UNTRUSTED', details: { hash: expect.any(String) } })
    const text =
      'digraph g { start [shape=Mdiamond]; exit [shape=Msquare]; t [shape=parallelogram, tool_command="true"]; start -> t -> exit }'
    const sent = { body: Buffer.from(text), headers }
    const named = await call('attractor.create', '/pipelines', { ...sent, expect: 403 })
    const first = await call('attractor.create', `/pipelines?trust=${named.json.error.details.hash}`, sent)
    const again = await call('attractor.create', '/pipelines', sent)
    for (const { json } of [first, again])
      await until(
        async () => (await server.ask('GET', `/pipelines/${json.id}`, { as: 'token' })).json.status === 'completed',
      )
    const plain = 'digraph g { start [shape=Mdiamond]; exit [shape=Msquare]; start -> exit }'
    const { hash } = await executableText(plain, server.work)
    const made = await call('attractor.create', '/pipelines', {
      body: { dot: plain, project: server.work, trust: hash },
    })
    await until(
      async () => (await server.ask('GET', `/pipelines/${made.json.id}`, { as: 'token' })).json.status === 'completed',
    )
    await call('graphs.validate', api('/graphs/validate'), { body: { dot: 'digraph g { a -> b }' } })
    await call('graphs.validate', api('/graphs/validate'), { body: { file: '../x.dot', project: '/etc' }, expect: 404 })
    await call('graphs.render', api('/graphs/render'), { body: { dot: DOT } })
    await call('graphs.render', api('/graphs/render'), { body: { dot: 'digraph {' }, expect: 422 })
    await call('graphs.list', api('/graphs'))
    const pipelines = await call('pipelines.list', api('/pipelines'))
    expect(pipelines.json.items.map((item: Loose) => item.name)).toEqual(['implementation', 'pull_request', 'review'])
    const registered = join(server.work, '.signalbox', 'pipelines')
    mkdirSync(registered, { recursive: true })
    writeFileSync(
      join(registered, 'release.dot'),
      'digraph g { graph [inputs="version"]; start [shape=Mdiamond]; exit [shape=Msquare]; start -> exit }',
    )
    const query = `?project=${encodeURIComponent(server.work)}`
    const own = await call('pipelines.list', api(`/pipelines${query}`))
    expect(own.json.items.at(-1)).toMatchObject({ name: 'release', inputSchema: { required: ['version'] } })
    const release = { project: server.work, input: { version: '1.2' } }
    const unseen = await call('pipelines.start', api('/pipelines/release/runs'), { body: release, expect: 403 })
    const { hash: seen } = unseen.json.error.details
    const lacking = { project: server.work, trust: seen }
    await call('pipelines.start', api('/pipelines/release/runs'), { body: lacking, expect: 400 })
    const started = await call('pipelines.start', api('/pipelines/release/runs'), { body: { ...release, trust: seen } })
    await until(
      async () =>
        (await server.ask('GET', api(`/runs/${started.json.id}`), { as: 'token' })).json.status === 'completed',
    )
    rmSync(registered, { recursive: true })
    await call('pipelines.start', api('/pipelines/none/runs'), { body: { project: server.work }, expect: 404 })
    const smuggled = { project: server.work, input: { range: '--output=/tmp/x' } }
    await call('pipelines.start', api('/pipelines/review/runs'), { body: smuggled, expect: 400 })
  })

  test('a oneshot of two agents, from its start to its verdict; what was spent', async () => {
    const task = { task: 'add a line to the notes', agent: 'demo' }
    const made = await call('runs.start', api('/runs'), { body: { oneshot: task, project: server.work } })
    const ended = await until(async () => {
      const { json } = await server.ask('GET', api(`/runs/${made.json.id}`), { as: 'token' })
      return ['completed', 'failed', 'rejected'].includes(json.status) && json
    })
    expect(ended.status).toBe('completed')
    await call('runs.nodes', api(`/runs/${made.json.id}/nodes`))
    await call('runs.log', api(`/runs/${made.json.id}/log`))
    await call('runs.export', api(`/runs/${made.json.id}/export?format=oneshot`))
    const standing = { project: '/nowhere', match: { kind: 'prefix', words: ['npm', 'test'] } }
    expect((await call('grants.preview', api('/grants/preview'), { body: standing })).json).toMatchObject({ count: 0 })
    // Only a person who confirmed it may: a token cannot.
    await call('grants.add', api('/grants'), { body: standing, expect: 403 })
    await call('search.find', api('/search?q=the&kind=run'))
    await call('search.find', api('/search?q=---'), { expect: 400 })
    const usage = await call('usage.get', api('/usage?range=7d&by=day,agent,node'))
    expect(usage.json.rows.map((row: Loose) => row.key.node)).toContain('worker')
    expect((await call('usage.csv', api('/usage.csv?range=all&by=agent'))).text).toMatch(/^agent,input,output/)
    await call('usage.get', api('/usage?range=sometime'), { expect: 400 })
  })
})

describe('the engine', () => {
  test('is shown, and checks every open run on request', async () => {
    const { json } = await call('engine.status', api('/engine'))
    expect(json).toMatchObject({ kind: 'embedded', servers: [] })
    expect((await call('engine.rebuild', api('/engine/rebuild'), { body: {} })).json.runs).toBeGreaterThanOrEqual(0)
  })
})

describe('workers', () => {
  test('a worker is listed, drained, declared lost and removed; a run waits for one', async () => {
    const { registry } = server.workers!
    const token = await registry.invite({ pool: 'build', labels: { gpu: 'yes' }, validMs: 60_000, by: 'owner' })
    const { id } = await registry.join(token, { name: 'w1', key: 'k' })
    const listed = await call('workers.list', api('/workers'))
    expect(listed.json.items).toMatchObject([{ id, name: 'w1', pool: 'build', state: 'joined', runs: [] }])
    const { hash } = await executableText(DOT, server.work)
    const body = { graph: DOT, project: server.work, trust: hash, placement: { pool: 'build' } }
    const placed = await call('runs.start', api('/runs'), { body })
    const waiting = await until(async () => {
      const { json } = await server.ask('GET', api(`/runs/${placed.json.id}`), { as: 'token' })
      return json.status === 'waiting' && json
    })
    expect(waiting).toMatchObject({ worker: null, why: 'no ready worker has the pool build (w1 is joined)' })
    await call('runs.move', api(`/runs/${placed.json.id}/move`), { body: {}, expect: 409 })
    await call('runs.cancel', api(`/runs/${placed.json.id}/cancel`), { body: {} })
    expect((await call('workers.drain', api('/workers/w1/drain'), { body: {} })).json.isDraining).toBe(true)
    expect((await call('workers.lost', api('/workers/w1/lost'), { body: {} })).json.state).toBe('lost')
    await call('workers.lost', api('/workers/w2/lost'), { body: {}, expect: 404 })
    await call('workers.remove', api('/workers/w1'))
    expect((await call('workers.list', api('/workers'))).json.items).toEqual([])
  })
})

describe('links that share a session', () => {
  test('a link shows its session and nothing else, without a login, until it is revoked', async () => {
    const made = await call('shares.add', api(`/sessions/${session}/shares`), { body: { hours: 2 }, expect: 201 })
    const code = String(made.json.url).split('#')[1]!
    expect(made.json.share).toMatchObject({ session, by: 'owner' })
    const headers = { 'x-signalbox-share': code }
    const read = await call('shares.read', api('/shared'), { as: 'nobody', headers })
    expect(read.json).toMatchObject({ session: { agent: 'demo', state: 'live' }, expiresAt: made.json.share.expiresAt })
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

describe('the rest', () => {
  test('people, devices, settings, doctor, health, figures', async () => {
    const login = await server.login('owner')
    server.ageLogins()
    called.add('auth.login')
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
    const pairing = api('/pairing/telegram')
    await call('pairing.telegram', pairing, { as: login, body: { action: 'open' }, expect: 409 })
    const projects = await call('projects.list', api('/projects'))
    const { id } = projects.json.items[0]
    await call('projects.trust', api(`/projects/${id}/trust`))
    await call('projects.trust-it', api(`/projects/${id}/trust`), {
      as: login,
      body: { hash: 'f'.repeat(64) },
      expect: 403,
    })
    const trust = await call('projects.trust', api(`/projects/${id}/trust`))
    const trusted = await call('projects.trust-it', api(`/projects/${id}/trust`), {
      as: login,
      body: { hash: trust.json.hash },
    })
    expect(trusted.json.isTrusted).toBe(true)
    await call('people.list', api('/people'))
    const below = await call('directories.list', api(`/directories?path=${encodeURIComponent(`${server.work}/`)}`))
    expect(below.json.items.every(({ path }: Loose) => String(path).startsWith(server.work))).toBe(true)
    // Only a daemon that a command started is replaced.
    await call('health.restart', api('/restart'), { body: {}, expect: 409 })
    await call('doctor.get', api('/doctor'))
    await call('doctor.fix', api('/doctor/fix/store'), { body: {}, expect: 409 })
    const presence = { subscription: 'sub_1', visible: true, focused: true, inputAgoMs: 10 }
    await call('presence.tell', api('/presence'), { body: presence })
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
    expect((await call('agents.list', api('/agents'))).json.items[0]).toMatchObject({ isInstalled: true })
    expect((await call('conversations.list', api('/conversations'))).json.items).toEqual([])
    await call('health.alive', '/healthz', { as: 'nobody' })
    await call('health.get', api('/health'))
    expect((await call('metrics.root', '/metrics')).text).toContain('signalbox_sessions 1')
    await call('metrics.get', api('/metrics'))
    await call('grants.list', api('/grants'))
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
    await call('grants.pause', api('/grants/pause'), { body: {} })
    await call('grants.resume', api('/grants/resume'), { body: {} })
    await call('grants.revoke', api('/grants/none/revoke'), { body: {}, expect: 404 })
    await call('events.log', api('/events/log?limit=3'))
    const stream = await server.send('GET', api('/events'), { as: 'token' })
    expect(stream.headers['content-type']).toContain('text/event-stream')
    stream.destroy()
    called.add('events.stream')
    await call('events.watch', api('/events/none/watch'), { body: { panes: [] }, expect: 404 })
    await call('hooks.report', api('/hooks/demo'), { as: { bearer: 'none' }, body: {}, expect: 401 })
    const apart = { agent: 'demo', cwd: server.work, worktree: true }
    await call('sessions.start', api('/sessions'), { body: apart, expect: 400 })
    await call('sessions.start', api('/sessions'), { body: { agent: 'claude' }, expect: 400 })
    await call('sessions.stop', api(`/sessions/${session}/stop`), { body: {} })
    await call('sessions.fork', api(`/sessions/${session}/fork`), { body: {} })
    await call('sessions.resume', api(`/sessions/${session}/resume`), { body: {} })
    await call('auth.revoke-device', api('/auth/devices/none'), { expect: 404 })
    await call('auth.logout', api('/auth/session'), { as: login })
    expect((await server.ask('GET', api('/auth/me'), { as: login })).json.error.code).toBe('E_LOGIN')
  })

  test('tools over MCP do what their caller may do', async () => {
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

  test('lists go page by page, newest first, without gap or double', async () => {
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

  test('a write that is sent twice under one name is done once; another one under that name is refused', async () => {
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

  test('lockdown ends grants, logins and tokens, and takes nothing but denials', async () => {
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

describe('the document', () => {
  test('describes every operation, and nothing else is served', async () => {
    const { paths } = openApi(ROUTES, '0.0.0') as Loose
    const described = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods as Loose).map(([method, operation]) => [
        `${method} ${path}`,
        (operation as Loose).operationId,
      ]),
    )
    expect(described.map(([, id]) => id).sort()).toEqual(SERVED.map(({ id }) => id).sort())
    expect(new Set(described.map(([name]) => name)).size).toBe(described.length)
    expect((await server.ask('GET', '/api/v1/openapi.json', { as: 'token' })).json.paths).toEqual(
      JSON.parse(JSON.stringify(paths)),
    )
    called.add('openapi.get')
    expect(SERVED.every(route => pathOf(route) in paths)).toBe(true)
  })

  test('a field that names a moment does so everywhere', () => {
    const wrong: string[] = []
    const walk = (value: Loose, place: string) => {
      if (typeof value !== 'object' || value === null) return
      for (const [name, schema] of Object.entries((value.properties ?? {}) as Loose)) {
        const text = JSON.stringify(schema)
        const isMoment = text.includes('date-time')
        const isNumber = (schema as Loose).type === 'number' || (schema as Loose).type === 'integer'
        if (isMoment && !TIME_FIELDS.has(name) && !text.includes('properties'))
          wrong.push(`${place}.${name} is not in the list`)
        if (isNumber && TIME_FIELDS.has(name)) wrong.push(`${place}.${name} would be turned into a moment`)
      }
      for (const [key, inner] of Object.entries(value)) walk(inner, `${place}.${key}`)
    }
    walk(openApi(ROUTES, '0.0.0'), 'document')
    expect(wrong).toEqual([])
  })

  test('every operation was called', () => {
    expect(SERVED.map(({ id }) => id).filter(id => !called.has(id))).toEqual([])
  })
})
