import { z } from 'zod'
import type { EventData } from '../events/index.js'
import type { AuditFinding } from './verdict.js'

/** The agent that plays a role. */
const role = z.object({
  agent: z.string(),
  model: z.string().optional(),
  permissions: z.enum(['read', 'ask', 'edits', 'all']),
  /** For the agent `direct`. */
  endpoint: z.string().optional(),
  apiKeyEnv: z.string().optional(),
  header: z.string().optional(),
})

export type OneshotRole = z.infer<typeof role>

export const oneshotInput = z.object({
  task: z.string().min(1),
  worker: role,
  auditor: role,
  reworkerHeader: z.string().optional(),
  maxIterations: z.int().min(1),
  /** How often to ask an auditor again that gave no verdict. */
  auditorAsks: z.int().min(0),
  inactivityMs: z.number().min(0),
  toolInactivityMs: z.number().min(0),
  exitGraceMs: z.number().min(0),
  killGraceMs: z.number().min(0),
  /** For one step; 0 means no limit. */
  timeoutMs: z.number().min(0),
  /** Command lines, as argument lists. */
  checks: z.array(z.array(z.string())),
  isLive: z.boolean(),
  /** HEAD when the run was created; null outside a git repository. */
  base: z.string().nullable(),
  branch: z.string().nullable(),
  /** Where the person wants a copy of the files. */
  logsDir: z.string().optional(),
  sessionLog: z.string().optional(),
})

export type OneshotInput = z.infer<typeof oneshotInput>

/** Information for the next worker. */
export interface Feedback {
  iteration: number
  from: 'auditor' | 'recovery'
  verdict: 'RETRY' | 'IMPOSSIBLE' | 'DONE' | null
  text: string
  findings: AuditFinding[]
  /** The agent's own session of an attempt that can be continued. */
  sessionId?: string
}

/** The result of a worker, as the auditor gets it. */
export interface WorkerResult {
  step: string
  text: string
  isRecovered: boolean
  evidence: EventData<'step.recovered'>['evidence']
  sessionId: string | null
}

/** Why a run failed, as far as resuming depends on it. */
export type FailureCause = 'auditor' | 'max_iterations' | 'nothing_recovered'

export interface AgentStepResult {
  text: string
  sessionId: string | null
  /** Class of the error: `auth`, `network`, `exit_3`, `signal_SIGKILL` … */
  class?: string
  structured?: unknown
  /** For an auditor only: the verdict parsed from its answer. */
  verdict?: { verdict: 'DONE' | 'RETRY' | 'IMPOSSIBLE'; feedback: string; findings: AuditFinding[] } | null
  complaint?: string
}
