import type { HttpBindings } from '@hono/node-server'
import { type Context, Hono } from 'hono'
import { SignalboxError } from '../../errors/index.js'
import type { Host } from '../../host/index.js'

const BODY_MAX = 1024 * 1024
const DEPTH_MAX = 64

/** Where agents' hooks report. Answered at once, except for permission requests that wait for a person. */
export function hookRoutes(host: Host): Hono<{ Bindings: HttpBindings }> {
  const app = new Hono<{ Bindings: HttpBindings }>()

  app.post('/hooks/:source', async context => {
    const { status, pane, answer } = await host.hooks.receive({
      source: context.req.param('source'),
      token: bearerOf(context),
      body: await readPayload(context),
      closed: closeSignal(context),
    })
    if (!answer) return context.json({ ok: true, pane }, status)
    return context.json({ ok: true, pane, answer: await answer }, status)
  })

  return app
}

/** Null without the header; a header of another kind is as good as a wrong token. */
export function bearerOf(context: Context): string | null {
  const header = context.req.header('authorization')
  return header === undefined ? null : (/^Bearer (\S+)$/i.exec(header)?.[1] ?? '')
}

async function readPayload(context: Context): Promise<unknown> {
  const announced = Number(context.req.header('content-length') ?? 0)
  const text = announced > BODY_MAX ? null : await context.req.text()
  if (text === null || Buffer.byteLength(text) > BODY_MAX)
    throw new SignalboxError('E_TOO_LARGE', `a hook’s body may have ${BODY_MAX} bytes`)
  if (depthOf(text) > DEPTH_MAX) throw new SignalboxError('E_INPUT', `the body is nested more than ${DEPTH_MAX} deep`)
  try {
    return JSON.parse(text)
  } catch {
    // What it is instead is for the inbox to say, and to count.
    return null
  }
}

/** Brackets outside strings, counted without parsing: a parser is what deep nesting would hurt. */
function depthOf(text: string): number {
  let depth = 0
  let deepest = 0
  let isInString = false
  for (let at = 0; at < text.length; at++) {
    const char = text[at]
    if (isInString) {
      if (char === '\\') at++
      else if (char === '"') isInString = false
    } else if (char === '"') isInString = true
    else if (char === '{' || char === '[') deepest = Math.max(deepest, ++depth)
    else if (char === '}' || char === ']') depth--
  }
  return deepest
}

/** Aborts when the caller has hung up before it was answered. */
function closeSignal(context: Context<{ Bindings: HttpBindings }>): AbortSignal {
  const gone = new AbortController()
  context.env?.outgoing?.once('close', () => gone.abort())
  return gone.signal
}
