import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openApi, ROUTES } from '../../src/server/index.js'
import { pathOf } from '../../src/server/openapi.js'
import { TIME_FIELDS } from '../../src/server/wire/index.js'
import { called, openServer, SERVED, server } from './operations/context.js'
import { describeDaemon } from './operations/daemon-operations.js'
import { describeRuns } from './operations/run-operations.js'
import { describeSessions } from './operations/session-operations.js'
import type { Loose } from './support.js'

/*
 * Every operation is called on a living system (operations/), and its answer is compared with the
 * schema that the OpenAPI document was made from: all of it, without fields that the schema does
 * not name. The tests share one server and run in order. An operation that no test calls fails the
 * last test here.
 */

beforeAll(openServer)
afterAll(() => server.close())

describeSessions()
describeRuns()
describeDaemon()

describe('the OpenAPI document', () => {
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

  test('a field with the name of a time is a time in every schema', () => {
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
