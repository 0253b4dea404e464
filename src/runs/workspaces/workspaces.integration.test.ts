import { execFileSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { systemClock } from '../../clock/index.js'
import type { RunState } from '../../engine/index.js'
import { openBlobs } from '../../store/blobs/index.js'
import type { EventStore } from '../../store/index.js'
import { openTestStore } from '../../store/testing/open-test-store.js'
import { BlobFiles, type ServerPort, type StepNeeds } from '../../workers/index.js'
import { worktreesDirectory } from '../../worktrees/index.js'
import { WorkerWorkspaces } from './worker-workspaces.js'
import { WorkspaceBlobs, waitingDirectoryOf } from './workspace-blobs.js'
import { WorkspaceSource } from './workspace-source.js'

let directory: string
let project: string
let store: EventStore
let source: WorkspaceSource
let bundles: WorkspaceBlobs
let transferred: number
let runs: number
let mayWrite: boolean

const git = (cwd: string, ...args: string[]) =>
  execFileSync('git', ['-C', cwd, '-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', ...args], {
    encoding: 'utf8',
  }).trim()

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'signalbox-workspaces-'))
  project = join(directory, 'project')
  mkdirSync(project)
  git(project, 'init', '--quiet', '--initial-branch=main')
  commit('large', randomBytes(2_000_000).toString('base64'))
  store = await openTestStore({ path: join(directory, 'store.db'), clock: systemClock })
  const dataDirectory = join(directory, 'server')
  const blobs = await openBlobs(null, { dataDirectory, env: {}, store })
  bundles = new WorkspaceBlobs({
    files: new BlobFiles(join(dataDirectory, 'blobs')),
    waitingDirectory: waitingDirectoryOf(dataDirectory),
    store,
    blobs,
    clock: systemClock,
    onError: error => {
      throw error
    },
  })
  source = new WorkspaceSource({ dataDirectory, store, bundles })
  transferred = 0
  runs = 0
  mayWrite = true
})
afterEach(async () => {
  await store.close()
  rmSync(directory, { recursive: true, force: true })
})

function commit(name: string, text: string): void {
  writeFileSync(join(project, name), text)
  git(project, 'add', '.')
  git(project, 'commit', '--quiet', '-m', name)
}

function worker(name: string): WorkerWorkspaces {
  const dataDirectory = join(directory, name)
  let asked: RunState
  const server: ServerPort = {
    send: () => undefined,
    call: async (method, { blob, offset, run }) => {
      if (method === 'blob.write' && mayWrite) return null
      if (method === 'blob.write') throw new Error('the disk is full')
      expect(method).toBe('blob.read')
      asked = { id: run, cwd: worktreeOf(run as string), saved: null } as unknown as RunState
      expect(await source.mayRead(asked, blob as string)).toBe(true)
      await bundles.path(blob as string)
      const part = bundles.files.read(blob as string, offset as number)
      transferred += part.length
      return part.toString('base64')
    },
  }
  return new WorkerWorkspaces({ dataDirectory, blobs: new BlobFiles(join(dataDirectory, 'blobs')), server })
}

const worktreeOf = (run: string) => join(worktreesDirectory(join(directory, 'server')), 'project', run)

/** A new run at a commit of the project; returns its directory on the worker, and what it cost. */
async function start(at: WorkerWorkspaces, revision = 'main'): Promise<{ cwd: string; bytes: number }> {
  const id = `run_${++runs}`
  const cwd = worktreeOf(id)
  mkdirSync(dirname(cwd), { recursive: true })
  mkdirSync(join(directory, 'server', 'runs', id), { recursive: true })
  git(project, 'worktree', 'add', '--quiet', '-b', `branch-${id}`, cwd, revision)
  const run = { id, cwd, saved: null, placed: { worker: 'w', epoch: 1 } } as unknown as RunState
  const before = transferred
  const needs = { cwd, workspace: await source.needsOf(run) } as unknown as StepNeeds
  const ready = await at.prepare(id, needs)
  expect(git(ready.cwd, 'rev-parse', 'HEAD')).toBe(git(project, 'rev-parse', revision))
  expect(git(ready.cwd, 'rev-parse', '--abbrev-ref', 'HEAD')).toBe(`branch-${id}`)
  expect(git(ready.cwd, 'status', '--porcelain')).toBe('')
  return { cwd: ready.cwd, bytes: transferred - before }
}

test('the history of a project is transferred to a worker once', async () => {
  const first = worker('first')
  expect((await start(first)).bytes).toBeGreaterThan(1_900_000)
  expect((await start(first)).bytes).toBe(0)
  commit('small', 'text')
  const next = await start(first)
  expect(next.bytes).toBeLessThan(10_000)
  expect(readFileSync(join(next.cwd, 'small'), 'utf8')).toBe('text')
  // Another worker gets both parts, and an older commit after a newer one.
  const second = worker('second')
  expect((await start(second)).bytes).toBeGreaterThan(1_900_000)
  expect((await start(second, 'main~1')).bytes).toBe(0)
  // Neither the bundle of the history nor a second copy of it stays.
  expect(readdirSync(join(directory, 'second', 'blobs')).length).toBe(1)
})

