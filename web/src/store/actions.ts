import type { Approval, Interrupted, Run, Sent, Session, StoppedSession } from '../api/types'
import { ApiError, getJson, postJson, request, sendDelete } from '../transport/request'
import { askFirst } from '../ui/confirm'
import { approvals, refreshSession, runs, sessions } from './live'
import { attempt, toast } from './toasts'

export interface Decision {
  option?: string
  choices?: string[]
  text?: string
  note?: string
  /** With a denial: also interrupt the turn. */
  thenInterrupt?: boolean
  editedInput?: unknown
  grant?: { scope: string; forMs?: number; uses?: number; match?: unknown }
  /** The page has shown the whole request. */
  whole: boolean
}

/** How long the server waits for the agent to continue before it answers. */
const APPLY_WAIT_MS = 8_000

/**
 * Decides a request and returns the record of the server. The page shows no decision before that.
 * If another person has decided the request, it is loaded again, so that the card shows who.
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

/**
 * A card that was visible for less was not read; and right after a request arrives, all pages are
 * busy drawing it.
 */
const SEEN_AFTER_MS = 800
const reported = new Set<string>()

/**
 * Reports once per request that the page has shown it. The returned function cancels the report.
 */
export function reportSeen(approval: Approval, whole: boolean): () => void {
  const timer = setTimeout(() => sendSeen(approval, whole), SEEN_AFTER_MS)
  return () => clearTimeout(timer)
}

function sendSeen(approval: Approval, whole: boolean): void {
  const key = `${approval.id}:${approval.display.hash}:${whole}`
  if (reported.has(key)) return
  reported.add(key)
  void postJson(`/approvals/${approval.id}/seen`, { displayHash: approval.display.hash, whole }).catch(() =>
    reported.delete(key),
  )
}

export async function startSession(options: {
  agent: string
  /** Without it the demo agent works in a scratch project. */
  cwd?: string
  args: string[]
  prompt?: string
  label?: string
  worktree?: boolean
  budget?: { usd: number | null; tokens: number | null }
  /** The agent's own id of a conversation to continue. */
  resume?: string
}): Promise<Session> {
  const session = await postJson<Session>('/sessions', options)
  sessions.put(session)
  return session
}

export function stopSession(id: string): Promise<unknown> {
  return attempt(
    async () => sessions.put(await postJson<StoppedSession>(`/sessions/${id}/stop`)),
    'The session was stopped',
  )
}

export function renameSession(id: string, name: string): Promise<unknown> {
  return attempt(async () => {
    await request(`/panes/${id}`, { method: 'PATCH', body: { name } })
    refreshSession(id)
  })
}

/** What the session may use before it is paused; null: no limit. */
export function setBudget(id: string, budget: { usd: number | null; tokens: number | null }): Promise<unknown> {
  return attempt(async () => {
    sessions.put(await postJson<Session>(`/sessions/${id}/budget`, budget))
  }, 'Budget saved')
}

/** A session that continues the conversation of another one, or begins with what it has. */
export async function continueSession(id: string, how: 'resume' | 'fork'): Promise<Session | null> {
  return attempt(async () => {
    const session = await postJson<Session>(`/sessions/${id}/${how}`)
    sessions.put(session)
    return session
  })
}

const INTERRUPTS: Readonly<Record<Interrupted['result'], string>> = {
  interrupted: 'Interrupted',
  idle: 'The agent is already idle',
  refused: 'Not interrupted',
  unconfirmed: 'Interrupt not confirmed',
}

export function interruptSession(id: string): Promise<unknown> {
  return attempt(async () => {
    const { result, detail } = await postJson<Interrupted>(`/sessions/${id}/interrupt`)
    toast('info', INTERRUPTS[result], detail)
    refreshSession(id)
  })
}

export async function sendPrompt(id: string, text: string, when: 'now' | 'after-turn'): Promise<Sent> {
  const sent = await postJson<Sent>(`/sessions/${id}/messages`, { text, when })
  refreshSession(id)
  return sent
}

/** Asks the agent to compact its conversation as soon as it is idle. */
export function compactSession({ id, compact }: Session): Promise<unknown> {
  return attempt(async () => {
    const body = { text: compact, when: 'after-turn', meaning: 'command' }
    const { result, detail } = await postJson<Sent>(`/sessions/${id}/messages`, body)
    refreshSession(id)
    if (result === 'refused' || result === 'unconfirmed') toast('bad', 'Not sent', detail)
  })
}

export function dropPrompt(session: string, prompt: string): Promise<unknown> {
  return attempt(async () => {
    await sendDelete(`/sessions/${session}/messages/${prompt}`)
    refreshSession(session)
  })
}

export function acknowledgePane(id: string): Promise<unknown> {
  return attempt(() => postJson(`/panes/${id}/acknowledge`))
}

export function controlRun(id: string, action: 'cancel' | 'pause' | 'resume', done: string): Promise<unknown> {
  return attempt(async () => {
    runs.put(await postJson<Run>(`/runs/${id}/${action}`))
  }, done)
}

/** Cancelling is irreversible, so the person confirms it. */
export async function cancelAfterAsking({ id, title }: Pick<Run, 'id' | 'title'>): Promise<void> {
  const isSure = await askFirst({
    title: 'Cancel this run?',
    text: `“${title}” stops now and cannot be resumed. Its files and its history are kept.`,
    action: 'Cancel run',
  })
  if (isSure) await controlRun(id, 'cancel', 'The run was cancelled')
}

export function pauseGrants(pause: boolean): Promise<unknown> {
  return attempt(
    () => postJson(`/grants/${pause ? 'pause' : 'resume'}`),
    pause ? 'Standing approvals paused' : 'Standing approvals resumed',
  )
}

export function revokeGrant(id: string): Promise<unknown> {
  return attempt(() => postJson(`/grants/${id}/revoke`), 'Standing approval revoked')
}
