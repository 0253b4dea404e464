import { useEffect, useState } from 'preact/hooks'
import { plural } from '../api/format'
import type { Committed, Discarded, Session, SessionDiff } from '../api/types'
import { type DiffFile, type DiffLine, parseUnified } from '../diff/diff-lines'
import { DiffCount, DiffFiles } from '../diff/diff-view'
import { sendPrompt } from '../store/actions'
import { canDecide, onEvent } from '../store/live'
import { diffLayout } from '../store/prefs'
import { attempt, toast } from '../store/toasts'
import { ApiError, getJson, postJson } from '../transport/request'
import { askFirst } from '../ui/confirm'
import { NameDialog } from '../ui/name-dialog'
import { Empty, Problem, Skeleton } from '../ui/panel'
import { isLiveSession } from '../ui/status'
import { Segments } from '../ui/tabs'
import { useLoad } from '../ui/use-load'
import { isPhone } from '../ui/use-width'

interface CommentedLine {
  file: string
  line: number | null
  text: string
}

/** What the agent changed: files and diff, to commit, discard, or send back with a comment. */
export function SessionChanges({ session }: { session: Session }) {
  const [against, setAgainst] = useState<'start' | 'head'>('start')
  const [comment, setComment] = useState<CommentedLine | null>(null)
  const [isCommitting, setCommitting] = useState(false)
  const { value, error, reload } = useLoad(`${session.id} ${against}`, signal =>
    getJson<SessionDiff>(`/sessions/${session.id}/diff?against=${against}`, { signal }),
  )
  useEffect(
    () =>
      onEvent(({ type, subject }) => {
        if ((type === 'turn.closed' || type === 'approval.applied') && subject.includes(session.id)) reload()
      }),
    [session.id, reload],
  )
  if (!value) {
    if (error instanceof ApiError && error.code === 'E_STATE')
      return (
        <Empty title="No git repository">
          <p class="small">Changes are shown for sessions in a git repository.</p>
        </Empty>
      )
    return error ? <Problem error={error} retry={reload} /> : <Skeleton />
  }
  const files = parseUnified(value.diff)
  const uncommitted = new Set(value.uncommitted)
  const discard = async (names: readonly string[]) => {
    const isSure = await askFirst({
      title:
        names.length === 1 ? `Discard the changes of ${names[0]}?` : `Discard the changes of ${names.length} files?`,
      text: 'The files go back to the last commit, and new files are deleted. The state before is kept in git.',
      action: 'Discard',
    })
    if (!isSure) return
    const done = await attempt(() => postJson<Discarded>(`/sessions/${session.id}/discard`, { files: names }))
    if (done) toast('good', `${plural(done.files, 'file')} discarded`, `Kept as ${done.keptAs}`)
    reload()
  }
  const commit = async (message: string) => {
    setCommitting(false)
    const done = await attempt(() => postJson<Committed>(`/sessions/${session.id}/commit`, { message, files: [] }))
    if (done) toast('good', `Committed ${plural(done.files, 'file')}`, done.commit.slice(0, 10))
    reload()
  }
  const send = async (text: string) => {
    const { file, line, text: code } = comment!
    setComment(null)
    const place = line === null ? file : `${file}:${line}`
    const quoted = code.trim() === '' ? '' : `\n> ${code.trim()}`
    const sent = await attempt(() => sendPrompt(session.id, `About ${place}:${quoted}\n${text}`, 'after-turn'))
    if (sent) toast('good', 'Comment sent to the agent')
  }
  const isLive = isLiveSession(session)
  const commentOn = (file: DiffFile, line: DiffLine | null) =>
    setComment({ file: file.name, line: line?.after ?? null, text: line?.text ?? '' })
  return (
    <div class="changes">
      <div class="row wrap changes-head">
        <Segments<'start' | 'head'>
          label="Compare with"
          value={against}
          choices={[
            { value: 'start', label: 'Since the session started' },
            { value: 'head', label: 'Uncommitted' },
          ]}
          onChange={setAgainst}
        />
        <span class="small soft grow">
          {plural(files.length, 'file')}{' '}
          <DiffCount
            added={files.reduce((sum, { added }) => sum + added, 0)}
            removed={files.reduce((sum, { removed }) => sum + removed, 0)}
          />
          {value.isCut && ' · shortened'}
        </span>
        {!isPhone.value && (
          <Segments
            label="Layout"
            value={diffLayout.value}
            choices={[
              { value: 'unified', label: 'Unified' },
              { value: 'split', label: 'Side by side' },
            ]}
            onChange={next => (diffLayout.value = next)}
          />
        )}
        <button
          type="button"
          class="btn"
          disabled={!canDecide.value || uncommitted.size === 0}
          onClick={() => void discard(value.uncommitted)}
        >
          Discard all…
        </button>
        <button
          type="button"
          class="btn solid"
          disabled={!canDecide.value || uncommitted.size === 0}
          onClick={() => setCommitting(true)}
        >
          Commit…
        </button>
      </div>
      {value.hidden.length > 0 && (
        <p class="small">
          Not shown, because files with these names usually hold credentials: {value.hidden.join(', ')}
        </p>
      )}
      {files.length === 0 ? (
        <Empty title={against === 'head' ? 'No uncommitted changes' : 'No changes since the session started'} />
      ) : (
        <div class="changes-body">
          <ul class="changes-files small" aria-label="Changed files">
            {files.map(file => (
              <li key={file.name}>
                <button
                  type="button"
                  class="cut"
                  title={file.name}
                  onClick={() => document.getElementById(`file-${file.name}`)?.scrollIntoView({ block: 'start' })}
                >
                  {file.name}
                </button>
                <DiffCount added={file.added} removed={file.removed} />
              </li>
            ))}
          </ul>
          <DiffFiles
            files={files}
            layout={isPhone.value ? 'unified' : diffLayout.value}
            onLine={isLive && canDecide.value ? commentOn : undefined}
            tools={file => (
              <span class="row">
                {isLive && (
                  <button
                    type="button"
                    class="btn quiet"
                    disabled={!canDecide.value}
                    onClick={() => commentOn(file, null)}
                  >
                    Comment
                  </button>
                )}
                {uncommitted.has(file.name) && (
                  <button
                    type="button"
                    class="btn quiet"
                    disabled={!canDecide.value}
                    onClick={() => void discard([file.name])}
                  >
                    Discard
                  </button>
                )}
              </span>
            )}
          />
        </div>
      )}
      {comment && (
        <NameDialog
          title={`Comment on ${comment.file}${comment.line === null ? '' : `, line ${comment.line}`}`}
          label="What should the agent change?"
          action="Send to the agent"
          maxLength={4_000}
          isLong
          onName={text => void send(text)}
          onClose={() => setComment(null)}
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
    </div>
  )
}
