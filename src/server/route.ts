import type { z } from 'zod'
import type { Host } from '../host/index.js'
import type { LocalPeer } from './auth/local-peers.js'
import type { CallerIdentity, Credential, Role, Surface } from './caller.js'
import type { ServerParts } from './parts.js'
import type { Answer } from './schemas/common.js'
import type { Sendable } from './wire/index.js'

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

/** One operation of the API, as data: app, OpenAPI document and contract tests use it. */
export interface Route {
  /** The unique id of the operation in the OpenAPI document. */
  id: string
  method: Method
  /** The whole path, with parameters as `:name`. */
  path: string
  summary: string
  tag: string
  /** `open`: no login. `hook`: an agent's hook token, or the socket. */
  access: Role | 'open' | 'hook'
  /** Changes something, so that `serve --read-only` refuses it. */
  isWrite: boolean
  /** Served on the owner's socket only. */
  isSocketOnly: boolean
  /** `by-content`: the operation looks at its body first (`Auth.requireConfirmed`). */
  needsStepUp: boolean | 'by-content'
  /** A rate limit in addition to that of all requests. */
  rate: 'decision' | 'session' | 'login' | null
  query: z.ZodObject | null
  body: z.ZodType | null
  /** The body is `multipart/form-data`; returns the limit of its size in bytes. */
  form: ((parts: ServerParts, isSocket: boolean) => number) | null
  /** Another content type than JSON that is accepted as well. */
  textBody: string | null
  answers: Readonly<Record<number, Answer>>
  handle(call: Call): Response | Promise<Response>
}

/** An authenticated, checked request: `Q` query, `B` body, `R` what its answer may be. */
export interface Call<Q = unknown, B = unknown, R = unknown> {
  readonly parts: ServerParts
  readonly host: Host
  readonly who: Credential
  /** The person who sent the request; an anonymous viewer on a route with `open` access. */
  readonly person: CallerIdentity
  readonly surface: Surface
  /** The process that sent it; null if it runs on another machine. */
  readonly peer: LocalPeer | null
  readonly params: Readonly<Record<string, string>>
  readonly query: Q
  readonly body: B
  readonly bytes: Uint8Array
  readonly request: Request
  readonly requestId: string
  /** Aborts when the client disconnects. */
  readonly closed: AbortSignal
  /** Closes the connection of a client that does not read its answer. */
  hangUp(): void
  header(name: string): string | undefined
  form(): Promise<FormData>
  json(value: Sendable<R>, status?: number, headers?: Record<string, string>): Response
  /** Calls another operation with this caller's credential and role; the answer is JSON. */
  dispatch(method: 'GET' | 'POST', target: string, body?: unknown): Promise<unknown>
  /** The end of the log as a cursor, from which a stream resumes. */
  position(): Promise<string>
}

type Of<S, None> = S extends z.ZodType ? z.output<S> : None

type Answers = Route['answers']
type JsonOf<A extends Answers> = {
  [Status in keyof A]: A[Status] extends { schema: infer S extends z.ZodType } ? z.output<S> : never
}[keyof A]

interface RouteSpec<Q extends z.ZodObject | undefined, B extends z.ZodType | undefined, A extends Answers> {
  method: Method
  path: string
  id: string
  summary: string
  access: Route['access']
  isWrite?: boolean
  isSocketOnly?: boolean
  needsStepUp?: Route['needsStepUp']
  rate?: Route['rate']
  query?: Q
  body?: B
  form?: Route['form']
  textBody?: string
  answers: A
  handle(call: Call<Of<Q, Record<string, never>>, Of<B, undefined>, JsonOf<A>>): Response | Promise<Response>
}

/** Declares an operation. Paths are below `/api/v1`; those with `//` start at the root. */
export function route<
  const A extends Answers,
  Q extends z.ZodObject | undefined = undefined,
  B extends z.ZodType | undefined = undefined,
>(spec: RouteSpec<Q, B, A>): Route {
  const path = spec.path.startsWith('//') ? spec.path.slice(1) : `/api/v1${spec.path}`
  return {
    id: spec.id,
    method: spec.method,
    path,
    summary: spec.summary,
    tag: spec.id.slice(0, spec.id.indexOf('.')),
    access: spec.access,
    isWrite: spec.isWrite ?? spec.method !== 'GET',
    isSocketOnly: spec.isSocketOnly ?? false,
    needsStepUp: spec.needsStepUp ?? false,
    rate: spec.rate ?? null,
    query: spec.query ?? null,
    body: spec.body ?? null,
    form: spec.form ?? null,
    textBody: spec.textBody ?? null,
    answers: spec.answers,
    handle: spec.handle as Route['handle'],
  }
}
