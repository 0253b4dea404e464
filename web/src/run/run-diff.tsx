import { useCallback, useMemo, useState } from 'preact/hooks'
import { isOpenRun } from '../../../src/text/needs-you'
import type { Run, RunDiff as RunDiffBody } from '../api/types'
import { ChangeViewer } from '../diff/change-viewer'
import { CommentBar } from '../diff/comment-bar'
import { commentsOn } from '../diff/line-comments'
import { type DiffFile, parseUnified } from '../diff/unified-diff'
import { HiddenFiles, imageBlob, shownLayout, ViewerBar } from '../diff/viewer-bar'
import { OpenPullDialog } from '../pull/open-pull'
import { canDecide } from '../store/live'
import { ignoresSpace } from '../store/prefs'
import { setQuery } from '../store/router'
import { ApiError, getJson, request } from '../transport/request'
import { Empty, Problem, Skeleton } from '../ui/panel'
import { useLoad } from '../ui/use-load'

interface RunDiffProps {
  run: Run
  node?: string | null
  /** Between two commits, instead of the changes of a node. */
  from?: string
  to?: string
}

/** The changes of the run, of one of its nodes, or between two commits, in the repository. */
export function RunDiff({ run, node = null, from, to }: RunDiffProps) {
  const [isPublishing, setPublishing] = useState(false)
  const query = new URLSearchParams({
    space: ignoresSpace.value ? 'ignore' : 'show',
    ...(node !== null && { node }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
  })
  const { value, error, reload } = useLoad(
    `${run.id} ${query}`,
    signal => getJson<RunDiffBody>(`/runs/${run.id}/diff?${query}`, { signal }),
    run.version,
  )
  const files = useMemo(() => parseUnified(value?.diff ?? ''), [value?.diff])
  const comments = useMemo(() => commentsOn(run.id), [run.id])
  const before = value?.from ?? null
  const after = value?.to ?? null
  const readImage = useCallback(
    async (file: DiffFile, side: 'before' | 'after', signal: AbortSignal) => {
      const [path, commit] = side === 'before' ? [file.oldName, before] : [file.name, after]
      const address = `/runs/${run.id}/image?path=${encodeURIComponent(path)}${commit ? `&commit=${commit}` : ''}`
      return imageBlob(path, await request(address, { signal }))
    },
    [run.id, before, after],
  )
  if (!value && node !== null && error instanceof ApiError && error.code === 'E_UNKNOWN')
    return (
      <div class="pad">
        <Empty title="This node has no commit">
          <button type="button" class="btn" onClick={() => setQuery({ node: null, visit: null })}>
            Show the changes of the whole run
          </button>
        </Empty>
      </div>
    )
  if (!value) return <div class="pad">{error ? <Problem error={error} retry={reload} /> : <Skeleton />}</div>
  if (files.length === 0 && value.hidden.length === 0)
    return (
      <div class="pad">
        <Empty title="No changes" />
      </div>
    )
  const pipeline = run.labels.pipeline
  const hasBranch = !isOpenRun(run) && (pipeline === 'implementation' || pipeline === 'review')
  return (
    <div class="changes pad">
      <div class="row wrap changes-head">
        <span class="small dim">
          <code>{value.from?.slice(0, 10) ?? 'start'}</code> → <code>{value.to?.slice(0, 10) ?? 'working tree'}</code>
        </span>
        <ViewerBar files={files} isCut={value.isCut} />
        {hasBranch && (
          <button type="button" class="btn" disabled={!canDecide.value} onClick={() => setPublishing(true)}>
            Pull request…
          </button>
        )}
      </div>
      <HiddenFiles names={value.hidden} />
      <CommentBar comments={comments} project={run.project} run={run.id} />
      <ChangeViewer
        files={files}
        label="Changes"
        layout={shownLayout()}
        comments={canDecide.value && hasBranch ? comments : null}
        readImage={readImage}
      />
      {isPublishing && (
        <OpenPullDialog project={run.project} source={{ run: run.id }} onClose={() => setPublishing(false)} />
      )}
    </div>
  )
}