describe('what a person trusted', () => {
  const MCP = '.mcp.json'
  const hashOf = (text: string) => createHash('sha256').update(text).digest('hex')

  async function prepared(at: WorkerWorkspaces, executable: Record<string, string>) {
    const id = `run_${++runs}`
    const cwd = worktreeOf(id)
    mkdirSync(dirname(cwd), { recursive: true })
    mkdirSync(join(directory, 'server', 'runs', id), { recursive: true })
    git(project, 'worktree', 'add', '--quiet', '-b', `branch-${id}`, cwd, 'main')
    const run = { id, cwd, saved: null, placed: { worker: 'w', epoch: 1 } } as unknown as RunState
    const needs = { cwd, executable, workspace: await source.needsOf(run) } as unknown as StepNeeds
    const again = async () => (await at.prepare(id, needs)).cwd
    return { cwd: await again(), again }
  }

  test('is compared with the copy of a worker before anything runs there', async () => {
    commit(MCP, '{"a":1}')
    commit('build.sh', 'make')
    const at = worker('first')
    const trusted = { [MCP]: hashOf('{"a":1}'), 'build.sh': hashOf('make') }
    expect(existsSync((await prepared(at, trusted)).cwd)).toBe(true)
    const others = [{ ...trusted, 'build.sh': hashOf('make all') }, { 'build.sh': hashOf('make') }]
    for (const executable of others)
      await expect(prepared(at, executable)).rejects.toMatchObject({ code: 'E_UNTRUSTED' })
    await expect(prepared(at, { ...trusted, 'gone.sh': hashOf('x') })).rejects.toThrow(
      'differ from the trusted ones (gone.sh)',
    )
    const left = readdirSync(join(directory, 'first', 'workspaces', `run_${runs}`))
    expect(left).toEqual([])
  })

  test('may be changed by the steps of the run', async () => {
    commit(MCP, '{"a":1}')
    const { cwd, again } = await prepared(worker('first'), { [MCP]: hashOf('{"a":1}') })
    writeFileSync(join(cwd, MCP), '{"a":2}')
    expect(await again()).toBe(cwd)
  })

  test('is compared once in a directory without git, for each worker that gets the run', async () => {
    const cwd = join(directory, 'plain')
    mkdirSync(cwd)
    writeFileSync(join(cwd, 'run.sh'), 'true')
    const needs = (epoch: number) =>
      ({ cwd, executable: { 'run.sh': hashOf('true') }, workspace: null, epoch }) as unknown as StepNeeds
    const at = worker('first')
    expect((await at.prepare('run_plain', needs(1))).cwd).toBe(cwd)
    writeFileSync(join(cwd, 'run.sh'), 'false')
    expect((await at.prepare('run_plain', needs(1))).cwd).toBe(cwd)
    await expect(at.prepare('run_plain', needs(2))).rejects.toMatchObject({ code: 'E_UNTRUSTED' })
    await expect(worker('second').prepare('run_plain', needs(1))).rejects.toMatchObject({ code: 'E_UNTRUSTED' })
  })
})

test('a workspace whose save failed is saved again, even if nothing has changed since', async () => {
  const at = worker('first')
  const { cwd } = await start(at)
  const id = `run_${runs}`
  writeFileSync(join(cwd, 'made.txt'), '1')
  const run = { id, cwd: worktreeOf(id), saved: null, placed: { worker: 'w', epoch: 1 } } as unknown as RunState
  const needs = { cwd: worktreeOf(id), workspace: await source.needsOf(run) } as unknown as StepNeeds
  mayWrite = false
  await expect(at.save(id, needs)).rejects.toThrow('the disk is full')
  rmSync(join(cwd, 'made.txt'))
  mayWrite = true
  expect(await at.save(id, needs)).toMatchObject({ head: git(project, 'rev-parse', 'main') })
  expect(await at.save(id, needs)).toBeNull()
})

test('many new commits renew the shared bundle', async () => {
  const first = worker('first')
  await start(first)
  commit('larger', randomBytes(3_000_000).toString('base64'))
  expect((await start(first)).bytes).toBeGreaterThan(4_900_000)
  expect((await start(first)).bytes).toBe(0)
})

test('a mirror that is missing or damaged is created again', async () => {
  const first = worker('first')
  await start(first)
  const [name] = readdirSync(join(directory, 'first', 'mirrors'))
  const mirror = join(directory, 'first', 'mirrors', name!)
  rmSync(join(mirror, 'objects'), { recursive: true })
  expect((await start(first)).bytes).toBeGreaterThan(1_900_000)
  rmSync(mirror, { recursive: true })
  expect((await start(first)).bytes).toBeGreaterThan(1_900_000)
  expect(existsSync(join(mirror, 'HEAD'))).toBe(true)
})

test('a run in another history of the same repository gets its own bundle', async () => {
  const first = worker('first')
  await start(first)
  git(project, 'checkout', '--quiet', '--orphan', 'other')
  commit('other', 'text')
  await start(first, 'other')
  await start(first, 'main')
})
