import type { PullOptions } from '../../runs/index.js'
import type { CommandContext } from '../context.js'
import { parseLimits, parsePairs, parseSandbox } from '../parse-options.js'
import type { InputOf } from '../specs/index.js'

/** The options about a pull request that implement and pr share. */
export function pullOptions(options: {
  draft?: boolean | undefined
  follow?: boolean | undefined
  prLabel?: readonly string[] | undefined
  reviewer?: readonly string[] | undefined
}): PullOptions {
  return {
    draft: options.draft,
    ...(options.follow !== undefined && { follow: options.follow ? ('merged' as const) : ('no' as const) }),
    pullLabels: options.prLabel,
    reviewers: options.reviewer,
  }
}

/** The options that implement, review and pr share. */
export function pipelineOptions(
  { isInteractive }: CommandContext,
  options: InputOf<'implement' | 'review' | 'pr'>['options'],
) {
  const { profile, agent, model, endpoint, apiKeyEnv, autoApprove, detach, trust } = options
  return {
    profile,
    agent,
    model,
    endpoint,
    apiKeyEnv,
    isUnattended: autoApprove === true || !isInteractive || detach === true,
    autoApprove,
    limits: parseLimits(options),
    labels: parsePairs('--label', options.label),
    isDetached: detach,
    sandbox: parseSandbox(options),
    trust,
  }
}
