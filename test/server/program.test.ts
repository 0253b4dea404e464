import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { executableText } from '../../src/trust/index.js'
import { itNeeding } from '../support/requirements.js'
import { type Loose, TestServer, until } from './support.js'

/*
 * The API for programs: the documented commands, the OpenAPI document, the metrics, and the effect
 * of a lockdown.
 */

const GUIDE = join(import.meta.dirname, '..', '..', 'docs', 'guides', 'server.md')
const api = (path: string) => `/api/v1${path}`
let server: TestServer
let document: Loose

beforeAll(async () => {
  server = await TestServer.start({ hasRuns: true })
  document = (await server.ask('GET', api('/openapi.json'), { as: 'token' })).json
})
afterAll(() => server.close())

describe('the API guide', () => {
  const blocks = [...readFileSync(GUIDE, 'utf8').matchAll(/^```sh\n(.*?)^```/gms)]
    .map(([, text]) => text!)
    .filter(text => /^curl |\(curl /m.test(text))

  itNeeding('curl and jq', 'has curl commands that work as they are written', async () => {
    expect(blocks).toHaveLength(2)
    // The directories and the port of this server replace the documented ones; every failed request
    // is recorded.
    const person = join(server.directory, 'person')
    mkdirSync(join(person, '.local', 'state'), { recursive: true })
    symlinkSync(join(server.directory, 'home', 'state'), join(person, '.local', 'state', 'signalbox'))
    const script = join(server.directory, 'examples.sh')
    writeFileSync(
      script,
      `set -u -o pipefail
curl() {
  # The stream of all events never ends by itself.
  case "$*" in *api/v1/events) set -- --max-time 2 "$@" ;; esac
  command curl -w '%{stderr}%{http_code} %{url}\\n' "$@"
}
${blocks.join('\n').replaceAll('127.0.0.1:4100', server.authority)}`,
    )
    const env = { ...server.context.env, HOME: person }
    const { stdout, stderr } = await promisify(execFile)('/bin/bash', [script], { cwd: server.work, env })
    const statuses = stderr.split('\n').filter(line => /^\d{3} http/.test(line))
    expect(statuses).toHaveLength(blocks.join('\n').match(/\bcurl -/g)!.length)
    const refused = statuses.filter(line => !/^20[01] /.test(line))
    expect(refused, stdout).toEqual([`403 ${server.address}/pipelines`])
    expect(stdout).toContain('event: hello')
    expect(stdout).toMatch(/^"approval"\n"applied"\n[1-9]\d*\ntrue\n/m)
    expect(stdout).toContain('event: PipelineCompleted')
    expect(stdout).toMatch(/^day,agent,/m)
    expect(stdout).toMatch(/^signalbox_sessions 1$/m)
  })
})

describe('the OpenAPI document', () => {
  test('is complete: references resolve, parameters are declared, and answers are described', () => {
    expect(document.openapi).toMatch(/^3\.1\.\d+$/)
    expect(document.info).toMatchObject({ title: expect.any(String), version: expect.any(String) })
    const wrong: string[] = []
    const ids = new Set<string>()
    const walk = (value: Loose, place: string) => {
      if (typeof value !== 'object' || value === null) return
      if (typeof value.$ref === 'string') {
        const found = value.$ref
          .slice(2)
          .split('/')
          .reduce((at: Loose, key: string) => at?.[key], document)
        if (!value.$ref.startsWith('#/') || found === undefined) wrong.push(`${place}: ${value.$ref}`)
      }
      for (const [key, inner] of Object.entries(value)) walk(inner, `${place}/${key}`)
    }
    walk(document, '#')
    for (const [path, methods] of Object.entries<Loose>(document.paths)) {
      if (!path.startsWith('/')) wrong.push(`${path} is no path`)
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)
      for (const [method, operation] of Object.entries<Loose>(methods)) {
        const name = `${method} ${path}`
        if (!['get', 'post', 'put', 'patch', 'delete'].includes(method)) wrong.push(`${name}: ${method}`)
        if (ids.has(operation.operationId)) wrong.push(`${name}: ${operation.operationId} twice`)
        ids.add(operation.operationId)
        const declared = operation.parameters.filter((one: Loose) => one.in === 'path')
        if (
          declared
            .map((one: Loose) => one.name)
            .sort()
            .join() !== named.sort().join()
        )
          wrong.push(`${name}: parameters`)
        for (const one of operation.parameters)
          if (!one.schema || (one.in === 'path' && one.required !== true)) wrong.push(`${name}: ${one.name}`)
        const answers = Object.entries<Loose>(operation.responses)
        if (answers.length === 0) wrong.push(`${name}: no answer`)
        for (const [status, answer] of answers)
          if (!/^([1-5]\d\d|default)$/.test(status) || !answer.description) wrong.push(`${name}: ${status}`)
      }
    }
    expect(wrong).toEqual([])
    expect(ids.size).toBeGreaterThan(90)
  })

  test('has valid JSON Schemas with known types, and declares every required property', () => {
    const TYPES = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']
    const wrong: string[] = []
    const walk = (schema: Loose, place: string) => {
      if (typeof schema !== 'object' || schema === null) return
      for (const type of [schema.type ?? []].flat()) if (!TYPES.includes(type)) wrong.push(`${place}: ${type}`)
      for (const name of schema.required ?? [])
        if (!Object.hasOwn(schema.properties ?? {}, name)) wrong.push(`${place}: requires ${name}`)
      if (schema.type === 'array' && !schema.items && !schema.prefixItems) wrong.push(`${place}: an array of what`)
      for (const [name, inner] of Object.entries(schema.properties ?? {})) walk(inner, `${place}.${name}`)
      for (const inner of [schema.items, schema.additionalProperties, ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])])
        walk(inner, place)
    }
    for (const [name, schema] of Object.entries(document.components.schemas)) walk(schema, name)
    for (const [path, methods] of Object.entries<Loose>(document.paths))
      for (const operation of Object.values<Loose>(methods)) {
        const contents = [operation.requestBody, ...Object.values<Loose>(operation.responses)].flatMap(one =>
          Object.values<Loose>(one?.content ?? {}),
        )
        for (const { schema } of contents) walk(schema, path)
      }
    expect(wrong).toEqual([])
  })
})

