import { z } from 'zod'
import { defineEvents } from './catalogue.js'

/** `worker@2#1`, `implement@1#2`: node, visit, attempt. Unique within its run. */
const step = z.string().min(1)
const reason = z.string()
const evidence = z.looseObject({ source: z.string(), says: z.string() })

export const usageSchema = z.object({
  input: z.number().nonnegative(),
  output: z.number().nonnegative(),
  cacheRead: z.number().nonnegative().optional(),
  cacheWrite: z.number().nonnegative().optional(),
  reasoning: z.number().nonnegative().optional(),
  costUsd: z.number().nonnegative().optional(),
  /** The cost comes from a price table, not from the agent. */
  isEstimate: z.boolean().optional(),
  /** A part of the tokens has no known price: the cost is the least that it can be. */
  isPartial: z.boolean().optional(),
})

const limits = z.object({
  costUsd: z.number().positive().optional(),
  tokens: z.number().positive().optional(),
  timeMs: z.number().positive().optional(),
})

const ending = z.object({
  reason,
  text: z.string().optional(),
  durationMs: z.number().nonnegative().optional(),
  usage: usageSchema.optional(),
  artifacts: z.int().nonnegative().optional(),
  by: z.string().optional(),
  /** `approved`, `objections` or `objections_accepted`, with the open objections. */
  outcome: z.string().optional(),
  objections: z.array(z.string()).optional(),
  /** The run that continues in its place. */
  successor: z.string().optional(),
})

const placement = z.object({
  /** Its id or its name. */
  worker: z.string().optional(),
  pool: z.string().optional(),
  labels: z.record(z.string(), z.string()).optional(),
})

