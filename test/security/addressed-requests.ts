import type { Loose } from '../server/support.js'

export interface AddressedRequest {
  /** Its id in the OpenAPI document. */
  operation: string
  method: string
  path: string
  body?: unknown
}

/** Operations that end their own login, or stream until the client disconnects. */
const LEFT_OUT =
  /^(lockdown\.|auth\.(logout|session|login|step-up|token)|events\.stream|attractor\.events|daemon\.|sessions\.wait)/

/**
 * Requests with an address wherever a request can have a text: in every path parameter, query and
 * text field of the body, for every documented form of the body. Fields that must be valid have
 * valid values.
 */
export function addressedRequests(
  document: Loose,
  address: string,
  known: Record<string, unknown>,
): AddressedRequest[] {
  const requests: AddressedRequest[] = []
  for (const [template, methods] of Object.entries<Loose>(document.paths))
    for (const [method, operation] of Object.entries<Loose>(methods)) {
      if (LEFT_OUT.test(operation.operationId)) continue
      const path = template.replace(/\{\w+\}/g, encodeURIComponent(address))
      const query = new URLSearchParams()
      for (const { name, in: where, schema } of operation.parameters ?? [])
        if (where === 'query') for (const value of samples(schema).slice(0, 1)) query.set(name, String(value))
      const content = operation.requestBody?.content ?? {}
      const bodies = content['application/json'] ? samples(content['application/json'].schema) : [undefined]
      const common = { operation: operation.operationId, method: method.toUpperCase() }
      for (const body of bodies) {
        const sent = body === undefined ? {} : { body }
        requests.push({ ...common, path, ...sent })
        if (query.size > 0) requests.push({ ...common, path: `${path}?${query}`, ...sent })
      }
    }
  return requests

  /** Values that match a schema, one for each of its forms, with the address for every text. */
  function samples(schema: Loose, name = ''): unknown[] {
    if (Object.hasOwn(known, name)) return [known[name]]
    if (schema?.$ref) return samples(document.components.schemas[schema.$ref.split('/').at(-1)], name)
    const forms = schema?.anyOf ?? schema?.oneOf
    if (forms) return forms.flatMap((form: Loose) => samples(form, name)).filter((value: unknown) => value !== null)
    if (schema?.const !== undefined) return [schema.const]
    if (schema?.enum) return [schema.enum[0]]
    const type = Array.isArray(schema?.type) ? schema.type[0] : schema?.type
    if (type === 'integer' || type === 'number') return [Math.max(1, schema.minimum ?? 1)]
    if (type === 'boolean') return [false]
    if (type === 'array') return [samples(schema.items, name).slice(0, 1)]
    if (type === 'object' || schema?.properties) {
      const fields = Object.entries<Loose>(schema.properties ?? {})
      const filled = Object.fromEntries(fields.map(([key, field]) => [key, samples(field, key)[0]]))
      const free = typeof schema.additionalProperties === 'object' ? { address } : {}
      const required = new Set<string>(schema.required ?? [])
      const least = Object.fromEntries(Object.entries(filled).filter(([key]) => required.has(key)))
      return [{ ...filled, ...free }, least]
    }
    return [address]
  }
}
