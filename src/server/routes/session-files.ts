import { basename, join } from 'node:path'
import { Readable } from 'node:stream'
import { Hono } from 'hono'
import { SignalboxError } from '../../errors/index.js'
import type { Host } from '../../host/index.js'
import { openDownload, type SessionPlaces, type SessionRecord, storeUpload } from '../../sessions/index.js'
import { liveOf } from '../live-session-of.js'

const MB = 1024 * 1024

/** Files for an agent, and files of its project for people. */
export function sessionFileRoutes(host: Host): Hono {
  const app = new Hono()

  app.post('/sessions/:id/uploads', async context => {
    const session = await liveOf(host, context.req.param('id'))
    const record = await host.record(session.id)
    const length = Number(context.req.header('content-length') ?? 0)
    const limit = host.settings.files.quotaMb * MB
    if (!(length > 0 && length <= limit + MB))
      throw new SignalboxError('E_TOO_LARGE', `uploads have a length of at most ${host.settings.files.quotaMb} MB`)
    const form = await context.req.formData().catch(error => {
      throw new SignalboxError('E_INPUT', 'the body is no multipart/form-data', { cause: error })
    })
    const files = form.getAll('file').filter(part => typeof part !== 'string')
    if (files.length === 0)
      throw new SignalboxError('E_INPUT', 'there is no file in the body', { next: 'name it "file"' })
    const stored = []
    for (const file of files) {
      const bytes = new Uint8Array(await file.arrayBuffer())
      stored.push(await storeUpload(placesOf(host, record), { name: file.name, bytes }, host.settings.files))
    }
    const text = stored.map(({ path }) => `The user uploaded a file: ${path}`).join('\n')
    const whenBusy = session.phase === 'tool-pending' ? 'hold' : 'queue'
    const told = context.req.query('tell') === 'false' ? null : await session.send(text, { whenBusy, meaning: 'text' })
    return context.json({ session: session.id, files: stored, told }, 201)
  })

  app.get('/sessions/:id/files', async context => {
    const record = await host.find(context.req.param('id'))
    const wanted = context.req.query('path')
    if (!wanted) throw new SignalboxError('E_INPUT', 'say which file', { next: '?path=…, relative to the project' })
    const { handle, path, bytes } = await openDownload(placesOf(host, record), wanted, host.settings.files)
    context.header('content-type', 'application/octet-stream')
    context.header('content-length', String(bytes))
    context.header('content-disposition', `attachment; filename*=UTF-8''${encodeURIComponent(basename(path))}`)
    context.header('x-content-type-options', 'nosniff')
    // Not a byte more than was announced, should the file grow meanwhile.
    if (bytes === 0) {
      await handle.close()
      return context.body('')
    }
    return context.body(Readable.toWeb(handle.createReadStream({ end: bytes - 1 })) as ReadableStream)
  })

  return app
}

function placesOf({ settings }: Host, { id, project }: SessionRecord): SessionPlaces {
  return {
    uploads: join(settings.dataDirectory, 'uploads', id),
    project,
    own: [settings.dataDirectory, settings.runtimeDirectory, join(settings.packDirectory, '..')],
  }
}
