import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { SignalboxError } from '../../errors/index.js'
import { Git } from '../../git/index.js'
import { executableHashes } from '../../trust/index.js'
import {
  BLOB_PART,
  type BlobFiles,
  type SavedWorkspace,
  type ServerPort,
  type StepNeeds,
  type WorkspaceNeeds,
  type WorkspacePort,
} from '../../workers/index.js'
import { ProjectMirrors } from './project-mirrors.js'

/** What the worker last knew of a workspace: kept beside it. */
interface WorkspaceState {
  epoch: number
  saved: SavedWorkspace | null
  /** A later attempt to save it failed: the server has noted that, and must get what is there. */
  isBehind?: boolean
}

export interface WorkerWorkspacesOptions {
  dataDirectory: string
  blobs: BlobFiles
  server: ServerPort
}

/**
 * The workspaces of runs on a worker: repositories of their own, made from what the run started
 * from and what the last worker saved. Paths of the server in the state of a run are replaced by
 * the ones here, and back in what is reported.
 */
export class WorkerWorkspaces implements WorkspacePort {
  readonly #options: WorkerWorkspacesOptions
  readonly #mirrors: ProjectMirrors
  readonly #making = new Map<string, Promise<void>>()

  constructor(options: WorkerWorkspacesOptions) {
    this.#options = options
    this.#mirrors = new ProjectMirrors({
      directory: join(options.dataDirectory, 'mirrors'),
      fetch: (run, blob) => this.#fetch(run, blob),
    })
  }

  async prepare(run: string, needs: StepNeeds): Promise<StepNeeds> {
    const { workspace, cwd, executable } = needs
    if (!workspace) {
      this.#checkOnce(run, needs)
      return needs
    }
    const making = (this.#making.get(run) ?? Promise.resolve()).then(() => this.#make(run, cwd, workspace, executable))
    this.#making.set(
      run,
      making.catch(() => undefined),
    )
    await making
    return replacePath(needs, cwd, this.#path(run, cwd))
  }

  withServerPaths<T>(run: string, { workspace, cwd }: StepNeeds, report: T): T {
    return workspace ? replacePath(report, this.#path(run, cwd), cwd) : report
  }

  async save(run: string, { workspace, cwd }: StepNeeds): Promise<SavedWorkspace | null> {
    if (!workspace) return null
    const path = this.#path(run, cwd)
    const known = readState(path)
    try {
      return await this.#save(run, path, workspace, known)
    } catch (error) {
      writeState(path, { epoch: workspace.epoch, saved: known?.saved ?? null, isBehind: true })
      throw error
    }
  }

  async #save(
    run: string,
    path: string,
    workspace: WorkspaceNeeds,
    known: WorkspaceState | null,
  ): Promise<SavedWorkspace | null> {
    const git = new Git(path)
    const [head, tree] = [(await git.head())!, await git.treeHash()]
    const before = known?.saved ?? { head: workspace.base, wip: workspace.base }
    if (!known?.isBehind && before.head === head && (await treeOf(git, before.wip)) === tree) return null
    const ref = unsavedRef(run)
    await git.saveTree(tree, ref, `workspace of ${run}`)
    const wip = (await git.run(['rev-parse', ref])).trim()
    const { blobs } = this.#options
    const draft = blobs.draft(run)
    await git.run(['bundle', 'create', '--quiet', draft, ref, '--branches', `^${workspace.base}`])
    const blob = blobs.keep(draft)
    await this.#upload(run, blob)
    const saved = { head, wip, blob }
    writeState(path, { epoch: workspace.epoch, saved })
    return saved
  }

  /** Makes it, unless this worker has it since it got the run. */
  async #make(
    run: string,
    cwd: string,
    { mirror, origin, branch, base, saved, epoch, identity }: WorkspaceNeeds,
    executable: StepNeeds['executable'],
  ): Promise<void> {
    const path = this.#path(run, cwd)
    if (readState(path)?.epoch === epoch) return
    moveAside(path)
    mkdirSync(path, { recursive: true, mode: 0o700 })
    const git = new Git(path)
    await git.run(['init', '--quiet', '--initial-branch', branch])
    await git.run(['config', 'user.name', identity.name])
    await git.run(['config', 'user.email', identity.email])
    if (mirror) await this.#mirrors.fetchInto(git, run, mirror)
    if (origin !== null) {
      const ref = `refs/heads/${branch}:refs/heads/${branch}`
      await git.run(['fetch', '--quiet', '--update-head-ok', await this.#fetch(run, origin), ref])
    }
    if (saved) {
      const refs = [`+refs/heads/*:refs/heads/*`, `+${unsavedRef(run)}:${unsavedRef(run)}`]
      await git.run(['fetch', '--quiet', '--update-head-ok', await this.#fetch(run, saved.blob), ...refs])
    }
    // Before the files of the run itself, which may change what a person trusted.
    await git.run(['reset', '--quiet', '--hard', base])
    if (executable) this.#requireTrusted(path, executable)
    if (saved) {
      await git.run(['reset', '--quiet', '--hard', saved.head])
      await git.restoreTree(saved.wip)
    }
    writeState(path, { epoch, saved })
  }

  /** Nothing of the run is there yet: a copy that is not trusted does not stay. */
  #requireTrusted(path: string, executable: Readonly<Record<string, string>>): void {
    try {
      requireTrusted(path, executable)
    } catch (error) {
      rmSync(path, { recursive: true, force: true })
      throw error
    }
  }

  /**
   * A directory without git is checked when the run gets here: its own steps may change it then.
   */
  #checkOnce(run: string, { cwd, executable, epoch = 1 }: StepNeeds): void {
    const file = join(this.#options.dataDirectory, 'workspaces', run, `checked-${epoch}`)
    if (!executable || existsSync(file)) return
    requireTrusted(cwd, executable)
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    writeFileSync(file, '', { mode: 0o600 })
  }

  /** The path of a blob on this machine. */
  async #fetch(run: string, blob: string): Promise<string> {
    const { blobs, server } = this.#options
    if (blobs.has(blob)) return blobs.path(blob)
    const draft = blobs.draft(`${run}-${blob.slice(0, 12)}`)
    for (let offset = 0; ; ) {
      const part = Buffer.from((await server.call('blob.read', { run, blob, offset })) as string, 'base64')
      blobs.write(draft, offset, part)
      offset += part.length
      if (part.length < BLOB_PART) break
    }
    blobs.keep(draft, blob)
    return blobs.path(blob)
  }

  async #upload(run: string, blob: string): Promise<void> {
    const { blobs, server } = this.#options
    for (let offset = 0; ; ) {
      const part = blobs.read(blob, offset)
      const isLast = part.length < BLOB_PART
      await server.call('blob.write', { run, blob, offset, data: part.toString('base64'), isLast })
      offset += part.length
      if (isLast) return
    }
  }

  /** Two runs of one project have different directories. */
  #path(run: string, cwd: string): string {
    const name = createHash('sha256').update(cwd).digest('hex').slice(0, 8)
    return join(this.#options.dataDirectory, 'workspaces', run, `${basename(dirname(cwd))}-${name}`)
  }
}

