import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { TestServer } from './support.js'

let server: TestServer
beforeAll(async () => {
  server = await TestServer.start({ hasRuns: true })
})
afterAll(() => server.close())

interface Operation {
  operationId: string
  responses: Record<string, unknown>
  requestBody?: object
}

test('the OpenAPI document has servers, and each operation names its 4xx answers', async () => {
  const { json } = await server.ask('GET', '/api/v1/openapi.json', { as: 'token' })
  expect(json.servers).toEqual([expect.objectContaining({ url: '/' })])
  const operations = (Object.values(json.paths) as Record<string, Operation>[]).flatMap(path => Object.values(path))
  expect(operations.length).toBeGreaterThan(50)
  for (const { operationId, responses, requestBody } of operations) {
    const statuses = Object.keys(responses)
    expect(statuses, operationId).toEqual(expect.arrayContaining(['400', '403', '429']))
    if (requestBody) expect(statuses, operationId).toEqual(expect.arrayContaining(['413', '415', '422']))
  }
})

test('every metric has a HELP line before its TYPE line', async () => {
  await server.ask('GET', '/api/v1/nothing', { as: 'token' })
  const { text } = await server.ask('GET', '/metrics', { as: 'token' })
  const lines = text.split('\n')
  const types = lines.flatMap((line, at) => (line.startsWith('# TYPE ') ? [at] : []))
  expect(types.length).toBeGreaterThan(2)
  for (const at of types) expect(lines[at - 1]).toMatch(new RegExp(`^# HELP ${lines[at]!.split(' ')[2]} \\S`))
})

describe('a wrong value is named by its field', () => {
  const project = '/nonexistent/project'
  const graph = 'digraph g { start [shape=Mdiamond]; exit [shape=Msquare]; start -> exit }'
  test.each([
    ['POST', '/api/v1/runs', { graph, project }, 'project'],
    ['POST', '/api/v1/runs', { oneshot: { task: 'x', agent: 'demo' }, project }, 'project'],
    ['POST', '/api/v1/runs', { pipeline: 'review', project: '/a\u0000b' }, 'project'],
    ['POST', '/api/v1/pipelines/review/runs', { project }, 'project'],
    ['POST', '/api/v1/sessions', { agent: 'demo', cwd: project }, 'cwd'],
    ['POST', '/api/v1/approvals/apr_x/seen', { displayHash: 'abc', whole: true }, 'displayHash'],
    [
      'POST',
      '/api/v1/approvals/apr_x/decision',
      { fingerprint: 'a'.repeat(64), option: 'x', seen: { displayHash: 'no hash', whole: true } },
      'seen.displayHash',
    ],
  ] as const)('the error of %s %s names the field (%#)', async (method, path, body, field) => {
    const { status, json } = await server.ask(method, path, { as: 'token', body })
    expect([status, json.error.code]).toEqual([400, 'E_INPUT'])
    expect(json.error.fields.map((each: { path: string }) => each.path)).toContain(field)
  })
})
