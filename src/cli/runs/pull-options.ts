import type { PullOptions } from '../../runs/index.js'

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
