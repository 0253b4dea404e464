/** Reads a value at a JSON path and reports what is wrong with it. Never throws. */
export type Read<T> = (value: unknown, path: string, problems: string[]) => T | undefined

function refuse(problems: string[], path: string, wanted: string, value: unknown): undefined {
  const shown = JSON.stringify(value) ?? 'nothing'
  problems.push(
    `${path === '' ? '(top)' : path}: expected ${wanted}, got ${shown.length > 60 ? `${shown.slice(0, 57)}…` : shown}`,
  )
  return undefined
}

export const text: Read<string> = (value, path, problems) =>
  typeof value === 'string' ? value : refuse(problems, path, 'a text', value)

export const flag: Read<boolean> = (value, path, problems) =>
  typeof value === 'boolean' ? value : refuse(problems, path, 'true or false', value)

export const amount: Read<number> = (value, path, problems) =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0
    ? value
    : refuse(problems, path, 'a number from 0', value)

export const anything: Read<Record<string, unknown>> = (value, path, problems) =>
  isRecord(value) ? value : refuse(problems, path, 'an object', value)

export const words: Read<string | string[]> = (value, path, problems) =>
  typeof value === 'string' ||
  (Array.isArray(value) && value.length > 0 && value.every(part => typeof part === 'string'))
    ? (value as string | string[])
    : refuse(problems, path, 'a command line or a list of arguments', value)

export function oneOf<const T extends string>(values: readonly T[]): Read<T> {
  return (value, path, problems) =>
    values.includes(value as T) ? (value as T) : refuse(problems, path, `one of ${values.join(', ')}`, value)
}

export function exactly<const T extends boolean>(wanted: T): Read<T> {
  return (value, path, problems) => (value === wanted ? wanted : refuse(problems, path, String(wanted), value))
}

export function listOf<T>(read: Read<T>): Read<T[]> {
  return (value, path, problems) => {
    if (!Array.isArray(value)) return refuse(problems, path, 'a list', value)
    return value.map((item, index) => read(item, `${path}[${index}]`, problems)).filter(item => item !== undefined)
  }
}

/** An object of type T: required properties must exist, unknown ones are not allowed. */
export function objectOf<T extends object>(
  readers: { [Key in keyof Required<T>]: Read<T[Key] & {}> },
  required: (keyof T & string)[],
): Read<T> {
  return (value, path, problems) => {
    if (!isRecord(value)) return refuse(problems, path, 'an object', value)
    const at = (key: string) => (path === '' ? key : `${path}.${key}`)
    for (const key of required) if (value[key] === undefined) refuse(problems, at(key), 'a value', undefined)
    const result: Record<string, unknown> = {}
    for (const [key, item] of Object.entries(value)) {
      const read = (readers as Record<string, Read<unknown>>)[key]
      if (!read) problems.push(`${at(key)}: unknown; known here are ${Object.keys(readers).join(', ')}`)
      else if (item !== undefined) result[key] = read(item, at(key), problems)
    }
    return result as T
  }
}

/** The first reader without problems wins, else the problems of the last one count. */
export function either<A, B>(first: Read<A>, second: Read<B>): Read<A | B> {
  return (value, path, problems) => {
    const doubts: string[] = []
    const result = first(value, path, doubts)
    return doubts.length === 0 ? result : second(value, path, problems)
  }
}

/** Accepts a short form instead of an object: `"say": "hello"`. */
export function shorthand<T>(read: Read<T>, expand: (value: string | number) => object): Read<T> {
  return (value, path, problems) =>
    read(typeof value === 'string' || typeof value === 'number' ? expand(value) : value, path, problems)
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
