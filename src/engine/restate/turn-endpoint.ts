import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2'

/** Answers the engine's requests on a server of the caller. */
export type EndpointHandler = (
  request: IncomingMessage | Http2ServerRequest,
  response: ServerResponse | Http2ServerResponse,
) => void

/** The object of an engine that belongs to one store; its key is the id of a run. */
export const OBJECT = 'run'
export const HANDLER = 'turn'

/**
 * The endpoint that the engine calls: one object, whose key is a run, with one exclusive handler.
 * Nothing in it ever changes, so it is registered once. Everything that is not constant happens
 * inside the one `ctx.run`: a handler whose result differed when it is tried again would be stuck
 * for good. The engine holds ids and times, and nothing else.
 * @param beginTurn returns the time until the next call in ms, or null if none is needed.
 * @param name of the object: another one for each store, if several of them use one engine.
 */
export async function turnEndpoint(
  beginTurn: (run: string) => Promise<number | null>,
  identityKeys: readonly string[],
  name = OBJECT,
): Promise<EndpointHandler> {
  definePromiseWithResolvers()
  const { createEndpointHandler, handlers, object } = await import('@restatedev/restate-sdk')
  const runs = object({
    name,
    handlers: {
      [HANDLER]: handlers.object.exclusive(async ctx => {
        const delayMs = await ctx.run('look', () => beginTurn(ctx.key))
        if (delayMs !== null)
          ctx.genericSend({
            service: name,
            method: HANDLER,
            key: ctx.key,
            parameter: new TextEncoder().encode('{}'),
            delay: delayMs,
          })
      }),
    },
  })
  return createEndpointHandler({
    services: [runs],
    ...(identityKeys.length > 0 && { identityKeys: [...identityKeys] }),
    logger: () => undefined,
  }) as EndpointHandler
}

/** Node 20 does not have it, and the library of the engine needs it when it is loaded. */
function definePromiseWithResolvers(): void {
  if ('withResolvers' in Promise) return
  Object.defineProperty(Promise, 'withResolvers', {
    configurable: true,
    writable: true,
    value: <T>() => {
      let resolve!: (value: T) => void
      let reject!: (reason: unknown) => void
      const promise = new Promise<T>((good, bad) => {
        resolve = good
        reject = bad
      })
      return { promise, resolve, reject }
    },
  })
}
