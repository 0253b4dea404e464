import type { RunDiff as RunDiffBody } from '../api/types'
import { parseUnified } from '../diff/diff-lines'
import { DiffFiles } from '../diff/diff-view'
import { setQuery } from '../store/router'
import { ApiError, getJson } from '../transport/request'
import { Empty, Problem, Skeleton } from '../ui/panel'
import { useLoad } from '../ui/use-load'

/** The changes of the run, or of one of its nodes, in the repository. */
export function RunDiff({ run, node, version }: { run: string; node: string | null; version: number }) {
  const query = node === null ? '' : `?node=${encodeURIComponent(node)}`
  const { value, error, reload } = useLoad(`${run}${query}#${version}`, signal =>
    getJson<RunDiffBody>(`/runs/${run}/diff${query}`, { signal }),
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
  const files = parseUnified(value.diff)
  if (files.length === 0 && value.hidden.length === 0)
    return (
      <div class="pad">
        <Empty title="No changes" />
      </div>
    )
  return (
    <div class="stack wide pad">
      <p class="small dim">
        {files.length} {files.length === 1 ? 'file' : 'files'} · <code>{value.from?.slice(0, 10) ?? 'start'}</code> →{' '}
        <code>{value.to?.slice(0, 10) ?? 'working tree'}</code>
        {value.isCut && ' · shortened'}
      </p>
      {value.hidden.length > 0 && (
        <p class="small">
          Not shown, because files with these names usually hold credentials: {value.hidden.join(', ')}
        </p>
      )}
      <DiffFiles files={files} />
    </div>
  )
}
