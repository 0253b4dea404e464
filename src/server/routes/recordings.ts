import { statSync } from 'node:fs'
import { pipeline, Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import { z } from 'zod'
import { SignalboxError } from '../../errors/index.js'
import { type Route, route } from '../route.js'
import { answer, listAnswer, listQuery } from '../schemas/common.js'
import { frame } from '../schemas/panes.js'
import { recording, recordingIndex } from '../schemas/recordings.js'
import { frameView } from '../views/frame-view.js'
import { pageOfViews } from '../views/page.js'
import { findRecording, frameAt, recordingId, recordingMarkers, recordingView } from '../views/recording-view.js'
import { redactedRecording } from '../views/redacted-recording.js'
import { sessionOf } from './active-session.js'

export const recordingRoutes: readonly Route[] = [
  route({
    id: 'recordings.list',
    method: 'GET',
    path: '/recordings',
    summary: 'Recordings of sessions, newest first.',
    access: 'viewer',
    query: z.strictObject({ ...listQuery, session: z.string().optional(), run: z.string().optional() }),
    answers: { 200: listAnswer(recording) },
    handle: async call => {
      const { session, run } = call.query
      const wanted = session === undefined ? null : (await sessionOf(call, session)).id
      const ofRun = run === undefined ? null : new Set(await sessionsOfRun(call.host.store, run))
      const all = (await call.host.records())
        .reverse()
        .filter(({ id }) => (wanted === null || id === wanted) && (ofRun === null || ofRun.has(id)))
        .map(record => ({ id: recordingId(record), record }))
      return call.json(await pageOfViews(call, all, call.query, ({ record }) => recordingView(call.host, record)))
    },
  }),
  route({
    id: 'recordings.cast',
    method: 'GET',
    path: '/recordings/:file{.+\\.cast}',
    summary: 'The recording in asciicast v2, up to now, without secrets.',
    access: 'viewer',
    answers: {
      200: { description: 'the recording', media: 'application/x-asciicast' },
      304: { description: 'not modified' },
    },
    handle: async call => {
      const { record } = await findRecording(call, call.params.file!.replace(/\.cast$/, ''))
      const { size, mtimeMs } = statSync(record.recording)
      const isSentCompressed = /\bgzip\b/.test(call.header('accept-encoding') ?? '')
      const tag = `"${size}-${Math.round(mtimeMs)}${isSentCompressed ? '-gzip' : ''}"`
      const headers = { etag: tag, 'cache-control': 'private, no-cache', vary: 'accept-encoding' }
      if (call.header('if-none-match') === tag) return new Response(null, { status: 304, headers })
      const text = Readable.from(redactedRecording(record.recording, call.host.redactor))
      const source = isSentCompressed ? pipeline(text, createGzip(), () => undefined) : text
      return new Response(Readable.toWeb(source) as ReadableStream, {
        headers: {
          ...headers,
          'content-type': 'application/x-asciicast',
          ...(isSentCompressed && { 'content-encoding': 'gzip' }),
        },
      })
    },
  }),
  route({
    id: 'recordings.index',
    method: 'GET',
    path: '/recordings/:id/index',
    summary: 'Events in a recording: changes of the view, markers, decisions.',
    access: 'viewer',
    answers: { 200: answer('in milliseconds since the recording started', recordingIndex) },
    handle: async call => {
      const { host } = call
      const { record, view } = await findRecording(call, call.params.id!)
      const found = await recordingMarkers(host, record)
      const since = (at: number) => Math.max(0, at - record.startedAt)
      const messages = (await host.store.readStream(`session/${record.id}`))
        .filter(({ type }) => type === 'message.final')
        .map(({ at, data }) => ({ atMs: since(at), kind: 'message' as const, label: String(data.message) }))
      const approvals = (await host.ledger.list({ isOpenOnly: false })).filter(
        ({ subject }) => subject.session === record.id,
      )
      const decisions = approvals.map(({ id, requestedAt, display, state, decision: made }) => ({
        approval: id,
        atMs: since(requestedAt),
        title: display.title,
        state,
        decidedAtMs: made ? since(made.at) : null,
        by: made?.actor.name ?? null,
        option: made?.option ?? null,
      }))
      const markers = [...found.markers, ...messages].sort((a, b) => a.atMs - b.atMs)
      return call.json({
        ...found,
        recording: view,
        markers,
        decisions,
        position: await call.position(),
      })
    },
  }),
  route({
    id: 'recordings.frame',
    method: 'GET',
    path: '/recordings/:id/frame',
    summary: 'The screen at a time of the recording.',
    access: 'viewer',
    query: z.strictObject({
      atMs: z.coerce.number().min(0),
      format: z.enum(['text', 'spans']).default('spans'),
    }),
    answers: { 200: answer('the frame', frame) },
    handle: async ({ host, person, params, query, json }) => {
      const { record } = await findRecording({ host, person }, params.id!)
      const shown = await frameAt(host, record, query.atMs)
      if (!shown)
        throw new SignalboxError('E_UNKNOWN', 'the recording shows nothing at that time', {
          next: 'choose a later time',
        })
      return json(frameView(shown, query.format, host.redactor))
    },
  }),
]

async function sessionsOfRun(
  store: { readStream(stream: string): Promise<{ type: string; data: Record<string, unknown> }[]> },
  run: string,
): Promise<string[]> {
  const events = await store.readStream(`run/${run}`)
  return events.flatMap(({ type, data }) =>
    type === 'step.spawned' && typeof data.session === 'string' ? [data.session] : [],
  )
}
