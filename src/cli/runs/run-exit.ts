import type { RunRecord } from '../../engine/index.js'
import { EXIT } from '../../errors/index.js'

/** The exit code that tells how a run ended, or why it stands still. */
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
      return reason?.startsWith('agent_missing') ? EXIT.agentMissing : EXIT.interrupted
    case 'failed':
      if (reason === 'step_timeout') return EXIT.timeout
      return reason?.includes('error_auth') ? EXIT.agentMissing : EXIT.failed
    default:
      return EXIT.ok
  }
}
