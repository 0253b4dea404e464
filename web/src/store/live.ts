import { batch, computed, signal } from '@preact/signals'
import type { Approval, Grant, Hello, Me, Pane, Run, Session, StreamEvent } from '../api/types'
import { keepSnapshot, loadSnapshot as loadKept } from '../transport/device'
import { access, getJson } from '../transport/request'
import { SharedStream } from '../transport/shared-stream'
import type { StreamState } from '../transport/stream'
import { Collection } from './collection'
import { foldApproval } from './fold-approval'
import { Latest } from './latest'
import { Refresher } from './refresher'

export const sessions = new Collection<Session>()
export const panes = new Collection<Pane>()
export const approvals = new Collection<Approval>()
export const runs = new Collection<Run>()
export const grants = new Collection<Grant>()

export interface Spend {
  costUsd: number
  tokens: number
  runs: number
  budgetUsd?: number | null
}

export const me = signal<Me | null>(null)
export const spend = signal<Spend | null>(null)
export const areGrantsPaused = signal(false)
export const connection = signal<StreamState>({ is: 'connecting' })
/** When what is shown was last known to be whole; null before the first snapshot. */
export const snapshotAt = signal<number | null>(null)
export const loadProblem = signal<unknown>(null)
export const hasSnapshot = computed(() => snapshotAt.value !== null)

export const isOnline = computed(() => connection.value.is === 'live')
export const canDecide = computed(() => isOnline.value && !me.value?.isReadOnly && roleRank() >= 1)
export const isOwner = computed(() => isOnline.value && !me.value?.isReadOnly && roleRank() >= 2)

function roleRank(): number {
  return { viewer: 0, approver: 1, owner: 2 }[me.value?.person.role ?? 'viewer'] ?? 0
}

interface Overview {
  sessions?: Session[]
  panes?: Pane[]
  approvals?: Approval[]
  runs?: Run[]
  grants?: { items?: Grant[]; isPaused?: boolean } | Grant[]
  spendToday?: Spend
  position?: number | string
  store?: string
}

type Listener = (event: StreamEvent) => void
type PassingListener = (type: string, data: Record<string, unknown>) => void
const listeners = new Set<Listener>()
const passingListeners = new Set<PassingListener>()
const gapListeners = new Set<() => void>()
const helloListeners = new Set<() => void>()
const latest = new Latest()
let stream: SharedStream | null = null
let lastSubscription: string | null = null

/** Every event of the log, in order. */
export function onEvent(listener: Listener): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** What is shown now and kept nowhere: provisional text, previews. */
export function onPassing(listener: PassingListener): () => void {
  passingListeners.add(listener)
  return () => passingListeners.delete(listener)
}

/** Events were missed: whoever keeps something of their own must look again. */
export function onGap(listener: () => void): () => void {
  gapListeners.add(listener)
  return () => gapListeners.delete(listener)
}

/** A stream has begun, the first or another one: it knows nothing yet of what this page looks at. */
export function onHello(listener: () => void): () => void {
  helloListeners.add(listener)
  return () => helloListeners.delete(listener)
}

export function streamSubscription(): string | null {
  return stream?.subscription ?? null
}

export function retryNow(): void {
  if (stream) stream.retry()
  else void goLive()
}

/** One snapshot, then the stream from its position on. */
export async function goLive(): Promise<void> {
  stopLive()
  try {
    me.value = meOf(await getJson<Record<string, unknown>>('/auth/me'))
    const position = await loadSnapshot()
    stream = new SharedStream(handlers, position)
    loadProblem.value = null
  } catch (error) {
    if (access.peek() === 'yes') {
      loadProblem.value = error
      const before = connection.peek()
      connection.value = { is: 'offline', since: before.is === 'offline' ? before.since : Date.now(), tries: 2 }
      await showKept()
      setTimeout(() => access.peek() === 'yes' && stream === null && void goLive(), 3_000)
    }
  }
}

function stopLive(): void {
  stream?.close()
  stream = null
  lastSubscription = null
}

async function loadSnapshot(): Promise<string | null> {
  const overview = await getJson<Overview>('/overview')
  take(overview)
  snapshotAt.value = Date.now()
  void keepSnapshot({ at: Date.now(), body: { overview, me: me.peek() } }).catch(() => undefined)
  return overview.position === undefined ? null : String(overview.position)
}

/** Nobody answers: what was known last, dated. Without a server nothing can be decided, so no control is shown as working. */
async function showKept(): Promise<void> {
  if (snapshotAt.peek() !== null) return
  const kept = await loadKept().catch(() => null)
  if (!kept) return
  const { overview, me: person } = kept.body as { overview: Overview; me: Me | null }
  batch(() => {
    me.value = person
    take(overview)
    snapshotAt.value = kept.at
  })
}

