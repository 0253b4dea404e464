import { basename, join } from 'node:path'
import { Readable } from 'node:stream'
import { z } from 'zod'
import { SignalboxError } from '../../errors/index.js'
import type { Host } from '../../host/index.js'
import { openDownload, type SessionDirectories, type SessionRecord, storeUpload } from '../../sessions/index.js'
import { forwarded } from '../forward.js'
import { type Route, route } from '../route.js'
import { answer } from '../schemas/common.js'
import { uploaded } from '../schemas/sessions.js'
import { liveOf, sessionOf } from './active-session.js'

const MB = 1024 * 1024

export const sessionFileRoutes: readonly Route[] = [
  route({
    id: 'sessions.upload',
    method: 'POST',
    path: '/sessions/:id/uploads',
    summary: 'Stores files for the agent (form fields named "file") and sends it a prompt with their paths.',
    access: 'approver',
    form: ({ host }, isSocket) => (isSocket ? host.settings.files.quotaMb : host.settings.files.uploadMaxMb) * MB + MB,
    query: z.strictObject({ notify: z.enum(['true', 'false']).default('true') }),
    answers: { 201: answer('the stored files', uploaded) },
    handle: async call => {
      const { host, params, query } = call
      const elsewhere = await forwarded(call, await sessionOf(call, params.id!))
      if (elsewhere) return elsewhere
      const live = await liveOf(call, params.id!)
      const record = await host.record(live.id)
      const form = await call.form()
      const files = form.getAll('file').filter(part => typeof part !== 'string')
      if (files.length === 0)
        throw new SignalboxError('E_INPUT', 'the form has no file', { next: 'send it in a field named "file"' })
      const stored = []
      for (const file of files) {
        const bytes = new Uint8Array(await file.arrayBuffer())
        stored.push(await storeUpload(directoriesOf(host, record), { name: file.name, bytes }, host.settings.files))
      }
      const text = stored.map(({ path }) => `The user uploaded a file: ${path}`).join('\n')
      const whenBusy = live.phase === 'tool-pending' ? 'hold' : 'queue'
      const delivery = query.notify === 'false' ? null : await live.send(text, { whenBusy, meaning: 'text' })
      return call.json({ session: live.id, files: stored, delivery }, 201)
    },
  }),
  route({
    id: 'sessions.file',
    method: 'GET',
    path: '/sessions/:id/files',
    summary: 'A file of the session’s project or uploads, as an attachment.',
    access: 'viewer',
    query: z.strictObject({ path: z.string().min(1).max(4096).describe('relative to the project') }),
    answers: { 200: { description: 'the file', media: 'application/octet-stream' } },
    handle: async call => {
      const { host, params, query } = call
      const record = await sessionOf(call, params.id!)
      const elsewhere = await forwarded(call, record)
      if (elsewhere) return elsewhere
      const { handle, path, bytes } = await openDownload(directoriesOf(host, record), query.path, host.settings.files)
      const headers = {
        'content-type': 'application/octet-stream',
        'content-length': String(bytes),
        'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(basename(path))}`,
      }
      if (bytes === 0) {
        await handle.close()
        return new Response('', { headers })
      }
      // Sends only the announced length, in case the file grows meanwhile.
      const body = Readable.toWeb(handle.createReadStream({ end: bytes - 1 })) as ReadableStream
      return new Response(body, { headers })
    },
  }),
]

function directoriesOf({ settings }: Host, { id, project }: SessionRecord): SessionDirectories {
  return {
    uploads: join(settings.dataDirectory, 'uploads', id),
    project,
    own: [settings.dataDirectory, settings.runtimeDirectory, join(settings.packDirectory, '..')],
  }
}
