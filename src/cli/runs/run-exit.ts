import type { RunRecord } from '../../engine/index.js'
import { EXIT } from '../../errors/index.js'
import type { PipelineRun } from '../../pipelines/index.js'

/** The exit code for how a run ended, or why it stopped. */
export function runExit({ status, reason }: Pick<RunRecord, 'status' | 'reason'>): number {
  switch (status) {
    case 'completed':
      return EXIT.ok
    case 'rejected':
      return EXIT.rejected
    case 'cancelled':
      return EXIT.interrupted
    case 'waiting':
      return EXIT.needsHuman
    case 'paused':
      if (reason === 'budget') return EXIT.timeout
      return reason?.startsWith('agent_missing') ? EXIT.programMissing : EXIT.interrupted
    case 'failed':
      if (reason?.endsWith('step_timeout')) return EXIT.timeout
      return reason?.includes('error_auth') ? EXIT.programMissing : EXIT.failed
    default:
      return EXIT.ok
  }
}

/** The exit code of a pipeline: work without approval is never 0, unless a person accepted it. */
export function pipelineExit(
  record: Pick<RunRecord, 'status' | 'reason'>,
  { state, args }: PipelineRun,
  gates: readonly string[],
): number {
  switch (record.status) {
    case 'completed':
      return state.outcome === 'objections' ? EXIT.rejected : EXIT.ok
    case 'cancelled':
      return record.reason === 'declined' ? EXIT.rejected : record.reason === 'budget' ? EXIT.timeout : EXIT.failed
    case 'waiting':
      if (gates.includes('spending')) return EXIT.timeout
      return args.planOnly && gates.includes('plan') ? EXIT.ok : EXIT.needsHuman
    case 'failed':
      if (record.reason === 'budget') return EXIT.timeout
      return /error_auth|not signed in|was not found/.test(record.reason ?? '') ? EXIT.programMissing : EXIT.failed
    default:
      return runExit(record)
  }
}
