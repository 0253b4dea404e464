import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Git } from '../../git/index.js'
import type { ProjectMirror } from '../../workers/index.js'

const BASE = 'refs/heads/base'
/** Where a workspace has the mirrored commit; the branch of the run is made from it. */
const BASE_HERE = 'refs/signalbox/base'

export interface ProjectMirrorsOptions {
  directory: string
  /** The path of a blob on this machine. */
  fetch(run: string, blob: string): Promise<string>
}

/**
 * Bare repositories of projects on a worker: the history of a project is transferred once, and each
 * further run brings only its new commits. A mirror is a cache; without it everything is
 * transferred again.
 */
export class ProjectMirrors {
  readonly #options: ProjectMirrorsOptions
  /** One after the other, per project. */
  readonly #working = new Map<string, Promise<unknown>>()

  constructor(options: ProjectMirrorsOptions) {
    this.#options = options
  }

  /** Fetches the mirrored commit into a repository. */
  async fetchInto(git: Git, run: string, mirror: ProjectMirror): Promise<void> {
    const { project } = mirror
    const before = this.#working.get(project) ?? Promise.resolve()
    const working = before.catch(() => undefined).then(() => this.#fetchInto(git, run, mirror))
    this.#working.set(project, working)
    await working
  }

  async #fetchInto(git: Git, run: string, mirror: ProjectMirror): Promise<void> {
    const path = join(this.#options.directory, `${mirror.project}.git`)
    const take = async () => {
      await this.#bringUp(path, run, mirror)
      await git.run(['fetch', '--quiet', '--no-tags', path, `+${BASE}:${BASE_HERE}`])
    }
    try {
      await take()
    } catch {
      // Damaged, for example by a full disk.
      rmSync(path, { recursive: true, force: true })
      await take()
    }
  }

  async #bringUp(path: string, run: string, { commit, blob }: ProjectMirror): Promise<void> {
    if (!existsSync(path)) {
      mkdirSync(path, { recursive: true, mode: 0o700 })
      await new Git(path).run(['init', '--quiet', '--bare'])
    }
    const mirror = new Git(path)
    const { code } = await mirror.try(['merge-base', '--is-ancestor', commit, BASE])
    if (code === 0) return
    const bundle = await this.#options.fetch(run, blob)
    await mirror.run(['fetch', '--quiet', '--no-tags', bundle, `+HEAD:${BASE}`])
    // The mirror has its content now.
    rmSync(bundle, { force: true })
  }
}
