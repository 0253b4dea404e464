import type { RunRecord } from '../../engine/index.js'
import { EXIT } from '../../errors/index.js'
import type { PipelineRun } from '../../pipelines/index.js'
import { runExit } from '../runs/run-exit.js'

/** The exit code of a pipeline: what was not approved is never 0 unless a person took it on themselves. */
export function pipelineExit(record: RunRecord, { state, args }: PipelineRun, gates: readonly string[]): number {
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
      return /error_auth|not signed in|was not found/.test(record.reason ?? '') ? EXIT.agentMissing : EXIT.failed
    default:
      return runExit(record)
  }
}
