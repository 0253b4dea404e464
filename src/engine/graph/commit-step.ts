import { Git } from '../../git/index.js'
import { textOf } from '../../graph/index.js'
import { STEP_MARK } from '../../process/index.js'
import type { StepCall } from '../workflow.js'
import type { GraphStep } from './graph-step.js'
import { identity } from './merge-branch.js'

const RUN_TRAILER = 'Signalbox-Run'
const STEP_TRAILER = 'Signalbox-Step'

/**
 * Commits what a node changed, in the run's own worktree, once: it looks for the trailer first, so
 * a repeated step finds its commit instead of making a second one. Null if nothing changed or the
 * run does not commit.
 */
export async function commitStep(call: StepCall, step: GraphStep, status: string): Promise<string | null> {
  const { work, node, visit } = step
  if (work.input.workspace.branch === null || textOf(step.graph.attributes, 'commits') === 'none') return null
  const git = new Git(step.cwd)
  const found = await git.try(['log', '-1', '--format=%H', `--grep=^${STEP_TRAILER}: ${call.name}$`, 'HEAD'])
  if (found.code === 0 && found.stdout.trim() !== '') return found.stdout.trim()
  if ((await git.status()).length === 0) return null
  await git.run(['add', '--all', '--', '.'])
  const message = `signalbox(${call.run}): ${node.id}@${visit} (${status})\n\n${RUN_TRAILER}: ${call.run}\n${STEP_TRAILER}: ${call.name}\n`
  await git.run([...(await identity(git)), 'commit', '--quiet', '--no-verify', '-m', message], {
    [STEP_MARK]: call.name,
  })
  return git.head()
}
