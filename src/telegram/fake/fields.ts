import { badRequest } from './refusal.js'

/** The fields of a call, sent as JSON, as a form, or as a form with files. */
export type Fields = Readonly<Record<string, unknown>>

export interface SentFile {
  name: string
  bytes: Uint8Array
}

export function readFields(contentType: string, body: Uint8Array): Fields {
  if (body.length === 0) return {}
  if (contentType.startsWith('application/json')) return JSON.parse(Buffer.from(body).toString('utf8')) as Fields
  const fields: Record<string, unknown> = {}
  for (const part of multipart(contentType, Buffer.from(body))) {
    if (part.file === null) fields[part.name] = parsed(part.body.toString('utf8'))
    else fields[part.name] = { name: part.file, bytes: new Uint8Array(part.body) } satisfies SentFile
  }
  return fields
}

/**
 * The parts of a form. Node's own parser requires blanks in headers that Bot API clients leave out.
 */
function* multipart(contentType: string, body: Buffer): Generator<{ name: string; file: string | null; body: Buffer }> {
  const boundary = /boundary="?([^";]+)"?/.exec(contentType)?.[1]
  if (boundary === undefined) throw badRequest('the body is neither JSON nor a form')
  const line = Buffer.from(`--${boundary}`)
  let at = body.indexOf(line)
  while (at >= 0) {
    const next = body.indexOf(line, at + line.length)
    if (next < 0) return
    // There is a line break after each boundary and before the next one.
    const part = body.subarray(at + line.length + 2, next - 2)
    const split = part.indexOf('\r\n\r\n')
    const head = part.subarray(0, split).toString('utf8')
    const name = /[;\s]name="([^"]*)"/i.exec(head)?.[1]
    const file = /[;\s]filename="?([^";\r]*)"?/i.exec(head)?.[1]
    if (name !== undefined && split >= 0) yield { name, file: file ?? null, body: part.subarray(split + 4) }
    at = next
  }
}

/** In a form every value is a string; objects and numbers are JSON. */
function parsed(value: string): unknown {
  if (!/^(?:[[{]|-?\d+$|true$|false$)/.test(value)) return value
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}

export function numberOf(fields: Fields, name: string): number {
  const value = Number(fields[name])
  if (fields[name] === undefined || !Number.isSafeInteger(value)) throw badRequest(`${name} is not a valid integer`)
  return value
}

export function optionalNumber(fields: Fields, name: string): number | undefined {
  return fields[name] === undefined || fields[name] === null ? undefined : numberOf(fields, name)
}

export function textOf(fields: Fields, name: string): string {
  const value = fields[name]
  if (typeof value !== 'string') throw badRequest(`${name} must be a string`)
  return value
}

/** A file of the call: in its own field, or in the one that `attach://` names. */
export function fileOf(fields: Fields, name: string): SentFile {
  const value = fields[name]
  const attached = typeof value === 'string' && value.startsWith('attach://') ? fields[value.slice(9)] : value
  if (typeof attached !== 'object' || attached === null || !('bytes' in attached))
    throw badRequest(`there is no ${name} in the request`)
  return attached as SentFile
}
