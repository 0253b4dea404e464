import { z } from 'zod'
import { moment } from './common.js'
import { message, prompts, screen, session } from './sessions.js'

export const share = z.object({
  id: z.string(),
  session: z.string(),
  name: z.string().describe('of the session'),
  by: z.string().describe('who made the link'),
  createdAt: moment,
  expiresAt: moment,
})

export const shareList = z.object({ items: z.array(share) })

export const newShare = z.object({
  share,
  url: z.string().describe('the link; the part after # is the code, which is sent only in this answer'),
})

/** What a link shows: no directory, no text of a request, nothing that another link would need. */
export const sharedSession = z.object({
  name: z.string(),
  project: z.string().describe('the name of its directory'),
  session: session.pick({
    agent: true,
    startedAt: true,
    endedAt: true,
    state: true,
    exit: true,
    endReason: true,
    busy: true,
    awaiting: true,
    approval: true,
    idle: true,
    view: true,
  }),
  messages: z.array(message),
  prompts,
  before: z.string().nullable().describe('names the page of older messages'),
  requests: z.array(
    z.object({ id: z.string(), title: z.string(), state: z.string(), isDenied: z.boolean(), requestedAt: moment }),
  ),
  screen: screen.nullable().describe('null after its end'),
  expiresAt: moment.describe('when the link expires'),
})
