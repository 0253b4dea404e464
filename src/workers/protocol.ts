import { z } from 'zod'

/*
 * The messages between a worker and a server, as JSON over one WebSocket that the worker opens. The
 * server says which steps of a run it wants; the worker compares that with what it has, and
 * reports. The server sends the whole list with every change, so a lost message does no harm.
 *
 * Calls go in both directions: a worker asks about its runs and sessions, the server asks for
 * operations of sessions. A channel is a terminal that a person watches; its bytes are binary
 * messages, with the number of the channel in the first four bytes.
 */
export const SUBPROTOCOL = 'signalbox.worker.v1'
export const MESSAGE_MAX_BYTES = 16 * 1024 * 1024
export const HEARTBEAT_MS = 5_000
/** How long a worker counts as ready after its last beat, by the store's clock. */
export const WORKER_LEASE_MS = 30_000

const usage = z.looseObject({ input: z.number(), output: z.number() })
const event = z.object({ type: z.string(), data: z.record(z.string(), z.unknown()), at: z.number().optional() })

const wantedStep = z.object({
  step: z.string(),
  /** Names this attempt for good: the step and the version of its `step.started`. */
  key: z.string(),
  do: z.enum(['run', 'recover']),
})
export type WantedStep = z.output<typeof wantedStep>

/** The workspace of a run as a worker saved it. */
const commit = z.string().regex(/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/)
const savedWorkspace = z.object({ head: commit, wip: commit, blob: z.string().regex(/^[0-9a-f]{64}$/) })
export type SavedWorkspace = z.output<typeof savedWorkspace>

/** The history of a project, up to a commit, as a bundle that all its runs share. */
const projectMirror = z.object({
  project: z.string().regex(/^prj_[0-9a-f]{16}$/),
  commit: z.string(),
  blob: z.string(),
})
export type ProjectMirror = z.output<typeof projectMirror>

/** How a worker makes the workspace of a run. */
const workspaceNeeds = z.object({
  mirror: projectMirror.optional(),
  /** A git bundle of the commit that the run starts from; null if the mirror has it. */
  origin: z.string().nullable(),
  /** That commit, and the branch of the run. */
  base: z.string(),
  branch: z.string(),
  /** What the last worker saved. */
  saved: savedWorkspace.nullable(),
  /** The author of commits. */
  identity: z.object({ name: z.string(), email: z.string() }),
  /** Counts the workers that have had the run: another one may have changed the workspace since. */
  epoch: z.int(),
})
export type WorkspaceNeeds = z.output<typeof workspaceNeeds>

/** What a worker needs to perform a step. */
const stepNeeds = z.object({
  kind: z.string(),
  effect: z.string(),
  input: z.unknown(),
  startedAt: z.number(),
  /** The state of the workflow, as it is saved in snapshots. */
  work: z.unknown(),
  costLeftUsd: z.number().nullable(),
  /** Where the server has the workspace of the run. */
  cwd: z.string(),
  /** Null if the run works in a directory that both machines have. */
  workspace: workspaceNeeds.nullable(),
  /** What of the project a person trusted: files with their SHA-256. */
  executable: z.record(z.string(), z.string()).optional(),
  /** Counts the workers that have had the run. */
  epoch: z.int().optional(),
  /** The W3C `traceparent` of what created the run. */
  trace: z.string().optional(),
})
export type StepNeeds = z.output<typeof stepNeeds>

/** Where a worker reaches a server. */
const serverAddress = z.object({
  /** Null before the first connection. */
  id: z.string().nullable(),
  address: z.string(),
  /** The SHA-256 of its public key, for a certificate that no authority signed. */
  pin: z.string().nullable(),
})
export type ServerAddress = z.output<typeof serverAddress>

const call = z.object({
  type: z.literal('call'),
  id: z.number(),
  method: z.string(),
  params: z.unknown(),
  /** It was sent before, on a connection that broke: perhaps it was performed. */
  again: z.literal(true).optional(),
})
const answer = z.object({
  type: z.literal('answer'),
  id: z.number(),
  result: z.unknown().optional(),
  error: z.unknown().optional(),
})
/** A message of a terminal as text; `open` and `close` begin and end it. */
const channel = z.object({
  type: z.literal('channel'),
  channel: z.int().positive(),
  open: z.unknown().optional(),
  text: z.string().optional(),
  close: z.literal(true).optional(),
})
export type ChannelMessage = z.output<typeof channel>

