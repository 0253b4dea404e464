import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type TestHome, waitFor } from './harness.js'
import { InsideHome } from './inside.js'
import { WorkerSite } from './worker-site.js'

interface Span {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  service: string
}

interface Exported {
  resourceSpans: {
    resource: { attributes: { key: string; value: { stringValue?: string } }[] }
    scopeSpans: { spans: Omit<Span, 'service'>[] }[]
  }[]
}

const spans: Span[] = []
let collector: Server
let site: WorkerSite<InsideHome>
let server: InsideHome

beforeAll(async () => {
  collector = createServer(async (request, response) => {
    const { resourceSpans } = (await json(request)) as Exported
    for (const { resource, scopeSpans } of resourceSpans) {
      const service = resource.attributes.find(({ key }) => key === 'service.name')?.value.stringValue ?? ''
      for (const { spans: found } of scopeSpans) spans.push(...found.map(span => ({ ...span, service })))
    }
    response.setHeader('content-type', 'application/json').end('{}')
  })
  await new Promise<void>(resolve => collector.listen(0, '127.0.0.1', resolve))
  server = new InsideHome()
  sendTraces(server)
  site = new WorkerSite(server)
  await site.serve()
})
afterAll(async () => {
  await site.close()
  collector.close()
})

function sendTraces(home: TestHome): void {
  const endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`
  mkdirSync(home.path('config'), { recursive: true })
  writeFileSync(home.path('config', 'config.toml'), `[telemetry]\nendpoint = "${endpoint}"\n`)
}

it('a run on a worker is one trace from the command through server and turns to the step', async () => {
  const machine = await site.joined('far')
  sendTraces(machine)
  await site.work(machine, 'far')
  const graph = `${server.work}/traced.dot`
  writeFileSync(
    graph,
    'digraph g { start [shape=Mdiamond] done [shape=Msquare] greet [shape=parallelogram, tool_command="echo secret-word"] start -> greet -> done }',
  )
  const refused = await server.run(['run', graph, '--on', 'far', '--detach', '--json'])
  const hash = /--trust ([0-9a-f]+)/.exec(refused.stderr)?.[1]
  await server.ok(['run', graph, '--on', 'far', '--detach', '--json', ...(hash ? ['--trust', hash] : [])])
  const step = await waitFor('the span of the step', () => spans.find(({ name }) => name === 'step greet'))
  const all = () => spans.filter(({ traceId }) => traceId === step.traceId)
  await waitFor('the spans of the server', () => all().some(({ name }) => name === 'turn'))
  const services = new Map(all().map(({ name, service }) => [name, service]))
  expect(services.get('signalbox run')).toBe('signalbox-cli')
  expect(services.get('turn')).toBe('signalbox-server')
  expect(services.get('step greet')).toBe('signalbox-worker')
  const ids = new Set(all().map(({ spanId }) => spanId))
  const roots = all().filter(({ parentSpanId }) => !parentSpanId || !ids.has(parentSpanId))
  expect(roots.map(({ name }) => name)).toEqual(['signalbox run'])
  expect(JSON.stringify(spans)).not.toContain('secret-word')
})
