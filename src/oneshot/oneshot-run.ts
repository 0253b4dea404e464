import { z } from 'zod'
import type { EventData } from '../events/index.js'
import type { Finding } from './verdict.js'

/** Who plays a role. */
const role = z.object({
  agent: z.string(),
  model: z.string().optional(),
  permissions: z.enum(['read', 'ask', 'edits', 'all']),
  /** For the agent `direct`. */
  endpoint: z.string().optional(),
  apiKeyEnv: z.string().optional(),
  header: z.string().optional(),
})

export type Role = z.infer<typeof role>

/** What a oneshot is asked to do: the `input` of its run. */
export const oneshotInput = z.object({
  task: z.string().min(1),
  worker: role,
  auditor: role,
  reworkerHeader: z.string().optional(),
  maxIterations: z.int().min(1),
  /** Further questions to an auditor that gave no verdict. */
  auditorAsks: z.int().min(0),
  inactivityMs: z.number().min(0),
  toolInactivityMs: z.number().min(0),
  exitGraceMs: z.number().min(0),
  killGraceMs: z.number().min(0),
  /** One step; 0 for no limit. */
  timeoutMs: z.number().min(0),
  /** Command lines, as words. */
  checks: z.array(z.array(z.string())),
  isLive: z.boolean(),
  /** HEAD when the run was made; null outside of a git repository. */
  base: z.string().nullable(),
  branch: z.string().nullable(),
  /** Where the person wants a copy of the files. */
  logsDir: z.string().optional(),
  sessionLog: z.string().optional(),
})

export type OneshotInput = z.infer<typeof oneshotInput>

/** Something for the next worker to know. */
export interface Feedback {
  iteration: number
  from: 'auditor' | 'recovery'
  verdict: 'RETRY' | 'IMPOSSIBLE' | 'DONE' | null
  text: string
  findings: Finding[]
  /** The agent's own session of an attempt that can be gone on with. */
  sessionId?: string
}

/** What a worker left, as the auditor gets it. */
export interface WorkerResult {
  step: string
  text: string
  isRecovered: boolean
  evidence: EventData<'step.recovered'>['evidence']
  sessionId: string | null
}

/** What ended a run as failed, as far as resuming depends on it. */
export type FailureCause = 'auditor' | 'max_iterations' | 'nothing_recovered'

/** The `result` of a step of a worker or an auditor. */
export interface AgentStepResult {
  text: string
  sessionId: string | null
  /** Class of what went wrong: `auth`, `network`, `exit_3`, `signal_SIGKILL` … */
  class?: string
  structured?: unknown
  /** Only an auditor's: what was read from its answer. */
  verdict?: { verdict: 'DONE' | 'RETRY' | 'IMPOSSIBLE'; feedback: string; findings: Finding[] } | null
  complaint?: string
}
