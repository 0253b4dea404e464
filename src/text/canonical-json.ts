import { SignalboxError } from '../errors/index.js'

/** Deeper values are refused before they overflow the stack; this also stops at cycles. */
const DEPTH_MAX = 1000

/**
 * The canonical text of a JSON value by RFC 8785: keys sorted by UTF-16 units, shortest numbers, no
 * whitespace. There is no Unicode normalisation and no case folding, because look-alikes must stay
 * different. `undefined` fields are dropped; a bigint is written as an integer, for numbers beyond
 * 2^53.
 * @throws SignalboxError `E_CANONICAL` for values that JSON cannot represent: lone surrogates, NaN,
 * infinities, functions, class instances.
 */
export function canonicalJson(value: unknown): string {
  return write(value, [])
}

function write(value: unknown, path: (string | number)[]): string {
  switch (typeof value) {
    case 'string':
      return writeString(value, path)
    case 'number':
      if (!Number.isFinite(value)) refuse(`the number ${value}`, path)
      return JSON.stringify(value)
    case 'boolean':
    case 'bigint':
      return String(value)
    case 'object':
      if (value === null) return 'null'
      if (path.length >= DEPTH_MAX) refuse('a value nested too deeply', path.slice(0, 3))
      return Array.isArray(value) ? writeArray(value, path) : writeObject(value, path)
    default:
      return refuse(`a value of type ${typeof value}`, path)
  }
}

function writeString(text: string, path: (string | number)[]): string {
  if (/\p{Cs}/u.test(text)) refuse('a lone surrogate', path)
  return JSON.stringify(text)
}

function writeArray(items: readonly unknown[], path: (string | number)[]): string {
  // As in JSON.stringify: an element cannot be dropped without moving the others.
  const texts = Array.from(items, (item, index) => (item === undefined ? 'null' : write(item, [...path, index])))
  return `[${texts.join(',')}]`
}

function writeObject(value: object, path: (string | number)[]): string {
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) refuse('an instance of a class', path)
  const fields = Object.entries(value)
    .filter(([, item]) => item !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, item]) => `${writeString(key, [...path, key])}:${write(item, [...path, key])}`)
  return `{${fields.join(',')}}`
}

function refuse(what: string, path: (string | number)[]): never {
  const at = path.length > 0 ? ` at ${path.join('.')}` : ''
  throw new SignalboxError('E_CANONICAL', `canonical JSON cannot hold ${what}${at}`)
}
