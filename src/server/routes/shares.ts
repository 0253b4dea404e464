import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import { z } from 'zod'
import { isDenialMeaning, requestTitle } from '../../approvals/index.js'
import { SignalboxError } from '../../errors/index.js'
import type { Host } from '../../host/index.js'
import type { SessionRecord } from '../../sessions/index.js'
import type { SharedSession, Share as ShareView } from '../api-types.js'
import type { Share } from '../auth/shares.js'
import { type Call, type Route, route } from '../route.js'
import { answer, okAnswer } from '../schemas/common.js'
import { newShare, sharedSession, shareList } from '../schemas/shares.js'
import { sessionView } from '../views/session-view.js'
import type { Sendable } from '../wire/index.js'
import { sessionOf } from './active-session.js'
import { conversationOf } from './session-messages.js'

const HOUR_MS = 3_600_000
const WEEK_HOURS = 168

/** The header of a reader's requests: a path or query would be logged on its way. */
const CODE_HEADER = 'x-signalbox-share'

/** Links that show one session to people without a login. */
export const shareRoutes: readonly Route[] = [
  route({
    id: 'shares.add',
    method: 'POST',
    path: '/sessions/:id/shares',
    summary: 'Makes a link with which anyone who can reach the server may read this session, and nothing else.',
    access: 'owner',
    body: z.strictObject({ hours: z.int().min(1).max(WEEK_HOURS).default(24).describe('until it expires') }),
    answers: { 201: answer('the share and its link', newShare) },
    handle: async call => {
      const { parts, params, person, body, json } = call
      const record = await sessionOf(call, params.id!)
      const { share, code } = await parts.auth.shares.add(record.id, person.name, body.hours * HOUR_MS)
      const { id, session, by, expiresAt } = share
      await parts.audit.write('access.shared', { share: id, session, by, expiresAt })
      return json({ share: viewOf(share, record), url: `${parts.address() ?? ''}/share#${code}` }, 201)
    },
  }),
  route({
    id: 'shares.list',
    method: 'GET',
    path: '/shares',
    summary: 'Links that show a session, newest first.',
    access: 'owner',
    query: z.strictObject({ session: z.string().optional() }),
    answers: { 200: answer('those that have not expired', shareList) },
    handle: async call => {
      const wanted = call.query.session === undefined ? null : (await sessionOf(call, call.query.session)).id
      const records = new Map((await call.host.records()).map(record => [record.id, record]))
      const shares = call.parts.auth.shares.list().filter(({ session }) => wanted === null || session === wanted)
      return call.json({ items: shares.map(share => viewOf(share, records.get(share.session))) })
    },
  }),
  route({
    id: 'shares.revoke',
    method: 'DELETE',
    path: '/shares/:id',
    summary: 'Ends a link that shows a session.',
    access: 'owner',
    answers: { 200: okAnswer },
    handle: async ({ parts, params, person, json }) => {
      if (!(await parts.auth.shares.revoke(params.id!)))
        throw new SignalboxError('E_UNKNOWN', `unknown link "${params.id}"`, { next: 'GET /shares lists them' })
      await parts.audit.write('access.revoked', { what: 'share', share: params.id!, by: person.name })
      return json({ ok: true })
    },
  }),
  route({
    id: 'shares.read',
    method: 'GET',
    path: '/shared',
    summary: `The session of a link; the header \`${CODE_HEADER}\` has the code of the link.`,
    access: 'open',
    query: z.strictObject({
      before: z.string().max(64).optional().describe('only messages before this one'),
    }),
    answers: { 200: answer('the session', sharedSession), 304: { description: 'not modified' } },
    handle: async call => {
      const share = await call.parts.auth.shares.find(call.header(CODE_HEADER) ?? '')
      const view = await readerView(call, share, call.query.before ?? null)
      const tag = `"${createHash('sha256').update(JSON.stringify(view)).digest('base64url').slice(0, 22)}"`
      if (call.header('if-none-match') === tag) return new Response(null, { status: 304, headers: { etag: tag } })
      return call.json(view, 200, { etag: tag })
    },
  }),
]

const PAGE = 50

async function readerView(
  { host }: Pick<Call, 'host'>,
  { session, expiresAt }: Share,
  before: string | null,
): Promise<Sendable<SharedSession>> {
  const record = await host.record(session)
  const { agent, startedAt, endedAt, state, exit, endReason, busy, awaiting, approval, idle, view } = sessionView(
    host,
    record,
  )
  const { messages, prompts, before: earlier } = await conversationOf(host, session, { before, limit: PAGE })
  const asked = (await host.ledger.list({ isOpenOnly: false })).filter(({ subject }) => subject.session === session)
  return {
    name: nameOf(record),
    project: basename(record.cwd),
    session: { agent, startedAt, endedAt, state, exit, endReason, busy, awaiting, approval, idle, view },
    // The moment of an answer in progress is the moment of asking, which would change each answer.
    messages: messages.map(message =>
      message.provisional ? { ...message, at: record.activeAt ?? startedAt } : message,
    ),
    prompts,
    before: earlier,
    requests: asked.map(found => ({
      id: found.id,
      title: requestTitle(found),
      state: found.state,
      isDenied: found.decision ? isDenialMeaning(found.decision.tier) : found.outcome?.observed?.result === 'denied',
      requestedAt: found.requestedAt,
    })),
    screen: await screenOf(host, session),
    expiresAt,
  }
}

async function screenOf(host: Host, session: string): Promise<SharedSession['screen']> {
  const frame = await host.live(session)?.currentFrame()
  if (!frame) return null
  const { cols, rows, cursor } = frame
  return { cols, rows, lines: frame.lines.map(row => row.text), cursor: cursor ?? null }
}

function viewOf(share: Share, record: SessionRecord | undefined): Sendable<ShareView> {
  const { id, session, by, createdAt, expiresAt } = share
  return { id, session, name: record ? nameOf(record) : session, by, createdAt, expiresAt }
}

function nameOf({ label, title, agent, cwd }: SessionRecord): string {
  return label ?? title ?? `${agent} in ${basename(cwd)}`
}
