import { createHash } from 'node:crypto'
import { z } from 'zod'
import { SignalboxError } from '../../errors/index.js'
import type { Host } from '../../host/index.js'
import type { Frame } from '../../terminal/index.js'
import { hashOfLines } from '../live/pane-feed.js'
import { type Route, route } from '../route.js'
import { answer } from '../schemas/common.js'
import { frame, pane, paneFocused } from '../schemas/panes.js'
import { frameSvg } from '../views/frame-svg.js'
import { frameView } from '../views/frame-view.js'
import { screenShown } from '../views/screen-shown.js'
import { panesOf } from './panes.js'

export const paneFrameRoutes: readonly Route[] = [
  route({
    id: 'panes.frame',
    method: 'GET',
    path: '/panes/:id/frame',
    summary: 'The screen of a pane as text or as styled spans.',
    access: 'viewer',
    query: z.strictObject({ format: z.enum(['text', 'spans']).default('text') }),
    answers: { 200: answer('the frame', frame) },
    handle: async ({ host, params, query, json }) => {
      const { id, shown } = await shownBy(host, params.id!)
      return json({ pane: id, hash: hashOfLines(shown.lines), ...frameView(shown, query.format, host.redactor) })
    },
  }),
  route({
    id: 'panes.preview',
    method: 'GET',
    path: '/panes/:id/preview.svg',
    summary: 'The screen of a pane as an SVG picture.',
    access: 'viewer',
    answers: {
      200: { description: 'the picture', media: 'image/svg+xml' },
      304: { description: 'not modified' },
    },
    handle: async call => {
      const { shown } = await shownBy(call.host, call.params.id!)
      return tagged(call.header('if-none-match'), frameSvg(shown, call.host.redactor), 'image/svg+xml')
    },
  }),
  route({
    id: 'panes.focus',
    method: 'POST',
    path: '/panes/:id/focus',
    summary: 'Selects a tmux pane in its tmux.',
    access: 'approver',
    answers: { 200: answer('the result', paneFocused) },
    handle: async ({ host, params, json }) => {
      const panes = panesOf(host)
      return json(await panes.focus(panes.find(params.id!).id))
    },
  }),
  route({
    id: 'panes.rename',
    method: 'PATCH',
    path: '/panes/:id',
    summary: 'Renames a session.',
    access: 'approver',
    body: z.strictObject({ name: z.string().trim().min(1).max(200).nullable() }),
    answers: { 200: answer('the pane', pane) },
    handle: async ({ host, parts, params, body, person, json }) => {
      const panes = panesOf(host)
      const found = panes.find(params.id!)
      if (found.source !== 'session')
        throw new SignalboxError('E_STATE', 'tmux panes cannot be renamed here', {
          next: 'tmux rename-window',
        })
      await host.rename(found.id, body.name, person.name)
      return json(parts.panes.versioned(panes.find(found.id)))
    },
  }),
]

async function shownBy(host: Host, word: string): Promise<{ id: string; shown: Frame }> {
  const panes = panesOf(host)
  const { id } = panes.find(word)
  const shown = await screenShown(host, id)
  if (shown) return { id, shown }
  throw new SignalboxError('E_STATE', 'this pane shows nothing yet', { next: 'try again in a moment' })
}

/** An answer with an ETag; 304 for a client that already has this content. */
export function tagged(known: string | undefined, text: string, type: string): Response {
  const tag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`
  const headers = { etag: tag, 'cache-control': 'private, no-cache' }
  if (known === tag) return new Response(null, { status: 304, headers })
  return new Response(text, { headers: { ...headers, 'content-type': `${type}; charset=utf-8` } })
}
