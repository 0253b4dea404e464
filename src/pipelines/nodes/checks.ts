import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hookQuestion } from '../gates.js'
import type { NodeContext, NodeResult } from '../node.js'
import { routeAfterFixes } from '../routing.js'
import { historyUpdate } from './history-update.js'
import { readOptional } from './text-file.js'

/** After the fixes of a review: commits the pass if requested, and starts the next review. */
export async function checks(context: NodeContext): Promise<NodeResult> {
  const { state, args, reply } = context
  if (reply?.option === 'fix')
    return {
      route: 'developer',
      update: {
        user_message: `A hook of the repository rejected the commit of your fixes. Its output:\n\n${readOptional(hookFile(context)) ?? ''}`,
        history: historyUpdate(context, reply.by, 'lets the Developer fix what the hook reported'),
      },
    }
  if (reply?.option === 'stop')
    return { end: { status: 'failed', reason: 'hook', text: 'stopped: a hook rejected the commit' } }
  const refused =
    args.commitsFixes || state.pull !== null ? await commitFixes(context, reply?.option !== 'bypass') : null
  if (refused !== null) return ask(context, refused)
  const route = routeAfterFixes({
    pass: state.review_pass,
    maxPasses: state.max_review_passes,
    isPull: state.pull !== null,
  })
  const history = historyUpdate(context, 'signalbox', `fixed the items of pass ${state.review_pass}`)
  return { route, update: { ...(route === 'reviewer' && { review_pass: state.review_pass + 1 }), history } }
}

/**
 * Looks for the trailers first: a repeated step finds its commit. @returns the output of a hook
 * that rejected it.
 */
async function commitFixes({ state, args, git, call }: NodeContext, hooks: boolean): Promise<string | null> {
  const trailers = [`Signalbox-Run: ${call.run}`, `Signalbox-Pass: ${state.review_pass}`]
  if (state.base_commit !== null && (await git.findCommit(trailers, state.base_commit)) !== null) return null
  const changed = await git.changedPaths('HEAD^{tree}', await git.treeHash())
  const paths = changed.filter(path => !args.workspace.dirtyBefore.includes(path))
  const message = `fix: review items (pass ${state.review_pass})\n\n${trailers.join('\n')}\n`
  const made = await git.commit({ message, paths, except: [], hooks })
  return 'refused' in made ? made.refused : null
}

/** Saves the output of the hook for the Developer. */
function ask(context: NodeContext, output: string): NodeResult {
  const { review_pass: index, max_review_passes: of } = context.state
  const printed = context.services.redactor.redact(output).slice(0, 20_000)
  writeFileSync(hookFile(context), printed, { mode: 0o600 })
  const task = { number: String(index), title: 'the fixes of a review', index, of }
  return { question: hookQuestion({ gate: 'hook', task, output: printed, isReview: true }) }
}

function hookFile({ directory, state }: NodeContext): string {
  return join(directory, `hook-pass-${state.review_pass}.txt`)
}