function take(overview: Overview): void {
  sessions.replace(overview.sessions ?? [])
  panes.replace(overview.panes ?? [])
  approvals.replace(overview.approvals ?? [])
  runs.replace(overview.runs ?? [])
  const given = overview.grants ?? []
  grants.replace(Array.isArray(given) ? given : (given.items ?? []))
  areGrantsPaused.value = Array.isArray(given) ? false : given.isPaused === true
  spend.value = overview.spendToday ?? null
}

function meOf(body: Record<string, unknown>): Me {
  const person = (body.person ?? body) as Me['person']
  return { ...(body as unknown as Me), person }
}

const handlers = {
  state(state: StreamState): void {
    connection.value = state
  },
  hello(hello: Hello): void {
    const isAnother = lastSubscription !== null && lastSubscription !== hello.subscription
    lastSubscription = hello.subscription
    for (const listener of helloListeners) listener()
    // Panes, phases and keyboards are in no log: after a break they are looked at again even where no event was missed.
    if (hello.resume !== 'gap' && !isAnother) return
    void loadSnapshot().catch(() => undefined)
    for (const listener of gapListeners) listener()
  },
  event(event: StreamEvent): void {
    if (event.type === 'approval.requested') latest.giveWay()
    batch(() => {
      snapshotAt.value = Date.now()
      route(event)
      for (const listener of listeners) listener(event)
    })
  },
  passing(type: string, frame: Record<string, unknown>): void {
    // Changes of panes come in the form of events, with what changed inside.
    const isNested = typeof frame.data === 'object' && frame.data !== null
    const data = isNested ? (frame.data as Record<string, unknown>) : frame
    const key = typeof frame.subject === 'string' ? frame.subject : passingKey(type, data)
    latest.put(key, () => {
      if (type === 'session.record') sessions.put(data.session as Session)
      else if (type === 'run.record') runs.put(data.run as Run)
      else if (type.startsWith('pane.') && type !== 'pane.preview') takePane(type, data)
      for (const listener of passingListeners) listener(type, data)
    })
  },
}

const sessionLooks = new Refresher({
  one: async id => sessions.put(await getJson<Session>(`/sessions/${id}`)),
  all: async () => sessions.put(...(await getJson<{ items: Session[] }>('/sessions?limit=200')).items),
})
const approvalLooks = new Refresher({
  one: async id => approvals.put(await getJson<Approval>(`/approvals/${id}`)),
  all: async () => approvals.put(...(await getJson<{ items: Approval[] }>('/approvals?limit=200')).items),
})
const grantLooks = new Refresher({ one: loadGrants, all: loadGrants })

async function loadGrants(): Promise<void> {
  const { items, isPaused } = await getJson<{ items: Grant[]; isPaused?: boolean }>('/grants')
  grants.replace(items)
  areGrantsPaused.value = isPaused === true
}

function route(event: StreamEvent): void {
  const [kind, id] = event.subject.split('/')
  if (!id) return
  if (event.type.startsWith('pane.')) takePane(event.type, event.data)
  else if (kind === 'approval') {
    const folded = foldApproval(approvals.peek(id), event)
    if (!folded) approvalLooks.touch(id)
    else if (isUnseen(event.type)) approvals.note(folded)
    else takeApproval(folded)
  } else if (kind === 'grant') grantLooks.touch(id)
  // How a session or a run is after an event, the stream tells by itself: once looked at for all who read.
}

/** A page that is open for days has heard of more requests than anybody scrolls back to. */
const CLOSED_MAX = 500

function takeApproval(approval: Approval): void {
  approvals.put(approval)
  if (approval.state !== 'pending' && approval.state !== 'decided')
    approvals.prune(CLOSED_MAX, ({ state }) => state !== 'pending' && state !== 'decided')
}

/** The page does not show who has seen a request. */
function isUnseen(type: string): boolean {
  return type === 'approval.seen'
}

function passingKey(type: string, data: Record<string, unknown>): string {
  const pane = data.pane as Pane | string | undefined
  const subject = typeof pane === 'object' ? pane.id : (pane ?? data.session)
  const kind = type.startsWith('pane.') && type !== 'pane.preview' ? 'pane' : type
  return `${kind}/${String(subject)}/${String(data.message ?? '')}`
}

function takePane(type: string, data: Record<string, unknown>): void {
  const pane = data.pane as Pane | string | undefined
  if (type === 'pane.gone') panes.remove(typeof pane === 'object' ? pane.id : String(pane ?? data.id))
  else if (typeof pane === 'object') panes.put(pane)
}

/** A session's state outside the log (phase, holder, held prompts) is looked at again when a page needs it now. */
export function lookAtSession(id: string): void {
  sessionLooks.touch(id)
}
