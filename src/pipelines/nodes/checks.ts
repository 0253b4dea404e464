import type { NodeContext, NodeResult } from '../node.js'
import { routeAfterFixes } from '../routing.js'
import { noted } from './common.js'

/** After the fixes of a review: one commit for the pass, where the person wants one, and on to the next look. */
export async function checks(context: NodeContext): Promise<NodeResult> {
  const { state, args, git, call } = context
  const history = noted(context, 'signalbox', `the fixes of pass ${state.review_pass} are made`)
  if (args.commitsFixes) {
    const trailers = [`Signalbox-Run: ${call.run}`, `Signalbox-Pass: ${state.review_pass}`]
    const found = state.base_commit === null ? null : await git.findCommit(trailers, state.base_commit)
    if (found === null) {
      const changed = await git.changedPaths('HEAD^{tree}', await git.treeHash())
      const paths = changed.filter(path => !args.place.dirtyBefore.includes(path))
      const message = `fix: items of a review (pass ${state.review_pass})\n\n${trailers.join('\n')}\n`
      const made = await git.commit({ message, paths, except: [], hooks: true })
      if ('refused' in made) call.notice('warning', `the fixes were not committed: ${made.refused.slice(0, 500)}`)
    }
  }
  const route = routeAfterFixes(state.review_pass, state.max_review_passes)
  return { route, update: { ...(route === 'reviewer' && { review_pass: state.review_pass + 1 }), history } }
}
