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
  // Files that are not committed can be committed and discarded one by one, a moved one too.
  const plain = [
    ...PLAIN,
    ...(hasUntracked ? ['--no-renames'] : []),
    ...(ignoresSpace ? ['--ignore-all-space', '--ignore-blank-lines'] : []),
  ]
  const range = ['--end-of-options', from, ...(to === null ? [] : [to]), '--']
  const hidden = new Set<string>()
  const isShown = (path: string) => {
    if (isSecretPath(path)) hidden.add(path)
    return !hidden.has(path)
  }
  // Without detection of renames, both names of a renamed file are listed.
  const listing = git.run([...SAFE, ...PLAIN, '--name-only', '--no-renames', '-z', ...range])
  listing.catch(() => undefined)
  const diff = async (env: Record<string, string>) => {
    const secret = (await listing).split('\0').filter(path => path !== '' && !isShown(path))
    const except = secret.map(path => `:(top,exclude,literal)${path}`)
    return git.run([...SAFE, ...plain, ...range, ...(except.length > 0 ? [':/', ...except] : [])], env)
  }
  const text = hasUntracked ? await git.withNewFiles(isShown, diff) : await diff({})
  return { text: text.trim() === '' ? '' : text, hidden: [...hidden].sort() }
}

/** Everything that is not committed, with new files; before the first commit, all files. */
export async function uncommittedDiff(git: Git, ignoresSpace = false): Promise<ShareableDiff> {
  const from = (await git.head()) ?? (await git.run(['hash-object', '-t', 'tree', '/dev/null'])).trim()
  return shareableDiff(git, { from, hasUntracked: true, ignoresSpace })
}
