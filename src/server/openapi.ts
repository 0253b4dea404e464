import { z } from 'zod'
import type { Route } from './route.js'
import { type Answer, errorAnswer } from './schemas/common.js'

type Json = Record<string, unknown>

/** The OpenAPI document, generated from the list of operations that also checks requests. */
export function openApi(routes: readonly Route[], version: string): Json & { openapi: string } {
  const components: Json = {}
  const paths: Record<string, Json> = {}
  for (const route of routes) {
    if (route.isSocketOnly) continue
    const path = pathOf(route)
    paths[path] ??= {}
    paths[path][route.method.toLowerCase()] = operation(route, components)
  }
  components.Error = schemaOf(errorAnswer, 'output', components)
  return {
    openapi: '3.1.0',
    info: {
      title: 'Signalbox',
      version,
      description: 'Sessions of coding agents, their approvals, and runs. See docs/guides/server.md.',
    },
    servers: [{ url: '/', description: 'the address that `signalbox serve` prints' }],
    paths,
    components: {
      schemas: components,
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'the token in <state>/token' },
        proof: {
          type: 'apiKey',
          in: 'header',
          name: 'X-Signalbox-Proof',
          description: 'a browser’s proof that it has its key',
        },
        hook: { type: 'http', scheme: 'bearer', description: 'a session’s hook token' },
      },
    },
  }
}

/** Translates Hono's `:id` and `:file{pattern}` to OpenAPI. */
export function pathOf({ path }: Pick<Route, 'path'>): string {
  return path.replace(/:(\w+)(\{[^}]*\})?/g, '{$1}')
}

function operation(route: Route, components: Json): Json {
  const responses: Json = {}
  for (const [status, answer] of Object.entries(route.answers)) responses[status] = responseOf(answer, components)
  for (const [status, description] of refusalsOf(route)) responses[status] ??= { description, ...ERROR_CONTENT }
  responses.default = { description: 'an error: what is wrong, and what to do', ...ERROR_CONTENT }
  return {
    operationId: route.id,
    tags: [route.tag],
    summary: route.summary,
    'x-role': route.access,
    'x-writes': route.isWrite,
    ...(route.needsStepUp !== false && { 'x-step-up': route.needsStepUp }),
    security: securityOf(route),
    parameters: parametersOf(route, components),
    ...bodyOf(route, components),
    responses,
  }
}

const ERROR_CONTENT = { content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } } }

/** The 4xx answers of an operation, by its input and who may call it. */
function refusalsOf(route: Route): [status: number, description: string][] {
  const { access, path, query, body, form, isWrite } = route
  const takesInput = query !== null || body !== null || form !== null || path.includes(':')
  const takesBody = body !== null || form !== null
  const isApproval = route.tag === 'approvals' && isWrite
  const rows: [boolean, number, string][] = [
    [true, 400, takesInput ? 'a parameter or a field is wrong; `fields` names it' : 'the request is malformed'],
    [access !== 'open', 401, 'no valid login, token or proof'],
    [true, 403, isWrite ? 'not allowed: role, origin, read-only server or lockdown' : 'not allowed: role or origin'],
    [path.includes(':') || takesBody, 404, 'not found'],
    [isWrite, 409, 'the state does not permit it, or it was done already'],
    [takesBody, 413, 'the body is too large'],
    [takesBody, 415, 'the content type is not accepted'],
    [takesBody, 422, 'the content is understood and cannot be used'],
    [isApproval, 428, 'the request must be seen completely first'],
    [true, 429, 'too many requests; see Retry-After'],
  ]
  return rows.filter(([applies]) => applies).map(([, status, description]) => [status, description])
}

function securityOf({ access }: Route): Json[] {
  if (access === 'open') return []
  return access === 'hook' ? [{ hook: [] }] : [{ token: [] }, { proof: [] }]
}

function parametersOf({ path, query }: Route, components: Json): Json[] {
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))
  if (!query) return inPath
  const { properties = {}, required = [] } = schemaOf(query, 'input', components) as {
    properties?: Record<string, Json>
    required?: string[]
  }
  return [
    ...inPath,
    ...Object.entries(properties).map(([name, schema]) => ({
      name,
      in: 'query',
      required: required.includes(name),
      schema,
    })),
  ]
}

function bodyOf({ body, form, textBody }: Route, components: Json): Json {
  if (form)
    return {
      requestBody: {
        required: true,
        content: {
          'multipart/form-data': {
            schema: {
              type: 'object',
              properties: { file: { type: 'array', items: { type: 'string', format: 'binary' } } },
            },
          },
        },
      },
    }
  if (!body) return {}
  const schema = schemaOf(body, 'input', components)
  const content: Json = { 'application/json': { schema } }
  if (textBody !== null) content[textBody] = { schema: { type: 'string' } }
  return { requestBody: { content } }
}

function responseOf({ description, schema, media }: Answer, components: Json): Json {
  const content: Json = {}
  if (schema) content['application/json'] = { schema: schemaOf(schema, 'output', components) }
  for (const type of [media ?? []].flat()) content[type] = { schema: { type: 'string' } }
  return { description, ...(Object.keys(content).length > 0 && { content }) }
}

/** Named schemas become components; others are inlined. */
function schemaOf(schema: z.ZodType, io: 'input' | 'output', components: Json): Json {
  const made = z.toJSONSchema(schema, { io, unrepresentable: 'any', target: 'draft-2020-12' }) as Json & {
    $defs?: Json
  }
  const { $defs = {}, $schema: _, ...rest } = made
  for (const [name, definition] of Object.entries($defs)) components[name] = withSchemaReferences(definition)
  const { id, ...own } = rest as Json & { id?: string }
  if (id === undefined) return withSchemaReferences(own) as Json
  components[id] = withSchemaReferences(own)
  return { $ref: `#/components/schemas/${id}` }
}

function withSchemaReferences(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value).replaceAll('#/$defs/', '#/components/schemas/'))
}
