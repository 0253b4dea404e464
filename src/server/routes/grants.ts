import { z } from 'zod'
import { SignalboxError } from '../../errors/index.js'
import { callerFields, callerOf } from '../caller.js'
import { type Route, route } from '../route.js'
import { answer } from '../schemas/common.js'
import { grant, grantList, grantSwitch } from '../schemas/grants.js'

const switchBody = z.strictObject(callerFields)
const switchAnswer = answer('whether grants are paused', grantSwitch)

export const grantRoutes: readonly Route[] = [
  route({
    id: 'grants.list',
    method: 'GET',
    path: '/grants',
    summary: 'Lists the grants in force; with `all`, also ended ones.',
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
    id: 'grants.pause',
    method: 'POST',
    path: '/grants/pause',
    summary: 'Pauses all grants.',
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
    summary: 'Resumes all grants.',
    access: 'approver',
    body: switchBody,
    answers: { 200: switchAnswer },
    handle: async call => {
      const { actor, surface, insideSession } = callerOf(call, call.body)
      if (insideSession !== undefined)
        throw new SignalboxError('E_ROLE', `an agent cannot resume grants: this shell belongs to ${insideSession}`, {
          next: 'resume them from a terminal of your own',
        })
      return call.json(await call.host.ledger.grants.resume(actor, surface))
    },
  }),
  route({
    id: 'grants.revoke',
    method: 'POST',
    path: '/grants/:id/revoke',
    summary: 'Ends a grant.',
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
