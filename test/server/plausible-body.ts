import fc from 'fast-check'
import { z } from 'zod'

type Schema = Record<string, unknown> & {
  type?: string
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  minimum?: number
  maximum?: number
  $ref?: string
  $defs?: Record<string, Schema>
}

/**
 * Bodies that pass the check of the schema and mean nothing: directories that do not exist, ids of
 * other things, numbers at their limits. They reach the code behind the check.
 */
export function plausibleBody(schema: z.ZodType, words: readonly string[]): fc.Arbitrary<unknown> {
  const whole = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Schema
  const text = fc.oneof(
    fc.constantFrom(...words),
    fc.constantFrom('/nonexistent/project', 'nonexistent', '', '..', '\u0000', 'HEAD', 'main..x', 'digraph {', '0'),
    fc.string({ maxLength: 12 }),
    fc.string({ minLength: 64, maxLength: 64, unit: fc.constantFrom(...'0123456789abcdef') }),
  )
  const of = (part: Schema, depth: number): fc.Arbitrary<unknown> => {
    if (part.$ref !== undefined) {
      const name = part.$ref.slice(part.$ref.lastIndexOf('/') + 1)
      return depth > 6 ? fc.constant(null) : of(whole.$defs?.[name] ?? {}, depth + 1)
    }
    if (part.const !== undefined) return fc.constant(part.const)
    if (part.enum) return fc.constantFrom(...part.enum)
    const several = part.anyOf ?? part.oneOf
    if (several) return fc.oneof(...several.map(one => of(one, depth + 1)))
    switch (part.type) {
      case 'string':
        return text
      case 'boolean':
        return fc.boolean()
      case 'integer':
        return fc.oneof(fc.constantFrom(part.minimum ?? 0, Math.min(part.maximum ?? 1e6, 1e6)), fc.nat(100))
      case 'number':
        return fc.oneof(
          fc.constantFrom(part.minimum ?? 0, Math.min(part.maximum ?? 1e9, 1e9)),
          fc.double({ noNaN: true, min: 0, max: 100 }),
        )
      case 'null':
        return fc.constant(null)
      case 'array':
        return fc.array(of(part.items ?? {}, depth + 1), { maxLength: 3 })
      case 'object': {
        const entries = Object.entries(part.properties ?? {})
        const record = Object.fromEntries(entries.map(([name, one]) => [name, of(one, depth + 1)]))
        return fc.record(record, { requiredKeys: part.required ?? [] })
      }
      default:
        return fc.oneof(text, fc.nat(9), fc.constant({}))
    }
  }
  return of(whole, 0)
}