const serverMessage = z.discriminatedUnion('type', [
  z.object({ type: z.literal('challenge'), nonce: z.string() }),
  z.object({ type: z.literal('joined'), worker: z.string(), name: z.string() }),
  z.object({
    type: z.literal('welcome'),
    worker: z.string(),
    lostAfterMs: z.number(),
    /** This server says which heartbeats have renewed the lease of the worker. */
    renews: z.literal(true).optional(),
    /** The id of this server, and all servers of its store. */
    server: z.string().optional(),
    servers: z.array(serverAddress).optional(),
    /** Those of the worker's sessions that are not running according to the log. */
    ended: z.array(z.string()),
  }),
  z.object({ type: z.literal('servers'), servers: z.array(serverAddress) }),
  /** `renewed`: the lease was renewed by the heartbeat that was sent at this time. */
  z.object({ type: z.literal('beat'), renewed: z.number().optional() }),
  /** A worker that asked to be drained has nothing left. */
  z.object({ type: z.literal('drained') }),
  z.object({ type: z.literal('refused'), code: z.string(), message: z.string() }),
  z.object({
    type: z.literal('wanted'),
    run: z.string(),
    /**
     * The lease of the driver: the newest one counts. Null: the run needs nothing here any more.
     */
    term: z.number().nullable(),
    steps: z.array(wantedStep),
  }),
  z.object({ type: z.literal('ack'), key: z.string(), seq: z.number() }),
  answer,
  call,
  channel,
])
export type ServerMessage = z.output<typeof serverMessage>

const report = z.discriminatedUnion('is', [
  z.object({ is: z.literal('event'), seq: z.number(), event }),
  z.object({ is: z.literal('spent'), usage }),
  z.object({
    is: z.literal('ended'),
    status: z.enum(['ok', 'failed', 'silent', 'cancelled']),
    result: z.unknown().optional(),
    reason: z.string().optional(),
    usage: usage.optional(),
    saved: savedWorkspace.optional(),
    /** Why the workspace was not saved. */
    unsaved: z.string().optional(),
  }),
  z.object({ is: z.literal('lost') }),
  z.object({
    is: z.literal('recovered'),
    recovery: z.looseObject({ verdict: z.enum(['success', 'partial', 'nothing']) }),
    saved: savedWorkspace.optional(),
    unsaved: z.string().optional(),
  }),
])
export type Report = z.output<typeof report>

const workerMessage = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('join'),
    token: z.string().max(200),
    name: z.string().min(1).max(80),
    /** The public key, as SPKI in base64. */
    key: z.string().max(500),
  }),
  z.object({
    type: z.literal('hello'),
    worker: z.string(),
    /** The server's nonce, signed with the worker's key. */
    signature: z.string(),
    boot: z.string(),
    version: z.string(),
    maxSteps: z.int().min(1).max(1_000),
    agents: z.array(z.string()).max(100),
    /** The runs of which it has steps. */
    runs: z.array(z.string()).max(10_000),
    maxSessions: z.int().min(0).max(1_000),
    /** The sessions whose terminals it keeps. */
    sessions: z.array(z.string()).max(1_000),
    /** It finishes what it has, and then ends. */
    isDraining: z.boolean().optional(),
    /** The time of its clock. */
    clock: z.number().optional(),
    /** What its own settings say; those of its invitation count more. */
    pool: z.string().max(80).optional(),
    labels: z.record(z.string().max(80), z.string().max(200)).optional(),
  }),
  z.object({
    type: z.literal('beat'),
    steps: z.int().nonnegative(),
    /** Its process: memory in bytes, processor time in seconds since its start. */
    memory: z.number().optional(),
    cpuS: z.number().optional(),
    /** It has too little free disk space for further work. */
    isFull: z.boolean().optional(),
    /** The time of its clock. */
    clock: z.number().optional(),
    /** The time of its steady clock, which the server repeats. */
    sent: z.number().optional(),
  }),
  /** What surfaces show of its sessions, latest wins: `src/host/remote/` has the shapes. */
  z.object({ type: z.literal('live'), session: z.string(), update: z.record(z.string(), z.unknown()) }),
  z.object({ type: z.literal('report'), run: z.string(), step: z.string(), key: z.string(), report }),
  z.object({ type: z.literal('cancel'), id: z.number() }),
  answer,
  call,
  channel,
])
export type WorkerMessage = z.output<typeof workerMessage>
export type WorkerHello = Extract<WorkerMessage, { type: 'hello' }>

/** Null for what is not a message. */
export function parseServerMessage(text: string): ServerMessage | null {
  return parse(serverMessage, text)
}

export function parseWorkerMessage(text: string): WorkerMessage | null {
  return parse(workerMessage, text)
}

function parse<T extends z.ZodType>(schema: T, text: string): z.output<T> | null {
  try {
    return schema.safeParse(JSON.parse(text)).data ?? null
  } catch {
    return null
  }
}

/** The key of an attempt at a step. */
export function stepKey(step: string, version: number): string {
  return `${step}/${version}`
}

/** The key of the recovery of a step, on the worker that has the run now. */
export function recoveryKey(step: string, epoch: number): string {
  return `${step}/recover-${epoch}`
}

/** The bytes of a terminal as a binary message. */
export function packChannel(channel: number, bytes: Uint8Array): Uint8Array {
  const packed = new Uint8Array(bytes.length + 4)
  new DataView(packed.buffer).setUint32(0, channel)
  packed.set(bytes, 4)
  return packed
}

/** Null for what is not one. */
export function unpackChannel(message: Uint8Array): { channel: number; bytes: Uint8Array } | null {
  if (message.length < 4) return null
  const channel = new DataView(message.buffer, message.byteOffset, 4).getUint32(0)
  return { channel, bytes: message.subarray(4) }
}
