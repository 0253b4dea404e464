import { SignalboxError } from '../../errors/index.js'
import type { ReviewTarget } from '../args.js'
import type { PipelineGit } from '../pipeline-git.js'

/** `a..b`, `a...b` or one revision, as commits. @throws SignalboxError `E_INPUT` */
export async function rangeTarget(git: PipelineGit, range: string): Promise<Extract<ReviewTarget, { kind: 'range' }>> {
  const [left, dots, right] = range.includes('..') ? [...range.split(/(\.{2,3})/, 3)] : [range, '..', 'HEAD']
  const commitOf = async (revision: string | undefined): Promise<string> => {
    const commit = await git.commitOf(revision || 'HEAD')
    if (commit !== null) return commit
    throw new SignalboxError('E_INPUT', `unknown revision "${revision || 'HEAD'}" in range "${range}"`, {
      next: 'give a range such as main..HEAD, or one revision',
    })
  }
  const [from, to] = [await commitOf(left), await commitOf(right)]
  if (dots !== '...') return { kind: 'range', from, to, label: range }
  const base = (await git.git.run(['merge-base', from, to])).trim()
  return { kind: 'range', from: base, to, label: range }
}
