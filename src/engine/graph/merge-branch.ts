import { Git } from '../../git/index.js'
import type { Question } from './graph-work.js'

/** `isNew`: it was not in before. */
export type Merge = { commit: string | null; isNew: boolean } | { conflict: string[] }

export interface MergeWish {
  run: string
  step: string
  /** The git branch whose work is brought in, and what people call it. */
  ref: string
  name: string
  /** What a person said about a conflict: their side, ours, or that it is settled by hand. */
  answer: string | null
}

/** Brings the work of a branch into a worktree. What is in already is left alone, so that it may be done again after a crash. */
export async function mergeBranch(cwd: string, { run, step, ref, name, answer }: MergeWish): Promise<Merge> {
  const git = new Git(cwd)
  const isUnderWay = (await git.try(['rev-parse', '--verify', '--quiet', 'MERGE_HEAD'])).code === 0
  if (isUnderWay && answer === 'manual') return settle(git)
  if (isUnderWay) await git.try(['merge', '--abort'])
  if (await git.isAncestor(ref, 'HEAD')) return { commit: await git.head(), isNew: false }
  const message = `signalbox(${run}): merge ${name}\n\nSignalbox-Run: ${run}\nSignalbox-Step: ${step}\n`
  // Left out means merged without its content: so it is not asked about again.
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

/** Settled by hand: what stands in the worktree is the result, unless something is still open. */
async function settle(git: Git): Promise<Merge> {
  const open = (await git.status()).filter(({ code }) => /U|AA|DD/.test(code)).map(({ path }) => path)
  const marked = (await git.try(['grep', '-l', '^<<<<<<< '])).stdout.trim().split('\n').filter(Boolean)
  const left = [...new Set([...open.filter(path => marked.includes(path)), ...marked])]
  if (left.length > 0) return { conflict: left }
  await git.run(['add', '--all', '--', '.'])
  await git.run([...(await identity(git)), 'commit', '--quiet', '--no-verify', '--no-edit'])
  return { commit: await git.head(), isNew: true }
}

/** Where nobody has said who they are, git would refuse to commit. */
export async function identity(git: Git): Promise<string[]> {
  const { code } = await git.try(['config', 'user.email'])
  return code === 0 ? [] : ['-c', 'user.name=Signalbox', '-c', 'user.email=signalbox@localhost']
}

export function conflictQuestion(name: string, files: readonly string[], cwd: string): Question {
  return {
    text: `The work of ${name} contradicts what is there already: ${files.join(', ')}. The worktree is ${cwd}.`,
    options: [
      { key: 'theirs', label: `Take the side of ${name}` },
      { key: 'ours', label: 'Leave its work out' },
      { key: 'manual', label: 'I have settled it in the worktree' },
    ],
  }
}
