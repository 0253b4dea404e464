import { signal } from '@preact/signals'
import type { ApiErrorBody } from '../api/types'
import { type Device, forgetDevice, loadDevice } from './device'
import { proofFor } from './proof'

export const API = '/api/v1'

/** An answer that is no success, as every surface words it. */
export class ApiError extends Error {
  readonly code: string
  readonly status: number
  readonly next: string | undefined
  readonly body: ApiErrorBody

  constructor(status: number, body: ApiErrorBody) {
    super(body.message)
    this.code = body.code
    this.status = status
    this.next = body.next
    this.body = body
  }
}

/** The server did not answer at all. */
export class OfflineError extends Error {
  readonly next = 'it is tried again by itself'
  constructor() {
    super('Signalbox does not answer')
  }
}

export type Access = 'unknown' | 'yes' | 'no'

/** Whether this browser may speak to the server; `no` shows the login page. */
export const access = signal<Access>('unknown')

let device: Device | null = null

export async function openDevice(): Promise<boolean> {
  device = await loadDevice().catch(() => null)
  access.value = device ? 'yes' : 'no'
  return device !== null
}

export function useDevice(fresh: Device): void {
  device = fresh
  access.value = 'yes'
}

/** This browser forgets its key: signed out, revoked, or expired. */
export async function endAccess(): Promise<void> {
  device = null
  access.value = 'no'
  await forgetDevice().catch(() => undefined)
}

export interface RequestOptions {
  method?: string
  body?: unknown
  form?: FormData
  headers?: Record<string, string>
  signal?: AbortSignal
  /** Without a proof: only the exchange of a login code. */
  isOpen?: boolean
}

/**
 * One signed request to our own origin: the address is always a path of ours, never taken from a link, a message or an answer.
 * The body is signed as the bytes that are sent.
 */
export async function request(path: string, options: RequestOptions = {}): Promise<Response> {
  const { method = 'GET', headers = {}, isOpen = false } = options
  const full = path.startsWith('/') ? `${API}${path}` : `${API}/${path}`
  const { bytes, type } = await bodyOf(options)
  const sent: Record<string, string> = { ...headers, ...(type !== null && { 'content-type': type }) }
  if (!isOpen) {
    if (!device) throw new ApiError(401, { code: 'E_LOGIN', message: 'this browser is not signed in' })
    sent['x-signalbox-proof'] = await proofFor(device, { method, path: full, body: bytes }, Date.now())
  }
  const response = await fetch(full, {
    method,
    headers: sent,
    credentials: 'omit',
    cache: 'no-store',
    redirect: 'error',
    ...(bytes.length > 0 && { body: bytes }),
    ...(options.signal && { signal: options.signal }),
  }).catch(error => {
    if ((error as Error).name === 'AbortError') throw error
    throw new OfflineError()
  })
  if (response.ok) return response
  const error = await errorOf(response)
  if (response.status === 401 && !isOpen) await endAccess()
  throw error
}

export async function getJson<T>(path: string, options: RequestOptions = {}): Promise<T> {
  return (await request(path, options)).json() as Promise<T>
}

/** A write that may be repeated: the same key and body give the first answer again. */
export async function postJson<T>(path: string, body: unknown = {}, options: RequestOptions = {}): Promise<T> {
  const headers = { 'idempotency-key': crypto.randomUUID(), ...options.headers }
  const response = await request(path, { method: 'POST', ...options, body, headers })
  const text = await response.text()
  return (text === '' ? {} : JSON.parse(text)) as T
}

export async function sendDelete(path: string): Promise<void> {
  await request(path, { method: 'DELETE' })
}

/** A proof for something that is not a fetch: the first frame of a terminal's socket. */
export async function proofOf(method: string, path: string): Promise<string> {
  if (!device) throw new ApiError(401, { code: 'E_LOGIN', message: 'this browser is not signed in' })
  return proofFor(device, { method, path, body: new Uint8Array() }, Date.now())
}

async function bodyOf({
  body,
  form,
}: RequestOptions): Promise<{ bytes: Uint8Array<ArrayBuffer>; type: string | null }> {
  if (form) {
    // Encoded once here, so that what is signed is what is sent.
    const encoded = new Response(form)
    return { bytes: new Uint8Array(await encoded.arrayBuffer()), type: encoded.headers.get('content-type') }
  }
  if (body === undefined) return { bytes: new Uint8Array(), type: null }
  return { bytes: new TextEncoder().encode(JSON.stringify(body)), type: 'application/json' }
}

async function errorOf(response: Response): Promise<ApiError> {
  const text = await response.text().catch(() => '')
  try {
    const { error } = JSON.parse(text) as { error: ApiErrorBody }
    return new ApiError(response.status, error)
  } catch {
    return new ApiError(response.status, {
      code: `E_HTTP_${response.status}`,
      message: `the server answered ${response.status} ${response.statusText}`.trim(),
    })
  }
}
