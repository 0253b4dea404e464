import { z } from 'zod'
import { defineEvents } from './catalogue.js'

/** `worker@2#1`, `implement@1#2`: node, visit, attempt. Unique within its run, and the name of everything the step does. */
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
})

const limits = z.object({
  costUsd: z.number().positive().optional(),
  tokens: z.number().positive().optional(),
  timeMs: z.number().positive().optional(),
})

/** How a run came to its end. */
const ending = z.object({
  reason,
  text: z.string().optional(),
  durationMs: z.number().nonnegative().optional(),
  usage: usageSchema.optional(),
  artifacts: z.int().nonnegative().optional(),
  by: z.string().optional(),
  /** How good the end is: `approved`, `objections`, `objections_accepted`; and what was still held against the work. */
  outcome: z.string().optional(),
  objections: z.array(z.string()).optional(),
  /** The run that goes on in its place. */
  successor: z.string().optional(),
})

/** In streams `run/<id>`: the journal that a run is folded from. */
export const runEvents = defineEvents({
  'run.created': {
    description: 'A run was asked for.',
    data: z.object({
      /** Which workflow folds and decides it: `oneshot`, `graph`, … */
      kind: z.string(),
      title: z.string(),
      project: z.string(),
      cwd: z.string(),
      person: z.string(),
      /** What the workflow needs, in its own form. */
      input: z.looseObject({}),
      limits: limits.optional(),
      labels: z.record(z.string(), z.string()).optional(),
      /** The run that started this one, and what it calls it. */
      parent: z.object({ run: z.string(), child: z.string() }).optional(),
      /** Whose place it takes: a fork, a restarted segment. */
      from: z.object({ run: z.string(), as: z.enum(['fork', 'rewind', 'restart']) }).optional(),
      /** Not before this time. */
      startAt: z.number().optional(),
    }),
  },
  'run.started': {
    description: 'A host began to drive the run.',
    data: z.object({ host: z.string(), epoch: z.int().positive() }),
  },
  'run.waiting': {
    description: 'Nothing can go on before a person answers or a time comes; no process is needed meanwhile.',
    data: z.object({
      gates: z.array(z.string()),
      wakeAt: z.number().nullable(),
      children: z.array(z.string()).optional(),
    }),
  },
  'run.paused': {
    description: 'The run was interrupted, and can be resumed.',
    data: z.object({ reason, by: z.string().optional() }),
  },
  'run.resumed': {
    description: 'A paused or failed run goes on.',
    data: z.object({ by: z.string(), changes: z.looseObject({}).optional() }),
  },
  'run.completed': { description: 'The run reached its goal.', data: ending },
  'run.failed': { description: 'The run could not reach its goal.', data: ending },
  'run.rejected': { description: 'What the run was asked for was judged impossible.', data: ending },
  'run.cancelled': { description: 'A person ended the run.', data: ending },
  'run.archived': { description: 'The run is kept, but no longer listed.', data: z.object({ reason }) },
  'run.notice': {
    description: 'Something worth telling that decides nothing.',
    data: z.object({ level: z.enum(['info', 'warning', 'error']), text: z.string(), step: step.optional() }),
  },
  'step.started': {
    description: 'An effect begins: written before it does.',
    data: z.object({ step, effect: z.string(), input: z.unknown(), branch: z.string().optional() }),
  },
  'step.spawned': {
    description: 'The step has a process, or a session in a terminal.',
    data: z.object({
      step,
      pid: z.int().positive(),
      /** When the system says the process began: a pid alone proves nothing. */
      processStart: z.string().nullable(),
      session: z.string().optional(),
      agentSession: z.string().optional(),
    }),
  },
  'step.ended': {
    description: 'An effect has ended, and this is what came of it.',
    data: z.object({
      step,
      status: z.enum(['ok', 'failed', 'silent', 'cancelled']),
      /** In the effect's own form. */
      result: z.unknown(),
      reason: z.string().optional(),
      usage: usageSchema.optional(),
    }),
  },
  'step.lost': {
    description: 'The host that ran the step is gone; what the step left behind is not known yet.',
    data: z.object({ step }),
  },
  'step.recovered': {
    description: 'What a dead or interrupted step left behind was examined.',
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
    description: 'The run waits for a time.',
    data: z.object({ timer: z.string(), due: z.number(), random: z.number().optional() }),
  },
  'timer.fired': { description: 'The time has come.', data: z.object({ timer: z.string(), lateMs: z.number() }) },
  'timer.cancelled': { description: 'The run no longer waits for the time.', data: z.object({ timer: z.string() }) },
  'gate.opened': {
    description: 'The run asks a person.',
    data: z.object({ gate: z.string(), approval: z.string(), due: z.number().optional() }),
  },
  'gate.answered': {
    description: 'A person has answered a gate, once.',
    data: z.looseObject({ gate: z.string(), approval: z.string(), option: z.string(), by: z.string() }),
  },
  'gate.expired': {
    description: 'Nobody answered a gate in time, or nobody needs to any more.',
    data: z.object({ gate: z.string(), approval: z.string(), reason }),
  },
  'child.started': {
    description: 'A run of its own was started for this one.',
    data: z.object({ child: z.string(), run: z.string() }),
  },
  'child.finished': {
    description: 'A run that was started for this one has ended.',
    data: z.object({ child: z.string(), run: z.string(), status: z.string(), reason, outputs: z.unknown().optional() }),
  },
  'budget.warned': {
    description: 'Most of a limit is used up.',
    data: z.object({ limit: z.string(), spent: z.number(), of: z.number() }),
  },
  'budget.exceeded': {
    description: 'A limit is used up: the run pauses.',
    data: z.object({ limit: z.string(), spent: z.number(), of: z.number() }),
  },
  'budget.raised': { description: 'A person raised a limit.', data: z.object({ limits, by: z.string() }) },
  'artifact.stored': {
    description: 'Something too big for the journal was put beside it.',
    data: z.object({ artifact: z.string(), name: z.string(), bytes: z.int().nonnegative(), step: step.optional() }),
  },
})