export const runEvents = defineEvents({
  'run.created': {
    description: 'A run was created.',
    data: z.object({
      /** The workflow that drives it: `oneshot` or `graph`. */
      kind: z.string(),
      title: z.string(),
      project: z.string(),
      cwd: z.string(),
      person: z.string(),
      /** The input of the workflow, in its own form. */
      input: z.looseObject({}),
      limits: limits.optional(),
      labels: z.record(z.string(), z.string()).optional(),
      /** The run that started this one, and its name for it. */
      parent: z.object({ run: z.string(), child: z.string() }).optional(),
      /** The run that it was made from: a fork, a rewind, or a restarted segment. */
      from: z.object({ run: z.string(), as: z.enum(['fork', 'rewind', 'restart']) }).optional(),
      /** The run does not start before this time. */
      startAt: z.number().optional(),
      /** Workers may perform its steps: all of these must apply. Absent: only the server does. */
      placement: placement.optional(),
      /**
       * What of its project a person trusted, as the run starts from it: files with their SHA-256.
       * A worker checks its copy again.
       */
      executable: z.record(z.string(), z.string()).optional(),
      /** The sandbox of its agents and commands; `use` is `off` or a backend. */
      sandbox: z.object({ use: z.string(), network: z.enum(['off', 'filtered', 'on']).optional() }).optional(),
      /** The W3C `traceparent` of what created it: its turns and steps are part of that trace. */
      trace: z.string().optional(),
    }),
  },
  'run.placed': {
    description: 'A worker got the run; with every move the epoch grows.',
    data: z.object({
      worker: z.string(),
      /** Its name, for people. */
      name: z.string(),
      epoch: z.int().positive(),
      why: z.string(),
    }),
  },
  'run.move-asked': {
    description: 'A person wants the run on another worker. Steps in progress are done again there.',
    /** `isLossy`: also without files that were not saved. */
    data: z.object({ to: z.string().optional(), by: z.string(), isLossy: z.literal(true).optional() }),
  },
  'run.started': {
    description: 'A host started to drive the run.',
    data: z.object({ host: z.string(), epoch: z.int().positive() }),
  },
  'run.waiting': {
    description: 'The run waits for a person, a time or another run. It needs no process meanwhile.',
    data: z.object({
      gates: z.array(z.string()),
      wakeAt: z.number().nullable(),
      children: z.array(z.string()).optional(),
      /** It waits for something else: for a worker, and why none can take it. */
      reason: z.string().optional(),
    }),
  },
  'run.paused': {
    description: 'The run was paused and can be resumed.',
    data: z.object({ reason, by: z.string().optional() }),
  },
  'run.resumed': {
    description: 'A paused or failed run was resumed.',
    data: z.object({ by: z.string(), changes: z.looseObject({}).optional() }),
  },
  'run.taken-over': {
    description: 'The daemon drives a run that was started in a terminal, whose process has ended.',
    data: z.object({
      /** Added to those of the run. */
      labels: z.record(z.string(), z.string()),
      by: z.string(),
    }),
  },
  'run.completed': { description: 'The run reached its goal.', data: ending },
  'run.failed': { description: 'The run did not reach its goal.', data: ending },
  'run.rejected': { description: 'The run ended because its task was judged impossible.', data: ending },
  'run.cancelled': { description: 'A person cancelled the run.', data: ending },
  'run.undriven': {
    description: 'The process that drove the run is gone, and no other drives it. It continues when it is resumed.',
    data: z.object({}),
  },
  'run.archived': { description: 'The run is kept, but no longer listed.', data: z.object({ reason }) },
  'run.notice': {
    description: 'A message for people. It does not influence the run.',
    data: z.object({ level: z.enum(['info', 'warning', 'error']), text: z.string(), step: step.optional() }),
  },
  'workspace.saved': {
    description: 'A worker saved the workspace of the run, committed or not, so that another worker can continue it.',
    data: z.object({
      /** The commit of the run's branch. */
      head: z.string(),
      /** A commit of the whole tree on top of it. */
      wip: z.string(),
      /** A git bundle with both, without what the run started from. */
      blob: z.string(),
    }),
  },
  'workspace.unsaved': {
    description:
      'A step has ended, but its worker could not save the workspace. If the worker is lost, a person is asked.',
    data: z.object({ step, reason }),
  },
  'step.started': {
    description: 'A step is about to start. Written before its effect.',
    data: z.object({
      step,
      effect: z.string(),
      input: z.unknown(),
      branch: z.string().optional(),
      worker: z.string().optional(),
      epoch: z.int().positive().optional(),
    }),
  },
  'step.spawned': {
    description: 'The step has a process, or a session in a terminal.',
    data: z.object({
      step,
      pid: z.int().positive(),
      /** The start time of the process: a pid alone can belong to another process. */
      processStart: z.string().nullable(),
      session: z.string().optional(),
      agentSession: z.string().optional(),
    }),
  },
  'step.ended': {
    description: 'A step ended with this result.',
    data: z.object({
      step,
      status: z.enum(['ok', 'failed', 'silent', 'cancelled']),
      /** In the form of the effect. */
      result: z.unknown(),
      reason: z.string().optional(),
      usage: usageSchema.optional(),
    }),
  },
  'step.lost': {
    description: 'The host that ran the step is gone. What the step left behind is unknown until it is recovered.',
    data: z.object({ step }),
  },
  'step.recovered': {
    description: 'Signalbox inspected what a dead or interrupted step left behind.',
    data: z.object({
      step,
      verdict: z.enum(['success', 'partial', 'nothing']),
      evidence: z.array(evidence),
      text: z.string().optional(),
      sessionId: z.string().optional(),
      usage: usageSchema.optional(),
      result: z.unknown().optional(),
    }),
  },
  'timer.set': {
    description: 'The run waits until a time.',
    data: z.object({ timer: z.string(), due: z.number(), random: z.number().optional() }),
  },
  'timer.fired': { description: 'The time is reached.', data: z.object({ timer: z.string(), lateMs: z.number() }) },
  'timer.cancelled': { description: 'The run no longer waits for the time.', data: z.object({ timer: z.string() }) },
  'gate.opened': {
    description: 'The run asks a person.',
    data: z.object({
      gate: z.string(),
      approval: z.string(),
      due: z.number().optional(),
      /** `--auto-approve` answers it, unless the rules for decisions refuse that. */
      isAutomatic: z.boolean().optional(),
      /** The option that is chosen if no answer comes before `due`. */
      fallback: z.string().optional(),
    }),
  },
  'gate.answered': {
    description: 'A person answered a gate.',
    data: z.looseObject({ gate: z.string(), approval: z.string(), option: z.string(), by: z.string() }),
  },
  'gate.expired': {
    description: 'A gate closed without an answer: its deadline passed, or the answer is no longer needed.',
    data: z.object({ gate: z.string(), approval: z.string(), reason }),
  },
  'gate.refused': {
    description: 'An answer of a gate was left out: nothing proves that a person gave it. The gate is asked again.',
    data: z.object({ gate: z.string(), approval: z.string(), versions: z.array(z.int()), reason }),
  },
  'child.started': {
    description: 'The run started another run.',
    data: z.object({ child: z.string(), run: z.string() }),
  },
  'child.finished': {
    description: 'A run that this run started has ended.',
    data: z.object({ child: z.string(), run: z.string(), status: z.string(), reason, outputs: z.unknown().optional() }),
  },
  'budget.warned': {
    description: 'Most of a limit is used up.',
    data: z.object({ limit: z.string(), spent: z.number(), of: z.number() }),
  },
  'budget.exceeded': {
    description: 'A limit is used up; the run pauses.',
    data: z.object({ limit: z.string(), spent: z.number(), of: z.number() }),
  },
  'budget.raised': { description: 'A person raised a limit.', data: z.object({ limits, by: z.string() }) },
  'artifact.stored': {
    description: 'A value too large for the log was stored in a file.',
    data: z.object({ artifact: z.string(), name: z.string(), bytes: z.int().nonnegative(), step: step.optional() }),
  },
})
