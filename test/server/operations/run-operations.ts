import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { executableText } from '../../../src/trust/index.js'
import { type Loose, until } from '../support.js'
import { api, call, called, DOT, gate, run, server } from './context.js'

export function describeRuns(): void {
  describe('runs and graphs', () => {
    test('a waiting run shows nodes, log, context, graph and exports, and its gate is answered once', async () => {
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
      for (const format of ['bundle', 'attractor'])
        await call('runs.export', api(`/runs/${run}/export?format=${format}`))
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

    test('a graph starts as text/vnd.graphviz, and is refused if it is invalid or not trusted', async () => {
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
        async () =>
          (await server.ask('GET', `/pipelines/${made.json.id}`, { as: 'token' })).json.status === 'completed',
      )
      await call('graphs.validate', api('/graphs/validate'), { body: { dot: 'digraph g { a -> b }' } })
      await call('graphs.validate', api('/graphs/validate'), {
        body: { file: '../x.dot', project: '/etc' },
        expect: 404,
      })
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
      const started = await call('pipelines.start', api('/pipelines/release/runs'), {
        body: { ...release, trust: seen },
      })
      await until(
        async () =>
          (await server.ask('GET', api(`/runs/${started.json.id}`), { as: 'token' })).json.status === 'completed',
      )
      rmSync(registered, { recursive: true })
      await call('pipelines.start', api('/pipelines/none/runs'), { body: { project: server.work }, expect: 404 })
      const smuggled = { project: server.work, input: { range: '--output=/tmp/x' } }
      await call('pipelines.start', api('/pipelines/review/runs'), { body: smuggled, expect: 400 })
    })

    test('a oneshot of two agents ends with a verdict, and its usage is counted', async () => {
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
      expect((await call('grants.preview', api('/grants/preview'), { body: standing })).json).toMatchObject({
        count: 0,
      })
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
      const unknown = await call('engine.rebuild', api('/engine/rebuild'), {
        body: { run: 'run_unknown' },
        expect: 404,
      })
      expect(unknown.json.error.code).toBe('E_UNKNOWN')
    })
  })

  describe('workers', () => {
    test('a worker is listed, drained, declared lost and removed; a run waits for one', async () => {
      const { registry } = server.workers!
      const token = await registry.invite({ pool: 'build', labels: { gpu: 'yes' }, validMs: 60_000, by: 'owner' })
      const { id } = await registry.join(token, { name: 'w1', key: 'k' })
      const listed = await call('workers.list', api('/workers'))
      expect(listed.json.items).toMatchObject([{ id, name: 'w1', pool: 'build', state: 'joined', runs: [] }])
      // One that has never connected has nothing to compare.
      expect((await call('workers.compare', api('/workers/compare'))).json.items).toEqual([])
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
}
