import { SignalboxError } from '../../../errors/index.js'
import { runStepCommand } from '../../../process/index.js'
import { type Forge, ForgeBusy } from '../../forges/forge.js'
import { githubForge } from '../../forges/github.js'
import { gitlabForge } from '../../forges/gitlab.js'
import type { NodeContext, NodeResult } from '../../node.js'

const TIMEOUT_MS = 60_000
const OUTPUT_MAX = 8 * 1024 * 1024

/**
 * The forge of the run's pull request. Its program carries the mark of the step, so that none
 * outlives a crash.
 */
function forgeOf({ args, state, call, services }: NodeContext): Forge {
  const name = args.pull?.forge ?? state.pull?.forge ?? 'github'
  const program = name === 'github' ? 'gh' : 'glab'
  const run = (words: readonly string[]) =>
    runStepCommand(program, [...words], {
      cwd: args.repository,
      env: { ...services.environment(args.repository), GH_PROMPT_DISABLED: '1', NO_PROMPT: '1', NO_COLOR: '1' },
      mark: call.name,
      signal: call.signal,
      timeoutMs: TIMEOUT_MS,
      maxBytes: OUTPUT_MAX,
      clock: services.clock,
    })
  return name === 'github' ? githubForge(run) : gitlabForge(run)
}

/**
 * A node that talks to a forge: it is repeated later when the forge asks for that. Every other
 * failure is for a person; `resume` tries again.
 */
export async function withForge(
  context: NodeContext,
  work: (forge: Forge) => Promise<NodeResult>,
): Promise<NodeResult> {
  try {
    return await work(forgeOf(context))
  } catch (error) {
    if (!(error instanceof SignalboxError)) throw error
    const { message: failure_reason } = error
    if (error instanceof ForgeBusy)
      return { failed: { status: 'retry', failure_reason, failure_class: 'transient_infra' } }
    return { failed: { status: 'fail', failure_reason, failure_class: 'deterministic' } }
  }
}
