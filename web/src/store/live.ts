import { batch, computed, signal } from '@preact/signals'
import { timeOf } from '../api/format'
import type {
  Approval,
  EphemeralUpdate,
  Grant,
  GrantList,
  Hello,
  Me,
  Overview,
  Page,
  Pane,
  Run,
  Session,
  StreamEvent,
} from '../api/types'
import { keepSnapshot, loadSnapshot as loadKept } from '../transport/device'
import { access, getJson } from '../transport/request'
import { SharedStream, type StreamState } from '../transport/stream'
import { Collection, foldApproval } from './collection'
import { Latest } from './latest'
import { spendAfter } from './spend-today'

export const sessions = new Collection<Session>()
export const panes = new Collection<Pane>()
export const approvals = new Collection<Approval>()
export const runs = new Collection<Run>()
export const grants = new Collection<Grant>()

export const me = signal<Me | null>(null)
export const spend = signal<Overview['spendToday'] | null>(null)
/** Machines besides this one. */
export const workerCount = signal(0)
export const areGrantsPaused = signal(false)
export const connection = signal<StreamState>({ is: 'connecting' })
/** When the data on the page was last complete; null before the first snapshot. */
export const snapshotAt = signal<number | null>(null)
export const loadProblem = signal<unknown>(null)
export const hasSnapshot = computed(() => snapshotAt.value !== null)

export const isOnline = computed(() => connection.value.is === 'live')
export const canDecide = computed(() => isOnline.value && !me.value?.isReadOnly && roleRank() >= 1)
export const isOwner = computed(() => isOnline.value && !me.value?.isReadOnly && roleRank() >= 2)

function roleRank(): number {
  return { viewer: 0, approver: 1, owner: 2 }[me.value?.person.role ?? 'viewer']
}

type EventListener = (event: StreamEvent) => void
type EphemeralListener = (update: EphemeralUpdate) => void
const eventListeners = new Set<EventListener>()
const ephemeralListeners = new Set<EphemeralListener>()
const gapListeners = new Set<() => void>()
const helloListeners = new Set<() => void>()
const latest = new Latest()
let stream: SharedStream | null = null
let lastSubscription: string | null = null

/** Every event of the log, in order. */
export function onEvent(listener: EventListener): () => void {
  eventListeners.add(listener)
  return () => eventListeners.delete(listener)
}

/** Updates that are not in the log: provisional text, previews. */
export function onEphemeral(listener: EphemeralListener): () => void {
  ephemeralListeners.add(listener)
  return () => ephemeralListeners.delete(listener)
}

/** Events were missed: a part of the page that keeps data of its own must load it again. */
export function onGap(listener: () => void): () => void {
  gapListeners.add(listener)
  return () => gapListeners.delete(listener)
}

/** A stream has started. It does not know yet what this page watches. */
export function onHello(listener: () => void): () => void {
  helloListeners.add(listener)
  return () => helloListeners.delete(listener)
}

export function streamSubscription(): string | null {
  return stream?.subscription ?? null
}

export function retryNow(): void {
  if (stream) stream.retry()
  else void startLiveData()
}

/** Loads one snapshot, then reads the stream from its position. */
export async function startLiveData(): Promise<void> {
  stopLive()
  try {
    me.value = await getJson<Me>('/auth/me')
    const position = await loadSnapshot()
    stream = new SharedStream(handlers, position)
    loadProblem.value = null
  } catch (error) {
    if (access.peek() === 'yes') {
      loadProblem.value = error
      const before = connection.peek()
      // The banner appears from the second failed attempt on. Without a first load there is nothing
      // else to show, so it appears at once.
      connection.value = { is: 'offline', since: before.is === 'offline' ? before.since : Date.now(), tries: 2 }
      await showKept()
      setTimeout(() => access.peek() === 'yes' && stream === null && void startLiveData(), 3_000)
    }
  }
}

function stopLive(): void {
  stream?.close()
  stream = null
  lastSubscription = null
}

async function loadSnapshot(): Promise<string> {
  const overview = await getJson<Overview>('/overview')
  applyOverview(overview)
  snapshotAt.value = Date.now()
  void keepSnapshot({ at: Date.now(), body: { overview, me: me.peek() } }).catch(() => undefined)
  return overview.position
}

/**
 * The server does not answer: shows the last snapshot with its time. Controls stay disabled,
 * because nothing can be decided.
 */
async function showKept(): Promise<void> {
  if (snapshotAt.peek() !== null) return
  const kept = await loadKept().catch(() => null)
  if (!kept) return
  const { overview, me: person } = kept.body as { overview: Overview; me: Me | null }
  batch(() => {
    me.value = person
    applyOverview(overview)
    snapshotAt.value = kept.at
  })
}

function applyOverview(overview: Overview): void {
  sessions.replace(overview.sessions)
  panes.replace(overview.panes)
  approvals.replace(overview.approvals)
  runs.replace(overview.runs)
  grants.replace(overview.grants.items)
  areGrantsPaused.value = overview.grants.isPaused
  spend.value = overview.spendToday
  workerCount.value = overview.workers ?? 0
}

