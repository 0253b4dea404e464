/*
 * The HTTP API of the daemon.
 *
 * One list of operations (`routes/`) is the API. The app, the OpenAPI document, the reference page
 * and the contract tests are made from it, and each operation names its path, role, schemas
 * (`schemas/`) and handler. A handler checks its input, calls the host and answers; it decides
 * nothing.
 *
 * A request goes through these files:
 *
 *   tcp-listener or the owner's socket    open-server.ts starts both listeners of a host
 *   app.ts                                Host and Origin (admission/origins), security headers;
 *                                         then from the credential to the answer:
 *     caller.ts, auth/                    socket, token, or a browser's proof; reads the body
 *     admit                               role, read-only mode, step-up, admission/rate-limits
 *     idempotency.ts                      performs a request with an Idempotency-Key once
 *   routes/<topic>.ts                     the operation; views/ build what it returns
 *   wire/                                 JSON with times as RFC 3339; over TCP without secrets
 *   errors.ts                             every error has a code, a message and the next step
 *
 * Two kinds of connections stay open. `GET /events` streams the log: live/event-stream reads it
 * once for all subscribers and holds what one has not read yet, live/replay sends what a subscriber
 * missed. A slow subscriber costs a bounded queue and then its connection.
 * Updates that are not in the log (panes, provisional text, records of sessions and runs) are
 * ephemeral: only the newest of a key is sent. `terminal/` serves the bytes of a session over
 * WebSocket in the same way: a viewer that falls behind gets a snapshot instead of the bytes that
 * it missed.
 *
 * Not here: what an operation does (host/, runs/, approvals/), who the people are (people/), and
 * the dashboard (web/), which uses this API and a few pure files.
 *
 * To add an operation: an entry in a file of `routes/`, a schema in `schemas/`, and a call in
 * test/server/operations.test.ts, which fails until every operation was called.
 */
export type * from './api-types.js'
export { OWNER } from './caller.js'
export { EngineEndpoint } from './engine-endpoint.js'
export { ApiServer } from './open-server.js'
export { openApi } from './openapi.js'
export type { BotControl } from './parts.js'
export { ROUTES } from './routes/index.js'
export type { ServerSettings } from './settings.js'
export { WorkerTerminals } from './terminal/index.js'
export { pinOf } from './tls-pin.js'
export { type ForwardedRequest, WorkerApi } from './worker-api.js'
