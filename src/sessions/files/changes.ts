import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { readFile, realpath } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isSecretPath } from '../../approvals/index.js'
import { SignalboxError } from '../../errors/index.js'
import type { Git } from '../../git/index.js'

/*
 * What a person does with the changes of a session: compare them with the commit at its start,
 * commit them, discard them. Hooks of the repository are not run: the page shows no output of them.
 */

const NO_HOOKS = ['-c', 'core.hooksPath=/dev/null', '-c', 'core.fsmonitor=false']

/**
 * The commit that was checked out at a time, by git's own log of HEAD; null if git does not know.
 */
export async function commitAt(git: Git, time: number): Promise<string | null> {
  const moment = new Date(time).toISOString().replace(/\.\d+Z$/, 'Z')
  const { code, stdout } = await git.try(['rev-parse', '--verify', '--quiet', `HEAD@{${moment}}^{commit}`])
  return code === 0 && stdout.trim() !== '' ? stdout.trim() : null
}

/** Commits the named files, or all changes. @throws SignalboxError `E_INPUT`, `E_STATE` */
export async function commitChanges(
  git: Git,
  { message, files }: { message: string; files: readonly string[] },
): Promise<{ commit: string; files: number }> {
  const changed = await changedFiles(git, files)
  const paths = changed.map(literal)
  await git.run([...NO_HOOKS, 'add', '--all', '--', ...paths])
  const { code, stderr, stdout } = await git.try([
    ...NO_HOOKS,
    'commit',
    '--no-gpg-sign',
    '--quiet',
    '-m',
    message,
    '--',
    ...paths,
  ])
  if (code !== 0)
    throw new SignalboxError('E_STATE', `git could not commit: ${(stderr || stdout).trim().split('\n').at(-1)}`, {
      next: 'commit in the terminal of the session',
    })
  return { commit: (await git.head())!, files: changed.length }
}

/**
 * Takes the named files back to the last commit and deletes new ones. The state before is kept in
 * git under `refs/signalbox/discarded/…`. @throws SignalboxError `E_INPUT`
 */
export async function discardChanges(
  git: Git,
  files: readonly string[],
  now: number,
): Promise<{ files: number; keptAs: string }> {
  if (files.length === 0) throw new SignalboxError('E_INPUT', 'no file is named', { next: 'name the files to discard' })
  const changed = await changedFiles(git, files)
  const keptAs = `refs/signalbox/discarded/${now}`
  await git.saveTree(await git.treeHash(), keptAs, `Discarded: ${changed.join(', ').slice(0, 500)}`)
  const untracked = new Set(await git.untracked())
  const isNew = (path: string) => untracked.has(path)
  const added = new Set(await addedFiles(git))
  const tracked = changed.filter(path => !isNew(path) && !added.has(path))
  const fresh = changed.filter(path => isNew(path) || added.has(path))
  if (tracked.length > 0)
    await git.run([...NO_HOOKS, 'restore', '--source=HEAD', '--staged', '--worktree', '--', ...tracked.map(literal)])
  const staged = fresh.filter(path => added.has(path))
  if (staged.length > 0) await git.run([...NO_HOOKS, 'rm', '--cached', '--quiet', '--', ...staged.map(literal)])
  if (fresh.length > 0) await git.run([...NO_HOOKS, 'clean', '--force', '--quiet', '--', ...fresh.map(literal)])
  return { files: changed.length, keptAs }
}

/** A part of a diff as a surface showed it: the lines of git with their signs. */
export interface ShownHunk {
  file: string
  header: string
  lines: readonly string[]
}

/**
 * Takes one part of the uncommitted changes of a file back. The part is found by its lines as they
 * were shown, so nothing else is discarded. @throws SignalboxError `E_INPUT`, `E_STATE`
 */