const handlers = {
  state(state: StreamState): void {
    connection.value = state
  },
  hello(hello: Hello): void {
    const isAnother = lastSubscription !== null && lastSubscription !== hello.subscription
    lastSubscription = hello.subscription
    for (const listener of helloListeners) listener()
    // Panes, phases and keyboards are not in the log: after a break they are loaded again even if
    // no event was missed.
    if (hello.resume !== 'gap' && !isAnother) return
    void loadSnapshot().catch(() => undefined)
    for (const listener of gapListeners) listener()
  },
  event(event: StreamEvent): void {
    if (event.type === 'approval.requested') latest.defer()
    batch(() => {
      snapshotAt.value = Date.now()
      route(event)
      for (const listener of eventListeners) listener(event)
    })
  },
  ephemeral(update: EphemeralUpdate): void {
    latest.put(keyOf(update), () => {
      applyUpdate(update)
      for (const listener of ephemeralListeners) listener(update)
    })
  },
}

function applyUpdate({ event, data }: EphemeralUpdate): void {
  switch (event) {
    case 'session.record':
      return sessions.put(data.data.session)
    case 'run.record':
      countRun(data.data.run)
      return runs.put(data.data.run)
    case 'pane.gone':
      return panes.remove(data.data.pane.id)
    case 'pane.found':
    case 'pane.status':
    case 'pane.reading':
    case 'pane.stuck':
      return panes.put(data.data.pane)
  }
}

function countRun(run: Run): void {
  const today = spend.peek()
  const midnight = new Date().setHours(0, 0, 0, 0)
  if (today && timeOf(run.updatedAt) >= midnight) spend.value = spendAfter(today, runs.peek(run.id), run, midnight)
}

/** Only the newest of the updates with the same key is applied. */
function keyOf({ event, data }: EphemeralUpdate): string {
  if ('subject' in data) return data.subject
  if (event === 'pane.preview') return `${event}/${data.pane}`
  return `${event}/${data.session}/${event === 'message.update' ? data.message : ''}`
}

/**
 * Loads a resource again where an event is not enough: the first at once, the others together.
 * Approvals are folded from events (collection.ts).
 */
class ResourceLoader {
  readonly #one: (id: string) => Promise<void>
  readonly #all: () => Promise<void>
  readonly #dirty = new Set<string>()
  #isRunning = false

  constructor(options: { one(id: string): Promise<void>; all(): Promise<void> }) {
    this.#one = options.one
    this.#all = options.all
  }

  markChanged(id: string): void {
    this.#dirty.add(id)
    if (!this.#isRunning) void this.#run()
  }

  async #run(): Promise<void> {
    this.#isRunning = true
    while (this.#dirty.size > 0) {
      const ids = [...this.#dirty]
      this.#dirty.clear()
      const work = ids.length > SINGLE_LOADS_MAX ? [this.#all()] : ids.map(id => this.#one(id))
      await Promise.allSettled(work)
      await new Promise(resolve => setTimeout(resolve, PAUSE_MS))
    }
    this.#isRunning = false
  }
}

const sessionLoader = new ResourceLoader({
  one: async id => sessions.put(await getJson<Session>(`/sessions/${id}`)),
  all: async () => sessions.put(...(await getJson<Page<Session>>('/sessions?limit=200')).items),
})
const approvalLoader = new ResourceLoader({
  one: async id => approvals.put(await getJson<Approval>(`/approvals/${id}`)),
  all: async () => approvals.put(...(await getJson<Page<Approval>>('/approvals?limit=200')).items),
})
const grantLoader = new ResourceLoader({ one: loadGrants, all: loadGrants })

async function loadGrants(): Promise<void> {
  const { items, isPaused } = await getJson<GrantList>('/grants')
  grants.replace(items)
  areGrantsPaused.value = isPaused
}

/** Sessions and runs are not handled here: after an event the stream sends their records. */
function route(event: StreamEvent): void {
  const [kind, id] = event.subject.split('/')
  if (!id) return
  if (kind === 'approval') {
    const folded = foldApproval(approvals.peek(id), event)
    if (!folded) approvalLoader.markChanged(id)
    else if (isInvisible(event.type)) approvals.storeSilently(folded)
    else putApproval(folded)
  } else if (kind === 'grant') grantLoader.markChanged(id)
}

/** A page that stays open for days receives more requests than a person scrolls back to. */
const CLOSED_APPROVALS_KEPT = 500

function putApproval(approval: Approval): void {
  approvals.put(approval)
  if (approval.state !== 'pending' && approval.state !== 'decided')
    approvals.prune(CLOSED_APPROVALS_KEPT, ({ state }) => state !== 'pending' && state !== 'decided')
}

/** The page does not show who has seen a request. */
function isInvisible(type: string): boolean {
  return type === 'approval.seen'
}

/** Loads the state of a session that is not in the log (phase, keyboard, held prompts). */
export function refreshSession(id: string): void {
  sessionLoader.markChanged(id)
}

/**
 * Minimum pause between two refreshes, so that a busy system costs the page no more than a quiet
 * one.
 */
const PAUSE_MS = 400
/** With more changed resources than this, loading the whole list is cheaper. */
const SINGLE_LOADS_MAX = 4
