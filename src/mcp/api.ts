/** Calls an operation of the API (`/sessions`, …). @throws SignalboxError as the API answers it. */
export type CallApi = (method: 'GET' | 'POST', path: string, body?: unknown) => Promise<unknown>

/** A path with a query; values that are left out are not sent. */
export function withQuery(path: string, query: Readonly<Record<string, string | number | undefined>>): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(String(value))}`],
  )
  return given.length === 0 ? path : `${path}?${given.join('&')}`
}

export function at(id: string): string {
  return encodeURIComponent(id)
}
