import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { ROUTES } from '../../../src/server/index.js'
import type { Route } from '../../../src/server/route.js'
import { errorAnswer } from '../../../src/server/schemas/common.js'
import { executableText } from '../../../src/trust/index.js'
import { type Ask, type Loose, type TestResponse, TestServer, until } from '../support.js'

/* The system that the tests of this folder share, and a call that checks its answer. */

export const SERVED = ROUTES.filter(route => !route.isSocketOnly)
export const called = new Set<string>()
export let server: TestServer
export let session: string
export let run: string

export const DOT =
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
export async function call(id: string, path: string, ask: Ask & { expect?: number } = {}): Promise<TestResponse> {
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

export const api = (path: string) => `/api/v1${path}`

/** Starts a server with one session that asks, and one run that waits at a gate. */
export async function openServer(): Promise<void> {
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
}

export const pending = () =>
  until(async () => {
    const { json } = await server.ask('GET', api(`/approvals?session=${session}&state=pending`), { as: 'token' })
    return (json.items as Loose[]).find(item => item.kind === 'permission') as Loose
  })

export const gate = () =>
  until(
    async () => (await server.ask('GET', `/pipelines/${run}/questions`, { as: 'token' })).json.questions?.[0] as Loose,
  )
