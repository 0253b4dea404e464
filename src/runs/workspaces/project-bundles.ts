import { createHash } from 'node:crypto'
import { statSync } from 'node:fs'
import type { Git } from '../../git/index.js'
import type { EventStore } from '../../store/index.js'
import type { ProjectMirror } from '../../workers/index.js'
import type { WorkspaceBlobs } from './workspace-blobs.js'

/** A run whose new commits are larger than this, and than a quarter of the history, renews it. */
const NEW_COMMITS_MAX = 1_000_000

interface KnownMirror extends ProjectMirror {
  bytes: number
}

/** What a run starts from: a mirrored commit, and a bundle of the commits after it. */
export interface ProjectBundles {
  mirror: ProjectMirror
  /** Null if there are none. */
  origin: string | null
}

/**
 * Bundles what a run starts from in two parts. The history of the project is one bundle for all
 * runs, which workers fetch once into their mirrors; the commits after it are small.
 */
export async function bundleProject(
  git: Git,
  { run, head, branch }: { run: string; head: string; branch: string },
  { store, bundles }: { store: EventStore; bundles: WorkspaceBlobs },
): Promise<ProjectBundles> {
  const roots = await git.run(['rev-list', '--max-parents=0', head])
  const project = `prj_${createHash('sha256').update(roots.trim().split('\n').sort().join()).digest('hex').slice(0, 16)}`
  const key = `mirror/${project}`
  const known = ((await store.loadSnapshot(key))?.state ?? null) as KnownMirror | null
  if (known && (await isUsable(git, known, head, bundles))) {
    const { bytes, ...mirror } = known
    if (known.commit === head) return { mirror, origin: null }
    const draft = bundles.files.draft(run)
    await git.run(['bundle', 'create', '--quiet', draft, `refs/heads/${branch}`, `^${known.commit}`])
    if (statSync(draft).size <= Math.max(NEW_COMMITS_MAX, bytes / 4)) {
      const origin = bundles.files.keep(draft)
      await bundles.share(origin)
      return { mirror, origin }
    }
  }
  const draft = bundles.files.draft(run)
  await git.run(['bundle', 'create', '--quiet', draft, 'HEAD'])
  const bytes = statSync(draft).size
  const mirror: ProjectMirror = { project, commit: head, blob: bundles.files.keep(draft) }
  await bundles.share(mirror.blob)
  await store.saveSnapshot(key, { version: 1, state: { ...mirror, bytes } satisfies KnownMirror })
  return { mirror, origin: null }
}

async function isUsable(
  git: Git,
  { commit, blob }: KnownMirror,
  head: string,
  bundles: WorkspaceBlobs,
): Promise<boolean> {
  if ((await git.try(['merge-base', '--is-ancestor', commit, head])).code !== 0) return false
  return bundles.path(blob).then(
    () => true,
    () => false,
  )
}