export async function discardHunk(
  git: Git,
  shown: ShownHunk,
  { now, redact }: { now: number; redact(text: string): string },
): Promise<{ files: number; keptAs: string }> {
  await changedFiles(git, [shown.file])
  const options = [...NO_HOOKS, 'diff', '--no-color', '--no-ext-diff', '--no-textconv', '--no-renames']
  const patch = (await git.bytes([...options, 'HEAD', '--', literal(shown.file)])).toString('latin1')
  const [head = '', ...hunks] = patch.split(/^(?=@@ )/m)
  const wanted = [shown.header, ...shown.lines].join('\n')
  const hunk = hunks.find(text => redact(Buffer.from(text, 'latin1').toString('utf8')).trimEnd() === wanted.trimEnd())
  if (hunk === undefined)
    throw new SignalboxError('E_STATE', `${shown.file} has changed since, or is not tracked by git yet`, {
      next: 'reload the changes',
    })
  const keptAs = `refs/signalbox/discarded/${now}`
  await git.saveTree(await git.treeHash(), keptAs, `Discarded: a part of ${shown.file}`)
  const directory = mkdtempSync(join(tmpdir(), 'signalbox-hunk-'))
  try {
    const file = join(directory, 'hunk.patch')
    writeFileSync(file, head + hunk, 'latin1')
    const { code, stderr } = await git.try([...NO_HOOKS, 'apply', '--reverse', '--whitespace=nowarn', file])
    if (code !== 0)
      throw new SignalboxError('E_STATE', `git could not revert this part: ${stderr.trim().split('\n')[0]}`, {
        next: 'discard the whole file, or edit it',
      })
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
  return { files: 1, keptAs }
}

const IMAGE = /\.(png|jpe?g|gif|webp|avif|bmp|ico|svg)$/i
const IMAGE_MAX = 16 * 1024 * 1024

/**
 * An image of the repository at a commit, or in the working tree (null).
 * @throws SignalboxError `E_INPUT` for other files, `E_UNKNOWN` if it is not there
 */
export async function imageAt(git: Git, path: string, commit: string | null): Promise<Buffer> {
  if (!IMAGE.test(path) || path.startsWith('/') || path.split('/').includes('..') || isSecretPath(path))
    throw new SignalboxError('E_INPUT', `${path} is not an image of the repository`, { next: 'open it as a file' })
  const bytes = await (commit === null
    ? readInTree(git, path)
    : git.bytes(['cat-file', 'blob', `${commit}:${path}`])
  ).catch(() => null)
  const where = commit === null ? 'in the working tree' : 'at this commit'
  if (bytes === null)
    throw new SignalboxError('E_UNKNOWN', `${path} does not exist ${where}`, { next: 'reload the changes' })
  if (bytes.length > IMAGE_MAX)
    throw new SignalboxError('E_INPUT', `${path} is ${bytes.length} bytes long; the limit is ${IMAGE_MAX}`)
  return bytes
}

/** A link may lead out of the repository: only what is inside is read. */
async function readInTree(git: Git, path: string): Promise<Buffer> {
  const root = await realpath((await git.root())!)
  const file = await realpath(join(root, path))
  if (!file.startsWith(`${root}/`) || isSecretPath(file.slice(root.length + 1))) throw new Error('outside')
  return readFile(file)
}

async function addedFiles(git: Git): Promise<string[]> {
  return (await git.status({ renames: false })).filter(({ code }) => code.startsWith('A')).map(({ path }) => path)
}

/** Only files that git lists as changed: a path of a request never selects anything else. */
async function changedFiles(git: Git, wanted: readonly string[]): Promise<string[]> {
  const changed = (await git.status({ renames: false })).map(({ path }) => path)
  const unknown = wanted.find(path => !changed.includes(path))
  if (unknown !== undefined)
    throw new SignalboxError('E_INPUT', `${unknown} has no uncommitted changes`, { next: 'reload the changes' })
  const chosen = wanted.length === 0 ? changed : changed.filter(path => wanted.includes(path))
  if (chosen.length === 0) throw new SignalboxError('E_STATE', 'there are no uncommitted changes')
  return chosen
}

/** Paths of `git status` are relative to the top of the working tree. */
function literal(path: string): string {
  return `:(top,literal)${path}`
}
