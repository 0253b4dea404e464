import { isSecretPath } from '../../approvals/index.js'
import type { Git } from '../../git/index.js'

export interface ShareableDiff {
  text: string
  /** Changed files that usually hold credentials: no surface shows their content. */
  hidden: string[]
}

/** Runs nothing of the repository: no hooks, no diff drivers, no pager. */
const SAFE = ['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null', '-c', 'protocol.ext.allow=never']
const PLAIN = ['diff', '--no-color', '--no-ext-diff', '--no-textconv']

export interface DiffOptions {
  from: string
  /** Null: the working tree. */
  to?: string | null
  /** With new files that git does not track yet. */
  hasUntracked?: boolean
  /** Without changes of white space only. */
  ignoresSpace?: boolean
}

/**
 * A diff that may leave the machine: without the files that `openDownload` refuses because of their
 * names.
 */
export async function shareableDiff(
  git: Git,
  { from, to = null, hasUntracked = false, ignoresSpace = false }: DiffOptions,
): Promise<ShareableDiff> {
  const plain = [...PLAIN, ...(ignoresSpace ? ['--ignore-all-space', '--ignore-blank-lines'] : [])]
  const range = ['--end-of-options', from, ...(to === null ? [] : [to]), '--']
  const [names, untracked] = await Promise.all([
    // Without detection of renames, both names of a renamed file are listed.
    git.run([...SAFE, ...PLAIN, '--name-only', '--no-renames', '-z', ...range]),
    hasUntracked ? git.untracked() : [],
  ])
  const hidden = names.split('\0').filter(path => path !== '' && isSecretPath(path))
  const except = hidden.map(path => `:(top,exclude,literal)${path}`)
  const parts = [await git.run([...SAFE, ...plain, ...range, ...(except.length > 0 ? [':/', ...except] : [])])]
  for (const path of untracked) {
    if (isSecretPath(path)) hidden.push(path)
    // Exit code 1 means that the files differ, as expected.
    else parts.push((await git.try([...SAFE, ...plain, '--no-index', '--', '/dev/null', path])).stdout)
  }
  return { text: parts.filter(part => part.trim() !== '').join(''), hidden }
}

/** Everything that is not committed, with new files; before the first commit, all files. */
export async function uncommittedDiff(git: Git, ignoresSpace = false): Promise<ShareableDiff> {
  const from = (await git.head()) ?? (await git.run(['hash-object', '-t', 'tree', '/dev/null'])).trim()
  return shareableDiff(git, { from, hasUntracked: true, ignoresSpace })
}