/**
 * Nothing of a project runs here unless it is what a person trusted when the run was started.
 * @throws SignalboxError `E_UNTRUSTED`
 */
function requireTrusted(directory: string, trusted: Readonly<Record<string, string>>): void {
  const found = executableHashes(directory, Object.keys(trusted))
  const names = [...new Set([...Object.keys(trusted), ...Object.keys(found)])]
  const different = names.filter(name => found[name] !== trusted[name])
  if (different.length === 0) return
  throw new SignalboxError(
    'E_UNTRUSTED',
    `nothing of ${directory} was run on this worker: its files differ from the trusted ones (${different.slice(0, 5).join(', ')})`,
    { next: 'make them the same on this worker, then resume the run', details: { different } },
  )
}

/** In every string, also inside texts: agents and tools mention paths. */
function replacePath<T>(value: T, from: string, to: string): T {
  const inText = (path: string) => JSON.stringify(path).slice(1, -1)
  return JSON.parse(JSON.stringify(value).replaceAll(inText(from), inText(to))) as T
}

function unsavedRef(run: string): string {
  return `refs/signalbox/wip/${run}`
}

async function treeOf(git: Git, commit: string): Promise<string> {
  return (await git.run(['rev-parse', `${commit}^{tree}`])).trim()
}

/** An earlier workspace is never deleted: it may have changes that were not saved. */
function moveAside(path: string): void {
  if (!existsSync(path)) return
  for (let n = 1; ; n++) {
    const aside = `${path}.old-${n}`
    if (existsSync(aside)) continue
    renameSync(path, aside)
    rmSync(stateFile(path), { force: true })
    return
  }
}

function stateFile(path: string): string {
  return `${path}.json`
}

function readState(path: string): WorkspaceState | null {
  if (!existsSync(path)) return null
  try {
    return JSON.parse(readFileSync(stateFile(path), 'utf8')) as WorkspaceState
  } catch {
    return null
  }
}

function writeState(path: string, state: WorkspaceState): void {
  writeFileSync(stateFile(path), JSON.stringify(state), { mode: 0o600 })
}
