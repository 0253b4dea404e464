import { z } from 'zod'
import { previewStanding, requestTitle, standingGrant } from '../../approvals/index.js'
import { SignalboxError } from '../../errors/index.js'
import { callerFields, callerOf } from '../caller.js'
import { type Route, route } from '../route.js'
import { answer } from '../schemas/common.js'
import { grant, grantList, grantSwitch, standingPreview } from '../schemas/grants.js'

const switchBody = z.strictObject(callerFields)
const switchAnswer = answer('whether standing approvals are paused', grantSwitch)

const PREVIEW_MS = 30 * 24 * 3_600_000
const PREVIEW_ITEMS = 50

const standingBody = z.strictObject({
  project: z.string().min(1).max(4096).describe('its directory'),
  agent: z.string().max(64).nullable().default(null).describe('null: every agent'),
  match: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('prefix'), words: z.array(z.string()).min(1).max(20) }),
    z.strictObject({ kind: z.literal('path'), directory: z.string() }),
  ]),
  note: z.string().max(2_000).optional(),
  ...callerFields,
})

function standingOf(call: Parameters<typeof callerOf>[0] & { body: z.output<typeof standingBody> }) {
  const { project, agent, match, note, ...claimed } = call.body
  const { actor, surface, insideSession } = callerOf(call, claimed)
  if (insideSession !== undefined)
    throw new SignalboxError(
      'E_ROLE',
      `an agent cannot allow itself anything: this shell belongs to ${insideSession}`,
      {
        next: 'do it from a terminal of your own',
      },
    )
  return standingGrant({ project, agent, match, note }, { by: actor, surface })
}

export const grantRoutes: readonly Route[] = [
  route({
    id: 'grants.list',
    method: 'GET',
    path: '/grants',
    summary: 'Lists active standing approvals; with `all`, also ended ones.',
    access: 'viewer',
    query: z.strictObject({ all: z.string().optional() }),
    answers: { 200: answer('the grants', grantList) },
    handle: async call => {
      const { grants } = call.host.ledger
      const items = await grants.list({ all: call.query.all !== undefined })
      const { isPaused, by } = await grants.switch()
      return call.json({
        items,
        isPaused,
        ...(isPaused && by !== undefined && { pausedBy: by }),
        now: call.host.clock.now(),
        next: null,
        position: await call.position(),
      })
    },
  }),
  route({
    id: 'grants.preview',
    method: 'POST',
    path: '/grants/preview',
    summary: 'What a standing approval would have covered in the last 30 days.',
    access: 'approver',
    isWrite: false,
    body: standingBody,
    answers: { 200: answer('the requests, newest first', standingPreview) },
    handle: async call => {
      const { ledger, clock } = call.host
      const now = clock.now()
      const since = now - PREVIEW_MS
      const { covered, denied } = previewStanding(standingOf(call), await ledger.list({ isOpenOnly: false }), {
        now,
        since,
      })
      const items = covered.slice(0, PREVIEW_ITEMS).map(record => ({
        id: record.id,
        title: requestTitle(record),
        requestedAt: record.requestedAt,
        risk: record.risk.level,
        state: record.state,
      }))
      return call.json({ count: covered.length, denied, since, items })
    },
  }),
  route({
    id: 'grants.add',
    method: 'POST',
    path: '/grants',
    summary: 'Makes a standing approval: requests that fit its pattern are allowed until it is revoked.',
    access: 'owner',
    needsStepUp: true,
    body: standingBody,
    answers: { 201: answer('the grant', grant) },
    handle: async call => call.json(await call.host.ledger.grants.make(standingOf(call)), 201),
  }),
  route({
    id: 'grants.pause',
    method: 'POST',
    path: '/grants/pause',
    summary: 'Pauses all standing approvals.',
    access: 'approver',
    body: switchBody,
    answers: { 200: switchAnswer },
    handle: async call => {
      const { actor, surface } = callerOf(call, call.body)
      return call.json(await call.host.ledger.grants.pause(actor, surface))
    },
  }),
  route({
    id: 'grants.resume',
    method: 'POST',
    path: '/grants/resume',
    summary: 'Resumes all standing approvals.',
    access: 'approver',
    body: switchBody,
    answers: { 200: switchAnswer },
    handle: async call => {
      const { actor, surface, insideSession } = callerOf(call, call.body)
      if (insideSession !== undefined)
        throw new SignalboxError(
          'E_ROLE',
          `an agent cannot resume standing approvals: this shell belongs to ${insideSession}`,
          {
            next: 'resume them from a terminal of your own',
          },
        )
      return call.json(await call.host.ledger.grants.resume(actor, surface))
    },
  }),
  route({
    id: 'grants.revoke',
    method: 'POST',
    path: '/grants/:id/revoke',
    summary: 'Ends a standing approval.',
    access: 'approver',
    body: switchBody,
    answers: { 200: answer('the grant', grant) },
    handle: async call => {
      const { grants } = call.host.ledger
      const found = await grants.find(call.params.id!)
      // Everyone who may decide may revoke a grant, from every surface: it only restricts.
      await grants.end(found, 'revoked', callerOf(call, call.body).actor)
      return call.json(await grants.find(found.id))
    },
  }),
]
