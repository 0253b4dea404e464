import { Git } from '../../git/index.js'
import type { Question } from './graph-work.js'

/** `isNew` is true if this call merged the branch. */
export type Merge = { commit: string | null; isNew: boolean } | { conflict: string[] }

export interface MergeOptions {
  run: string
  step: string
  /** The git branch to merge, and its name for people. */
  ref: string
  name: string
  /**
   * A person's answer about a conflict: `theirs`, `ours`, or `manual` if they resolved it by hand.
   */
  answer: string | null
}

/** Merges a branch into a worktree. Repeatable: a merged branch is left alone. */
export async function mergeBranch(cwd: string, { run, step, ref, name, answer }: MergeOptions): Promise<Merge> {
  const git = new Git(cwd)
  const isUnderWay = (await git.try(['rev-parse', '--verify', '--quiet', 'MERGE_HEAD'])).code === 0
  if (isUnderWay && answer === 'manual') return settle(git)
  if (isUnderWay) await git.try(['merge', '--abort'])
  if (await git.isAncestor(ref, 'HEAD')) return { commit: await git.head(), isNew: false }
  const message = `signalbox(${run}): merge ${name}\n\nSignalbox-Run: ${run}\nSignalbox-Step: ${step}\n`
  // `-s ours` records the merge without its content, so that it is not asked about again.
  const side = answer === 'theirs' ? ['-X', 'theirs'] : answer === 'ours' ? ['-s', 'ours'] : []
  const merged = await git.try([
    ...(await identity(git)),
    'merge',
    '--no-ff',
    '--no-verify',
    ...side,
    '-m',
    message,
    ref,
  ])
  if (merged.code === 0) return { commit: await git.head(), isNew: true }
  const files = (await git.status()).filter(({ code }) => /U|AA|DD/.test(code)).map(({ path }) => path)
  if (files.length === 0) {
    await git.try(['merge', '--abort'])
    await git.run(['merge', '--no-ff', '--no-verify', '-m', message, ref])
  }
  return { conflict: files }
}

/** Resolved by hand: the content of the worktree is the result, unless conflicts remain. */
async function settle(git: Git): Promise<Merge> {
  const open = (await git.status()).filter(({ code }) => /U|AA|DD/.test(code)).map(({ path }) => path)
  const marked = (await git.try(['grep', '-l', '^<<<<<<< '])).stdout.trim().split('\n').filter(Boolean)
  const left = [...new Set([...open.filter(path => marked.includes(path)), ...marked])]
  if (left.length > 0) return { conflict: left }
  await git.run(['add', '--all', '--', '.'])
  await git.run([...(await identity(git)), 'commit', '--quiet', '--no-verify', '--no-edit'])
  return { commit: await git.head(), isNew: true }
}

/** git refuses to commit without an identity. */
export async function identity(git: Git): Promise<string[]> {
  const { code } = await git.try(['config', 'user.email'])
  return code === 0 ? [] : ['-c', 'user.name=Signalbox', '-c', 'user.email=signalbox@localhost']
}

export function conflictQuestion(name: string, files: readonly string[], cwd: string): Question {
  return {
    text: `The work of ${name} conflicts with the work already merged: ${files.join(', ')}. The worktree is ${cwd}.`,
    options: [
      { key: 'theirs', label: `Use the changes of ${name}` },
      { key: 'ours', label: `Discard the changes of ${name}` },
      { key: 'manual', label: 'I resolved the conflict in the worktree' },
    ],
  }
}
