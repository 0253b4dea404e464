import type { Approval, Session } from '../api/types'
import { ApiError, getJson, postJson, sendDelete } from '../transport/request'
import { approvals, lookAtSession, runs, sessions } from './live'
import { attempt, toast } from './toasts'

export interface Decision {
  option?: string
  choices?: string[]
  text?: string
  note?: string
  /** With a denial: the turn is interrupted, too. */
  thenInterrupt?: boolean
  editedInput?: unknown
  grant?: { scope: string; forMs?: number; uses?: number; match?: unknown }
  /** The person has had all of the request before their eyes. */
  whole: boolean
}

/** How long the answer to a decision may wait for the agent to move on. */
const APPLY_WAIT_MS = 8_000

/**
 * Decides, and gives the record as the server has it afterwards. Nothing is shown as decided before that. A request that somebody else
 * has decided meanwhile is looked at again, so that the card says who.
 */
export async function decide(approval: Approval, { whole, ...decision }: Decision): Promise<Approval> {
  try {
    const record = await postJson<Approval>(`/approvals/${approval.id}/decision?waitMs=${APPLY_WAIT_MS}`, {
      ...decision,
      fingerprint: approval.fingerprint,
      seen: { displayHash: approval.display.hash, whole },
    })
    approvals.put(record)
    return record
  } catch (error) {
    if (error instanceof ApiError && error.status === 409) {
      const fresh = await getJson<Approval>(`/approvals/${approval.id}`).catch(() => null)
      if (fresh) approvals.put(fresh)
    }
    throw error
  }
}

/** What stood there for less was not seen by anybody, and the moment in which a request comes is the one in which all pages are drawn. */
const SEEN_AFTER_MS = 800
const told = new Set<string>()

/** Once per request: the ledger notes that it was before somebody's eyes. Called off by what it returns. */
export function reportSeen(approval: Approval, whole: boolean): () => void {
  const timer = setTimeout(() => tellSeen(approval, whole), SEEN_AFTER_MS)
  return () => clearTimeout(timer)
}

function tellSeen(approval: Approval, whole: boolean): void {
  const key = `${approval.id}:${approval.display.hash}:${whole}`
  if (told.has(key)) return
  told.add(key)
  void postJson(`/approvals/${approval.id}/seen`, { displayHash: approval.display.hash, whole }).catch(() =>
    told.delete(key),
  )
}

export async function startSession(wish: {
  agent: string
  cwd: string
  args: string[]
  prompt?: string
  label?: string
}): Promise<Session> {
  const session = await postJson<Session>('/sessions', wish)
  sessions.put(session)
  return session
}

export function stopSession(id: string): Promise<unknown> {
  return attempt(async () => sessions.put(await postJson<Session>(`/sessions/${id}/stop`)), 'The session is ending')
}

export async function resumeSession(id: string): Promise<Session | null> {
  return attempt(async () => {
    const session = await postJson<Session>(`/sessions/${id}/resume`)
    sessions.put(session)
    return session
  })
}

export function interruptSession(id: string): Promise<unknown> {
  return attempt(async () => {
    const { result } = await postJson<{ result?: string }>(`/sessions/${id}/interrupt`)
    toast('info', result ? `Interrupt: ${result}` : 'Interrupted')
    lookAtSession(id)
  })
}

export async function sendPrompt(
  id: string,
  text: string,
  when: 'now' | 'after-turn',
): Promise<{ result?: string; detail?: string; prompt?: string }> {
  const sent = await postJson<{ result?: string; detail?: string }>(`/sessions/${id}/messages`, { text, when })
  lookAtSession(id)
  return sent
}

/** Asks the agent to make room in its conversation, once it rests. */
export function compactSession({ id, compact }: Session): Promise<unknown> {
  return attempt(async () => {
    const body = { text: compact, when: 'after-turn', meaning: 'command' }
    const { result, detail } = await postJson<{ result?: string; detail?: string }>(`/sessions/${id}/messages`, body)
    lookAtSession(id)
    if (result === 'refused' || result === 'unconfirmed') toast('bad', 'Not sent', detail)
  })
}

export function dropPrompt(session: string, prompt: string): Promise<unknown> {
  return attempt(async () => {
    await sendDelete(`/sessions/${session}/messages/${prompt}`)
    lookAtSession(session)
  })
}

export function acknowledgePane(id: string): Promise<unknown> {
  return attempt(() => postJson(`/panes/${id}/acknowledge`))
}

export function controlRun(id: string, action: 'cancel' | 'resume', done: string): Promise<unknown> {
  return attempt(async () => {
    await postJson(`/runs/${id}/${action}`)
    runs.put(await getJson(`/runs/${id}`))
  }, done)
}

export function pauseGrants(pause: boolean): Promise<unknown> {
  return attempt(
    () => postJson(`/grants/${pause ? 'pause' : 'resume'}`),
    pause ? 'All grants rest' : 'Grants decide again',
  )
}

export function revokeGrant(id: string): Promise<unknown> {
  return attempt(() => postJson(`/grants/${id}/revoke`), 'The grant has ended')
}
