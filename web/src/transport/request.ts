import { signal } from '@preact/signals'
import type { ApiError as ErrorBody } from '../api/types'
import { type Device, forgetDevice, loadDevice } from './device'

export const API = '/api/v1'

/**
 * The fields of an error that every answer has; the page itself makes errors with no more than
 * these.
 */
type ApiErrorBody = Pick<ErrorBody, 'code' | 'message'> & Partial<ErrorBody>

/** An answer with an error status. */
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

/** The server did not answer. */
export class OfflineError extends Error {
  readonly next = 'The page retries automatically.'
  constructor() {
    super('Can’t reach Signalbox')
  }
}

export type Access = 'unknown' | 'yes' | 'no'

/** Whether this browser is signed in; `no` shows the login page. */
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

/** Deletes the key of this browser: it signed out, or its access was revoked or expired. */
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
  /** Without a proof: only to sign in. */
  isOpen?: boolean
  /** A refused secret in the body is not the end of the login. */
  keepsAccess?: boolean
}

/**
 * A signed request to the own origin. The path is always written in the code, never taken from a
 * link, a message or an answer. The signature covers the bytes of the body that are sent.
 */
export async function request(path: string, options: RequestOptions = {}): Promise<Response> {
  const { method = 'GET', headers = {}, isOpen = false, keepsAccess = false } = options
  const full = path.startsWith('/') ? `${API}${path}` : `${API}/${path}`
  const { bytes, type } = await bodyOf(options)
  const sent: Record<string, string> = { ...headers, ...(type !== null && { 'content-type': type }) }
  if (!isOpen) {
    if (!device) throw new ApiError(401, { code: 'E_LOGIN', message: 'This browser is not signed in' })
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
  if (response.ok || response.status === 304) return response
  const error = await errorOf(response)
  if (response.status === 401 && !isOpen && !keepsAccess) await endAccess()
  throw error
}

export async function getJson<T>(path: string, options: RequestOptions = {}): Promise<T> {
  return (await request(path, options)).json() as Promise<T>
}

/** A write with an idempotency key: a repetition returns the first answer. */
export async function postJson<T>(path: string, body: unknown = {}, options: RequestOptions = {}): Promise<T> {
  const headers = { 'idempotency-key': crypto.randomUUID(), ...options.headers }
  const response = await request(path, { method: 'POST', ...options, body, headers })
  const text = await response.text()
  return (text === '' ? {} : JSON.parse(text)) as T
}

export async function sendDelete(path: string): Promise<void> {
  await request(path, { method: 'DELETE' })
}

/** The proof for a request that is not a fetch: the WebSocket of a terminal. */
export async function proofOf(method: string, path: string): Promise<string> {
  if (!device) throw new ApiError(401, { code: 'E_LOGIN', message: 'This browser is not signed in' })
  return proofFor(device, { method, path, body: new Uint8Array() }, Date.now())
}

async function bodyOf({
  body,
  form,
}: RequestOptions): Promise<{ bytes: Uint8Array<ArrayBuffer>; type: string | null }> {
  if (form) {
    // Encoded once, so that the signature covers the bytes that are sent.
    const encoded = new Response(form)
    return { bytes: new Uint8Array(await encoded.arrayBuffer()), type: encoded.headers.get('content-type') }
  }
  if (body === undefined) return { bytes: new Uint8Array(), type: null }
  return { bytes: new TextEncoder().encode(JSON.stringify(body)), type: 'application/json' }
}

async function errorOf(response: Response): Promise<ApiError> {
  const text = await response.text().catch(() => '')
  try {
    const { error } = JSON.parse(text) as { error: ErrorBody }
    return new ApiError(response.status, error)
  } catch {
    return new ApiError(response.status, {
      code: `E_HTTP_${response.status}`,
      message: `the server answered ${response.status} ${response.statusText}`.trim(),
    })
  }
}

const encoder = new TextEncoder()

/**
 * The signature of one request. It is valid once, for this request, for a minute, and does not
 * reveal the key.
 */
async function proofFor(
  device: Device,
  request: { method: string; path: string; body: Uint8Array<ArrayBuffer> },
  now: number,
): Promise<string> {
  const nonce = base64url(crypto.getRandomValues(new Uint8Array(16)))
  const bodyHash = hex(await crypto.subtle.digest('SHA-256', request.body))
  const parts = ['signalbox-proof-v1', request.method, request.path, location.host.toLowerCase(), now, nonce, bodyHash]
  const signature = await crypto.subtle.sign('HMAC', device.key, encoder.encode(parts.join('\n')))
  return `${device.id}.${now}.${nonce}.${base64url(new Uint8Array(signature))}`
}

function base64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}

function hex(buffer: ArrayBuffer): string {
  return Array.from(new Uint8Array(buffer), byte => byte.toString(16).padStart(2, '0')).join('')
}
