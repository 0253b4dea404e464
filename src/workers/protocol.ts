import { z } from 'zod'

/*
 * The frames between a worker and a server, as JSON over one WebSocket that the worker opens. The
 * server says which steps of a run it wants; the worker compares that with what it has, and reports.
 * Wanting is a state and not a message: a lost frame is made good by the next one.
 */
export const SUBPROTOCOL = 'signalbox.worker.v1'
export const FRAME_MAX = 16 * 1024 * 1024
export const BEAT_MS = 5_000
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
const savedWorkspace = z.object({ head: z.string(), wip: z.string(), blob: z.string() })
export type SavedWorkspace = z.output<typeof savedWorkspace>

/** How a worker makes the workspace of a run. */
const workspaceNeeds = z.object({
  /** A git bundle of the commit that the run starts from. */
  origin: z.string(),
  /** That commit, and the branch of the run. */
  base: z.string(),
  branch: z.string(),
  /** What the last worker saved. */
  saved: savedWorkspace.nullable(),
  /** Who commits. */
  identity: z.object({ name: z.string(), email: z.string() }),
  /** Counts the workers that have had the run: another one may have changed the workspace since. */
  epoch: z.int(),
})
export type WorkspaceNeeds = z.output<typeof workspaceNeeds>

/** What a worker needs to carry out a step. */
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
  /** Null: the run works in a directory that both machines have. */
  workspace: workspaceNeeds.nullable(),
})
export type StepNeeds = z.output<typeof stepNeeds>

const serverFrame = z.discriminatedUnion('type', [
  z.object({ type: z.literal('challenge'), nonce: z.string() }),
  z.object({ type: z.literal('joined'), worker: z.string(), name: z.string() }),
  z.object({ type: z.literal('welcome'), worker: z.string(), lostAfterMs: z.number() }),
  z.object({ type: z.literal('refused'), code: z.string(), message: z.string() }),
  z.object({
    type: z.literal('wanted'),
    run: z.string(),
    /** The lease of the driver: the newest one counts. Null: the run needs nothing here any more. */
    term: z.number().nullable(),
    steps: z.array(wantedStep),
  }),
  z.object({ type: z.literal('ack'), key: z.string(), seq: z.number() }),
  z.object({
    type: z.literal('answer'),
    id: z.number(),
    result: z.unknown().optional(),
    error: z.unknown().optional(),
  }),
])
export type ServerFrame = z.output<typeof serverFrame>

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
  }),
  z.object({ is: z.literal('lost') }),
  z.object({
    is: z.literal('recovered'),
    recovery: z.looseObject({ verdict: z.enum(['success', 'partial', 'nothing']) }),
    saved: savedWorkspace.optional(),
  }),
])
export type Report = z.output<typeof report>

const workerFrame = z.discriminatedUnion('type', [
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
  }),
  z.object({ type: z.literal('beat'), steps: z.int().nonnegative() }),
  z.object({ type: z.literal('report'), run: z.string(), step: z.string(), key: z.string(), report }),
  z.object({ type: z.literal('call'), id: z.number(), method: z.string(), params: z.unknown() }),
  z.object({ type: z.literal('cancel'), id: z.number() }),
])
export type WorkerFrame = z.output<typeof workerFrame>
export type Hello = Extract<WorkerFrame, { type: 'hello' }>

/** Null for what is not a frame. */
export function parseServerFrame(text: string): ServerFrame | null {
  return parse(serverFrame, text)
}

export function parseWorkerFrame(text: string): WorkerFrame | null {
  return parse(workerFrame, text)
}

function parse<T extends z.ZodType>(schema: T, text: string): z.output<T> | null {
  try {
    return schema.safeParse(JSON.parse(text)).data ?? null
  } catch {
    return null
  }
}

/** Of an attempt at a step. */
export function stepKey(step: string, version: number): string {
  return `${step}/${version}`
}

/** Of the recovery of a step on the worker that has the run now. */
export function recoveryKey(step: string, epoch: number): string {
  return `${step}/recover-${epoch}`
}
