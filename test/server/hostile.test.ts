import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { requestOf } from '../../src/approvals/testing/fixtures.js'
import { ROUTES } from '../../src/server/index.js'
import type { Route } from '../../src/server/route.js'
import { plausibleBody } from './plausible-body.js'
import { TestServer } from './support.js'

/*
 * Every operation with hostile ids, queries and bodies. The server answers each with one of its own
 * errors, never with E_INTERNAL. Streams and operations that end logins are left out.
 */
const SKIPPED = [
  'lockdown.begin',
  'auth.logout',
  'auth.login',
  'auth.step-up',
  'events.stream',
  'attractor.events',
  'sessions.wait',
]
const ASKED = ROUTES.filter(route => !route.isSocketOnly && !SKIPPED.includes(route.id))

/**
 * `HOSTILE_RUNS=5000 HOSTILE_SEED=1 npx vitest run test/server/hostile.test.ts` is the long form.
 */
const RUNS = Number(process.env.HOSTILE_RUNS ?? 400)
const SEED = process.env.HOSTILE_SEED === undefined ? {} : { seed: Number(process.env.HOSTILE_SEED) }

let server: TestServer
/** Ids that exist: of a request, a closed session, the project. */
const known: string[] = ['demo', 'local']
beforeAll(async () => {
  server = await TestServer.start({ hasRuns: true })
  known.push(server.work, (await server.host.ledger.request(requestOf())).id)
})
afterAll(() => server.close())

const word = fc.oneof(
  fc.constantFrom(
    '..',
    '%00',
    '%2e%2e%2f',
    '__proto__',
    'constructor',
    'ses_',
    'run_',
    'apr_',
    '-1',
    '0',
    'latest',
    'a'.repeat(300),
    '%F0%9F%92%A9',
    "';--",
    '$(x)',
    '{{x}}',
  ),
  fc.string({ maxLength: 20 }).map(text => encodeURIComponent(text.replace(/\p{Cs}/gu, ''))),
)
const value = fc.oneof(
  fc.jsonValue({ maxDepth: 4 }),
  fc.constantFrom<unknown>('', '../../x', '\u0000', -1, 1e308, null, [], {}),
)

/** Bodies that have the fields of the schema, with values that it does not expect. */
function bodyFor(route: Route): fc.Arbitrary<unknown> {
  const names = new Set<string>()
  const walk = (schema: unknown) => {
    const { def, shape, options } = schema as {
      def?: { innerType?: unknown; options?: unknown[] }
      shape?: object
      options?: unknown[]
    }
    for (const name of Object.keys(shape ?? {})) names.add(name)
    for (const inner of def?.options ?? options ?? []) walk(inner)
    if (def?.innerType) walk(def.innerType)
  }
  if (route.body) walk(route.body)
  const fields = Object.fromEntries([...names].map(name => [name, value]))
  const hostile = fc.oneof(fc.record(fields, { requiredKeys: [] }), value)
  return route.body ? fc.oneof(hostile, { arbitrary: plausibleBody(route.body, known), weight: 2 }) : hostile
}

const requests = () =>
  fc.constantFrom(...ASKED).chain(route =>
    fc.record({
      id: fc.constant(route.id),
      words: fc.array(fc.oneof(word, fc.constantFrom(...known.map(encodeURIComponent))), {
        minLength: 3,
        maxLength: 3,
      }),
      query: fc.dictionary(
        fc.constantFrom(
          'limit',
          'cursor',
          'q',
          'at',
          'atMs',
          'since',
          'format',
          'state',
          'by',
          'range',
          'path',
          'node',
          'x',
        ),
        word,
        { maxKeys: 3 },
      ),
      body: bodyFor(route),
    }),
  )

test('hostile requests get defined errors and never an internal one, and the server keeps running', async () => {
  await fc.assert(
    fc.asyncProperty(requests(), async ({ id, words, query, body }) => {
      const route = ASKED.find(one => one.id === id)!
      let at = 0
      const path = route.path
        .replace(/:file\{[^}]*\}/, () => `${words[at++]}.cast`)
        .replace(/:\w+/g, () => words[at++ % 3]!)
      const search = Object.entries(query).map(([name, text]) => `${name}=${text}`)
      const target = `${path}${search.length > 0 ? `?${search.join('&')}` : ''}`.replace(/[^\x21-\x7e]/g, '')
      const sent =
        route.method === 'GET'
          ? {}
          : { body: Buffer.from(JSON.stringify(body) ?? 'null'), headers: { 'content-type': 'application/json' } }
      const { status, json } = await server.ask(route.method, target, { as: 'token', ...sent })
      expect(
        json?.error?.code,
        `${route.method} ${target} ${JSON.stringify(body)}: ${status}\n${server.log.at(-1)}`,
      ).not.toBe('E_INTERNAL')
      expect(status, `${route.id} ${json?.error?.code}`).toBeLessThan(500)
    }),
    { numRuns: RUNS, ...SEED },
  )
  expect((await server.ask('GET', '/api/v1/overview', { as: 'token' })).status).toBe(200)
})
