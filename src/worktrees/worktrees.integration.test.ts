import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { systemClock } from '../clock/index.js'
import { createRun, recordCancel } from '../engine/index.js'
import { openHomeStore } from '../host/open-store.js'
import type { EventStore } from '../store/index.js'
import { emptyTrash, fateOf, findWorktrees, listTrash, removeWorktree, TRASH_MS, type WorktreeFacts } from './index.js'

let directory: string
let repository: string
let dataDirectory: string
const DAY = 24 * 3_600_000
let store: EventStore

const git = (cwd: string, ...args: string[]) =>
  execFileSync('git', args, { cwd, encoding: 'utf8', stdio: 'pipe' }).trim()

beforeEach(async () => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), 'signalbox-worktrees-')))
  repository = join(directory, 'repo')
  dataDirectory = join(directory, 'data')
  mkdirSync(repository)
  store = await openHomeStore({ dataDirectory, clock: systemClock, onError: () => undefined })
  git(repository, 'init', '-q', '-b', 'main')
  git(repository, 'config', 'user.email', 'a@b')
  git(repository, 'config', 'user.name', 'a')
  writeFileSync(join(repository, 'a.txt'), 'one\n')
  git(repository, 'add', '.')
  git(repository, 'commit', '-qm', 'first')
})
afterEach(async () => {
  await store.close()
  rmSync(directory, { recursive: true, force: true })
})

/** A run with a worktree; ended by default. */
async function worktreeOf(name: string, options: { isOver?: boolean; commits?: boolean } = {}) {
  const { isOver = true, commits = false } = options
  const path = join(dataDirectory, 'worktrees', 'repo', `run_${name}`)
  git(repository, 'worktree', 'add', '-q', '-b', name, path)
  if (commits) {
    writeFileSync(join(path, `${name}.txt`), 'x\n')
    git(path, 'add', '.')
    git(path, 'commit', '-qm', name)
  }
  const created = { kind: 'oneshot', title: name, project: repository, cwd: path, person: 'local', input: {} }
  const id = await createRun(store, created as never, Date.now(), `run_${name}`)
  if (isOver) await recordCancel(store, id, { by: 'x', reason: 'over' })
  return { id, path }
}

const ledger = (keepMs = 14 * DAY) => findWorktrees({ store, clock: systemClock, dataDirectory, keepMs })
const entryOf = async (id: string) => (await ledger()).find(({ run }) => run === id)!

test('every state of a worktree has one fate', () => {
  const over: WorktreeFacts = {
    runStatus: 'completed',
    isThere: true,
    dirty: 0,
    ahead: 2,
    isMerged: false,
    idleMs: 0,
  }
  const fate = (facts: Partial<WorktreeFacts>) => fateOf({ ...over, ...facts }, 14 * DAY)
  for (const runStatus of ['queued', 'running', 'waiting', 'paused', 'failed'] as const)
    for (const facts of [{}, { dirty: 1 }, { isMerged: true }, { ahead: 0 }, { idleMs: 99 * DAY }])
      expect(fate({ runStatus, ...facts })).toBe('busy')
  for (const runStatus of ['completed', 'rejected', 'cancelled', null] as const) {
    expect(fate({ runStatus })).toBe('kept')
    expect(fate({ runStatus, idleMs: 14 * DAY })).toBe('forgotten')
    expect(fate({ runStatus, isMerged: true })).toBe('needless')
    expect(fate({ runStatus, ahead: 0 })).toBe('needless')
    expect(fate({ runStatus, dirty: 1, isMerged: true, idleMs: 99 * DAY })).toBe('dirty')
    expect(fate({ runStatus, isThere: false, dirty: 1 })).toBe('gone')
  }
})

test('a worktree in which a run can continue is never removed', async () => {
  const { id, path } = await worktreeOf('busy', { isOver: false })
  expect(await entryOf(id)).toMatchObject({ fate: 'busy', runStatus: 'queued', branch: 'busy', repository })
  await expect(removeWorktree(await entryOf(id))).rejects.toMatchObject({ code: 'E_STATE' })
  expect(existsSync(path)).toBe(true)
})

test('a worktree without commits is removed with its branch; an unmerged one keeps its branch', async () => {
  const empty = await worktreeOf('empty')
  const ahead = await worktreeOf('ahead', { commits: true })
  expect(await entryOf(empty.id)).toMatchObject({ fate: 'needless', ahead: 0 })
  expect(await entryOf(ahead.id)).toMatchObject({ fate: 'kept', ahead: 1, isMerged: false })
  expect((await ledger(0)).find(({ run }) => run === ahead.id)?.fate).toBe('forgotten')
  await removeWorktree(await entryOf(empty.id))
  await removeWorktree(await entryOf(ahead.id))
  expect([empty.path, ahead.path].filter(existsSync)).toEqual([])
  expect(git(repository, 'branch', '--list', 'empty', 'ahead', '--format=%(refname:short)')).toBe('ahead')
})

test('a dirty worktree is saved under refs/signalbox/trash for 7 days before it is removed', async () => {
  const { id, path } = await worktreeOf('dirty', { commits: true })
  writeFileSync(join(path, 'a.txt'), 'changed\n')
  writeFileSync(join(path, 'new.txt'), 'fresh\n')
  expect(await entryOf(id)).toMatchObject({ fate: 'dirty', dirty: 2 })
  const ref = await removeWorktree(await entryOf(id))
  expect(ref).toBe(`refs/signalbox/trash/${id}`)
  expect(existsSync(path)).toBe(false)
  expect(git(repository, 'show', `${ref}:a.txt`)).toBe('changed')
  expect(git(repository, 'show', `${ref}:new.txt`)).toBe('fresh')
  expect(git(repository, 'rev-parse', `${ref}~1`)).toBe(git(repository, 'rev-parse', 'dirty'))
  const at = (ms: number) => ({ ...systemClock, now: () => Date.now() + ms })
  expect(await emptyTrash(repository, at(TRASH_MS - DAY))).toBe(0)
  expect(await listTrash(repository)).toMatchObject([{ run: id }])
  expect(await emptyTrash(repository, at(TRASH_MS + DAY))).toBe(1)
  expect(await listTrash(repository)).toEqual([])
})

test('a worktree without its directory is pruned, and its branch is kept', async () => {
  const { id, path } = await worktreeOf('gone', { commits: true })
  rmSync(path, { recursive: true })
  expect(await entryOf(id)).toMatchObject({ fate: 'gone', branch: 'gone', path })
  await removeWorktree(await entryOf(id))
  expect(await entryOf(id)).toBeUndefined()
  expect(git(repository, 'worktree', 'list')).not.toContain(path)
  expect(git(repository, 'branch', '--list', 'gone', '--format=%(refname:short)')).toBe('gone')
})
