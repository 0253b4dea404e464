import type { ApprovalPolicy } from '../../approvals/index.js'
import type { Config } from '../../config/index.js'

export function approvalPolicy(config: Config): ApprovalPolicy {
  const stepUp = config.approvals.step_up
  return {
    decideFrom: config.approvals.decide_from,
    // A public server can be reached from a stolen browser or phone.
    stepUp: stepUp === 'on' || (stepUp === 'auto' && config.server.public),
    grantForMs: Math.min(config.approvals.grant_for, config.approvals.grant_max) * 1000,
    grantMaxMs: config.approvals.grant_max * 1000,
    grantUses: config.approvals.grant_uses,
    expireAfterMs: config.approvals.expire_after === null ? null : config.approvals.expire_after * 1000,
    maxPending: config.approvals.max_pending,
    keepMs: config.approvals.keep_days * 86_400_000,
  }
}