test('the metrics are in the text format of Prometheus', async () => {
  await server.ask('GET', api('/overview'))
  const { text, headers } = await server.ask('GET', '/metrics', { as: 'token' })
  expect(headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4/)
  expect(text.endsWith('\n')).toBe(true)
  const types = new Map<string, string>()
  const series = new Set<string>()
  for (const line of text.trimEnd().split('\n')) {
    const comment = /^# (HELP|TYPE) ([a-zA-Z_:][\w:]*) (.+)$/.exec(line)
    if (comment) {
      const [, kind, name, rest] = comment
      if (kind === 'HELP') continue
      expect(types.has(name!), `TYPE of ${name} twice`).toBe(false)
      expect(['counter', 'gauge', 'histogram', 'summary']).toContain(rest)
      types.set(name!, rest!)
      continue
    }
    const sample = /^([a-zA-Z_:][\w:]*)(\{(?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\[\\"n])*",?)*\})? (\S+)$/.exec(line)
    expect(sample, line).not.toBeNull()
    const [, name, labels = '', value] = sample!
    expect(Number.isFinite(Number(value)), line).toBe(true)
    expect(types.has(name!), `${name} has a type before its first value`).toBe(true)
    expect(types.get(name!) === 'counter', name).toBe(name!.endsWith('_total'))
    expect(series.has(name! + labels), line).toBe(false)
    series.add(name! + labels)
  }
  expect(types.get('signalbox_http_requests_total')).toBe('counter')
  expect(types.get('signalbox_sessions')).toBe('gauge')
  expect([...series].filter(name => name.startsWith('signalbox_loop_block_seconds'))).toEqual([
    'signalbox_loop_block_seconds{window="start"}',
    'signalbox_loop_block_seconds{window="5m"}',
  ])
})

test('a gate accepts no approving answer over the attractor API in a lockdown, and stays open', async () => {
  const dot =
    'digraph g { start [shape=Mdiamond]; ask [shape=hexagon, label="Go on?"]; exit [shape=Msquare]; start -> ask; ask -> exit [label="[Y] Yes"]; ask -> exit [label="[N] No"] }'
  const { hash } = await executableText(dot, server.work)
  const body = { dot, project: server.work, trust: hash }
  const { id } = (await server.ask('POST', '/pipelines', { as: 'token', body })).json
  const questions = async () =>
    (await server.ask('GET', `/pipelines/${id}/questions`, { as: 'token' })).json.questions as Loose[]
  const asked = await until(async () => (await questions())[0])
  const answer = (value: object) =>
    server.ask('POST', `/pipelines/${id}/questions/${asked.id}/answer`, { as: 'token', body: value })
  const before = server.token
  await server.ask('POST', api('/lockdown'), { as: 'token', body: {} })
  expect((await server.ask('GET', `/pipelines/${id}`, { as: { bearer: before } })).status).toBe(401)
  for (const value of [
    { value: 'Y' },
    { value: 'Yes' },
    { text: 'yes' },
    { value: 'Y', fingerprint: asked.fingerprint },
  ])
    expect((await answer(value)).json.error.code, JSON.stringify(value)).toBe('E_LOCKED')
  expect((await questions()).map(question => question.id)).toEqual([asked.id])
  expect((await server.ask('GET', `/pipelines/${id}`, { as: 'token' })).json).toMatchObject({ waiting: true })
})
