import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import type { RunState } from '../../engine/index.js'
import { Git } from '../../git/index.js'
import { openBlobs } from '../../store/blobs/index.js'
import type { EventStore } from '../../store/index.js'
import { BlobFiles, type WorkspaceNeeds } from '../../workers/index.js'
import { worktreesDirectory } from '../../worktrees/index.js'
import { runDirectory } from '../run-directory.js'
import type { StartContext } from '../start-context.js'
import { bundleProject } from './project-bundles.js'
import { WorkspaceBlobs, waitingDirectoryOf } from './workspace-blobs.js'

type SourceParts = Pick<WorkspaceNeeds, 'mirror' | 'origin' | 'base' | 'branch' | 'identity'>
type SourceRun = Pick<RunState, 'id' | 'cwd'> & Partial<Pick<RunState, 'parent'>>

export interface WorkspaceSourceOptions {
  dataDirectory: string
  store: EventStore
  bundles: WorkspaceBlobs
}

/** The server's side of workspaces on workers: what a run starts from, and what comes back. */
export class WorkspaceSource {
  readonly #options: WorkspaceSourceOptions
  /** One after the other, per run. */
  readonly #updating = new Map<string, Promise<void>>()

  constructor(options: WorkspaceSourceOptions) {
    this.#options = options
  }

  /** Null for a run outside a repository: it works in a directory that both machines have. */
  async needsOf(run: RunState): Promise<WorkspaceNeeds | null> {
    const source = await this.sourceOf(run)
    return source && { ...source, saved: run.saved, epoch: run.placed?.epoch ?? 1 }
  }

  /** Whether a worker that has the run may read this blob. */
  async mayRead(run: RunState, blob: string): Promise<boolean> {
    if (blob === run.saved?.blob) return true
    const source = await this.sourceOf(run)
    return source !== null && (blob === source.origin || blob === source.mirror?.blob)
  }

  /** Brings what a worker saved into the run's worktree, if that is on this machine. */
  async updateWorktree(run: RunState): Promise<void> {
    const before = this.#updating.get(run.id) ?? Promise.resolve()
    const updating = before.catch(() => undefined).then(() => this.#update(run))
    this.#updating.set(run.id, updating)
    await updating.finally(() => {
      if (this.#updating.get(run.id) === updating) this.#updating.delete(run.id)
    })
  }

  /** Made for runs: a person's own working tree is never changed. */
  isOwn(cwd: string): boolean {
    return cwd.startsWith(worktreesDirectory(this.#options.dataDirectory) + sep)
  }

  /**
   * What the run starts from; null outside a repository. Computed once: the server's worktree does
   * not change until the run returns to it.
   */
  async sourceOf({ id, cwd, parent }: SourceRun): Promise<SourceParts | null> {
    const { store, bundles } = this.#options
    const file = join(runDirectory(this.#options.dataDirectory, id), 'origin.json')
    if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as SourceParts
    // A child run starts from what its parent started from.
    const names = store.isShared ? [id, ...(parent ? [parent.run] : [])] : []
    let source: SourceParts | null = null
    for (const name of names)
      source ??= ((await store.loadSnapshot(originKey(name)))?.state ?? null) as SourceParts | null
    source ??= await this.#make(id, cwd)
    if (source === null) return null
    // Here before it is named: workers read it in parts.
    for (const blob of [source.origin, source.mirror?.blob]) if (blob) await bundles.path(blob)
    writeFileSync(file, JSON.stringify(source), { mode: 0o600 })
    return source
  }

  async #make(id: string, cwd: string): Promise<SourceParts | null> {
    const { store, bundles } = this.#options
    if (!this.isOwn(cwd)) return null
    const git = new Git(cwd)
    const [base, branch] = [await git.head(), await git.branch()]
    if (base === null || branch === null) return null
    const parts = await bundleProject(git, { run: id, head: base, branch }, { store, bundles })
    const source: SourceParts = { ...parts, base, branch, identity: await identityOf(git) }
    if (store.isShared) await store.saveSnapshot(originKey(id), { version: 1, state: source })
    return source
  }

  /** Once for each state: a person may have changed the worktree since. */
  async #update({ id, cwd, saved }: RunState): Promise<void> {
    if (!saved || !this.isOwn(cwd) || !existsSync(cwd)) return
    const git = new Git(cwd)
    const [ref, home] = [`refs/signalbox/wip/${id}`, `refs/signalbox/home/${id}`]
    const { code, stdout } = await git.try(['rev-parse', '--verify', '--quiet', home])
    if (code === 0 && stdout.trim() === saved.wip) return
    const bundle = await this.#options.bundles.path(saved.blob)
    await git.run(['fetch', '--quiet', '--no-tags', bundle, `+${ref}:${ref}`])
    await git.run(['reset', '--quiet', '--hard', saved.head])
    await git.restoreTree(saved.wip)
    await git.run(['update-ref', home, saved.wip])
  }
}

/**
 * Gives what a run starts from to all servers, before the run exists: any of them may drive it, and
 * this one may be gone by then.
 */
export async function shareWorkspace(
  { store, home, env, clock }: StartContext,
  id: string,
  cwd: string,
): Promise<void> {
  if (!store.isShared) return
  const { dataDirectory } = home.settings
  const blobs = await openBlobs(home.loaded.config.blobs.url, { dataDirectory, env, store })
  const bundles = new WorkspaceBlobs({
    files: new BlobFiles(join(dataDirectory, 'blobs')),
    waitingDirectory: waitingDirectoryOf(dataDirectory),
    store,
    blobs,
    clock,
    // The server of this home sends it again, and reports it.
    onError: () => undefined,
  })
  await new WorkspaceSource({ dataDirectory, store, bundles }).sourceOf({ id, cwd })
}

function originKey(run: string): string {
  return `workspace/${run}`
}

async function identityOf(git: Git): Promise<SourceParts['identity']> {
  const read = async (key: string) => (await git.try(['config', key])).stdout.trim()
  return { name: (await read('user.name')) || 'Signalbox', email: (await read('user.email')) || 'signalbox@localhost' }
}
