import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import type { RunState } from '../../engine/index.js'
import { Git } from '../../git/index.js'
import type { BlobFiles, WorkspaceNeeds } from '../../workers/index.js'
import { runDirectory } from '../run-directory.js'

type Origin = Pick<WorkspaceNeeds, 'origin' | 'base' | 'branch' | 'identity'>

export interface OriginOptions {
  dataDirectory: string
  blobs: BlobFiles
}

/** The server's side of workspaces on workers: what a run starts from, and what comes back. */
export class WorkspaceOrigin {
  readonly #options: OriginOptions

  constructor(options: OriginOptions) {
    this.#options = options
  }

  /** Null for a run outside a repository: it works in a directory that both machines have. */
  async needsOf(run: RunState): Promise<WorkspaceNeeds | null> {
    const origin = await this.#originOf(run)
    return origin && { ...origin, saved: run.saved, epoch: run.placed?.epoch ?? 1 }
  }

  /** Whether a worker that has the run may read this blob. */
  async mayRead(run: RunState, blob: string): Promise<boolean> {
    return blob === run.saved?.blob || blob === (await this.#originOf(run))?.origin
  }

  /** Brings what a worker saved into the run's worktree on this machine. */
  async bringHome({ id, cwd, saved }: RunState): Promise<void> {
    if (!saved || !this.#isOwn(cwd) || !existsSync(cwd)) return
    const git = new Git(cwd)
    const ref = `refs/signalbox/wip/${id}`
    await git.run(['fetch', '--quiet', '--no-tags', this.#options.blobs.path(saved.blob), `+${ref}:${ref}`])
    await git.run(['reset', '--quiet', '--hard', saved.head])
    await git.restoreTree(saved.wip)
  }

  /** Made for runs: a person's own working tree is never changed. */
  #isOwn(cwd: string): boolean {
    return cwd.startsWith(join(this.#options.dataDirectory, 'worktrees') + sep)
  }

  /** Made once: the worktree of the server is as the run found it until it comes back. */
  async #originOf({ id, cwd }: RunState): Promise<Origin | null> {
    const file = join(runDirectory(this.#options.dataDirectory, id), 'origin.json')
    if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as Origin
    if (!this.#isOwn(cwd)) return null
    const git = new Git(cwd)
    const [base, branch] = [await git.head(), await git.branch()]
    if (base === null || branch === null) return null
    const { blobs } = this.#options
    const draft = blobs.draft(id)
    await git.run(['bundle', 'create', '--quiet', draft, `refs/heads/${branch}`])
    const origin: Origin = { origin: blobs.keep(draft), base, branch, identity: await identityOf(git) }
    writeFileSync(file, JSON.stringify(origin), { mode: 0o600 })
    return origin
  }
}

async function identityOf(git: Git): Promise<Origin['identity']> {
  const read = async (key: string) => (await git.try(['config', key])).stdout.trim()
  return { name: (await read('user.name')) || 'Signalbox', email: (await read('user.email')) || 'signalbox@localhost' }
}
