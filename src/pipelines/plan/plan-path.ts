import { existsSync, realpathSync } from 'node:fs'
import { dirname, extname, isAbsolute, join, relative, resolve } from 'node:path'
import { SignalboxError } from '../../errors/index.js'

export const DEFAULT_PLAN_PATH = 'docs/plans/{date}-{issue_key}.md'

/** Expands the plan path pattern once, at creation: a later resume finds the file. */
export function resolvePlanPath(
  pattern: string,
  { createdAt, issueKey, run }: { createdAt: number; issueKey: string; run: string },
): string {
  const values: Record<string, string> = {
    date: new Date(createdAt).toISOString().slice(0, 10),
    issue_key: slugOf(issueKey),
    run: run.slice(-8).toLowerCase(),
  }
  const path = pattern.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole)
  if (isAbsolute(path) || path.split('/').includes('..'))
    throw new SignalboxError('E_CONFIG', `plan_path_pattern leaves the repository: ${path}`, {
      next: 'use a path inside the repository, such as docs/plans/{date}-{issue_key}.md',
    })
  return path
}

/** Lower case; everything but letters, digits, `-` and `_` becomes `-`. */
export function slugOf(text: string): string {
  const slug = text
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 60)
    .replace(/-+$/, '')
  return slug === '' ? 'task' : slug
}

/** A path that does not exist yet: `-2`, `-3` … if another file has it. */
export function freePlanPath(path: string, isTaken: (candidate: string) => boolean): string {
  if (!isTaken(path)) return path
  const extension = extname(path)
  const stem = path.slice(0, path.length - extension.length)
  for (let number = 2; ; number++) {
    const candidate = `${stem}-${number}${extension}`
    if (!isTaken(candidate)) return candidate
  }
}

/** The plan file in a working tree. @throws SignalboxError `E_CONFIG` if a link leaves the tree. */
export function planFile(worktree: string, path: string): string {
  const file = resolve(worktree, path)
  let parent = dirname(file)
  while (!existsSync(parent)) parent = dirname(parent)
  const real = existsSync(file) ? realpathSync(file) : join(realpathSync(parent), relative(parent, file))
  const inside = relative(realpathSync(worktree), real)
  if (!inside.startsWith('..') && !isAbsolute(inside)) return file
  throw new SignalboxError('E_CONFIG', `the plan path leaves the working tree: ${path}`, {
    next: 'choose another plan_path_pattern, or remove the link',
  })
}
