import { useCallback, useEffect, useMemo, useState } from 'preact/hooks'
import { plural } from '../api/format'
import type { Committed, Discarded, Session, SessionDiff } from '../api/types'
import { ChangeViewer } from '../diff/change-viewer'
import { CommentBar } from '../diff/comment-bar'
import { commentsOn } from '../diff/line-comments'
import { type DiffFile, type DiffHunk, parseUnified } from '../diff/unified-diff'
import { HiddenFiles, imageBlob, shownLayout, ViewerBar } from '../diff/viewer-bar'
import { OpenPullDialog } from '../pull/open-pull'
import { sendPrompt } from '../store/actions'
import { canDecide, onEvent } from '../store/live'
import { ignoresSpace } from '../store/prefs'
import { attempt, toast } from '../store/toasts'
import { ApiError, getJson, postJson, request } from '../transport/request'
import { askFirst } from '../ui/confirm'
import { NameDialog } from '../ui/name-dialog'
import { Empty, Problem, Skeleton } from '../ui/panel'
import { isLiveSession } from '../ui/status'
import { Segments } from '../ui/tabs'
import { useLoad } from '../ui/use-load'
import { DesignBar } from './design-bar'
import { noteGitChange } from './git-line'

type Against = 'start' | 'head'

/** What the agent changed: to read, comment, commit, discard, or open a pull request for. */
export function SessionChanges({ session }: { session: Session }) {
  const [against, setAgainst] = useState<Against>('start')
  const [isCommitting, setCommitting] = useState(false)
  const [isPublishing, setPublishing] = useState(false)
  const space = ignoresSpace.value ? 'ignore' : 'show'
  const { value, error, reload } = useLoad(`${session.id} ${against} ${space}`, signal =>
    getJson<SessionDiff>(`/sessions/${session.id}/diff?against=${against}&space=${space}`, { signal }),
  )
  useEffect(
    () =>
      onEvent(({ type, subject }) => {
        if ((type === 'turn.closed' || type === 'approval.applied') && subject.includes(session.id)) reload()
      }),
    [session.id, reload],
  )
  const files = useMemo(() => parseUnified(value?.diff ?? ''), [value?.diff])
  const comments = useMemo(() => commentsOn(session.id), [session.id])
  const uncommitted = useMemo(() => new Set(value?.uncommitted ?? []), [value])
  const from = value?.from ?? null
  const readImage = useCallback(
    async (file: DiffFile, side: 'before' | 'after', signal: AbortSignal) => {
      const path = side === 'before' ? file.oldName : file.name
      const commit = side === 'before' && from !== null ? `&commit=${from}` : ''
      const address = `/sessions/${session.id}/image?path=${encodeURIComponent(path)}${commit}`
      return imageBlob(path, await request(address, { signal }))
    },
    [session.id, from],
  )
  const changed = () => {
    reload()
    noteGitChange()
  }
  const discard = async (what: string, body: object) => {
    const isSure = await askFirst({
      title: `Discard ${what}?`,
      text: 'The files go back to the last commit, and new files are deleted. The state before is kept in git.',
      action: 'Discard',
    })
    if (!isSure) return
    const done = await attempt(() => postJson<Discarded>(`/sessions/${session.id}/discard`, body))
    if (done) toast('good', `Discarded ${what}`, `Kept as ${done.keptAs}`)
    changed()
  }
  const mayDecide = canDecide.value
  const fileTools = useCallback(
    (file: DiffFile) =>
      uncommitted.has(file.name) && (
        <button
          type="button"
          class="btn quiet"
          disabled={!mayDecide}
          onClick={() => void discard(`the changes of ${file.name}`, { files: [file.name] })}
        >
          Discard
        </button>
      ),
    [uncommitted, mayDecide],
  )
  const hunkTools = useCallback(
    ({ name }: DiffFile, { header, raw }: DiffHunk) => (
      <button
        type="button"
        class="btn quiet"
        disabled={!mayDecide}
        onClick={() => void discard(`this part of ${name}`, { hunk: { file: name, header, lines: raw } })}
      >
        Discard part
      </button>
    ),
    [mayDecide],
  )
  const commit = async (message: string) => {
    setCommitting(false)
    const done = await attempt(() => postJson<Committed>(`/sessions/${session.id}/commit`, { message, files: [] }))
    if (done) toast('good', `Committed ${plural(done.files, 'file')}`, done.commit.slice(0, 10))
    changed()
  }
  if (!value) {
    if (error instanceof ApiError && error.code === 'E_STATE')
      return (
        <Empty title="No git repository">
          <p class="small">Changes are shown for sessions in a git repository.</p>
        </Empty>
      )
    return error ? <Problem error={error} retry={reload} /> : <Skeleton />
  }
  // Only these parts are those that git compares with the last commit.
  const hasHunkTools = against === 'head' && space === 'show'
  return (
    <div class="changes">
      <div class="row wrap changes-head">
        <Segments<Against>
          label="Compare with"
          value={against}
          choices={[
            { value: 'start', label: 'Since the session started' },
            { value: 'head', label: 'Uncommitted' },
          ]}
          onChange={setAgainst}
        />
        <ViewerBar files={files} isCut={value.isCut} />
        <span class="row changes-acts">
          <button
            type="button"
            class="btn"
            disabled={!mayDecide || uncommitted.size === 0}
            onClick={() =>
              void discard(`the changes of ${plural(uncommitted.size, 'file')}`, { files: value.uncommitted })
            }
          >
            Discard all…
          </button>
          <button
            type="button"
            class="btn"
            disabled={!mayDecide || uncommitted.size === 0}
            onClick={() => setCommitting(true)}
          >
            Commit…
          </button>
          <button type="button" class="btn" disabled={!mayDecide} onClick={() => setPublishing(true)}>
            Pull request…
          </button>
        </span>
      </div>
      <DesignBar session={session} files={files} />
      <HiddenFiles names={value.hidden} />
      <CommentBar
        comments={comments}
        project={session.cwd}
        agent={session.agent}
        {...(isLiveSession(session) && { send: (text: string) => sendPrompt(session.id, text, 'after-turn') })}
      />
      {files.length === 0 ? (
        <Empty title={against === 'head' ? 'No uncommitted changes' : 'No changes since the session started'} />
      ) : (
        <ChangeViewer
          files={files}
          label="Changes"
          layout={shownLayout()}
          comments={mayDecide ? comments : null}
          readImage={readImage}
          fileTools={fileTools}
          hunkTools={hasHunkTools ? hunkTools : undefined}
        />
      )}
      {isCommitting && (
        <NameDialog
          title={`Commit ${plural(uncommitted.size, 'file')}`}
          label="Message"
          name={session.title ?? ''}
          action="Commit"
          maxLength={4_000}
          isLong
          onName={message => void commit(message)}
          onClose={() => setCommitting(false)}
        />
      )}
      {isPublishing && (
        <OpenPullDialog
          project={session.cwd}
          source={{ branch: 'HEAD' }}
          agent={session.agent}
          isDirty={uncommitted.size > 0}
          onClose={() => setPublishing(false)}
        />
      )}
    </div>
  )
}
