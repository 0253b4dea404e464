import type { ComponentChildren } from 'preact'
import { useCallback, useMemo, useRef, useState } from 'preact/hooks'
import { announcement } from '../store/toasts'
import type { DiffLine } from './diff-lines'
import { SplitRow, UnifiedRow } from './diff-row'
import { DiffCount } from './diff-view'
import { inTreeOrder } from './file-tree'
import { FileTree } from './file-tree-view'
import { ImageChange, type ReadImage } from './image-change'
import { CommentEditor, CommentNote } from './line-comment-view'
import type { CommentStore } from './line-comments'
import { Revealed } from './styled-text'
import type { DiffFile, DiffHunk } from './unified-diff'
import { type CommentPosition, type Layout, longestLine, rowFrom, rowHeight, type ViewRow, viewRows } from './view-rows'
import { type RowsHandle, VirtualRows } from './virtual-rows'

interface ChangeViewerProps {
  files: readonly DiffFile[]
  label: string
  layout: Layout
  /** Allows comments on lines. */
  comments?: CommentStore | null
  /** The bytes of an image before and after. */
  readImage?: ReadImage | undefined
  fileTools?: ((file: DiffFile) => ComponentChildren) | undefined
  hunkTools?: ((file: DiffFile, hunk: DiffHunk) => ComponentChildren) | undefined
}

/** Generated files: people do not read them line by line, so they start closed. */
const GENERATED = /(^|\/)(package-lock\.json|npm-shrinkwrap\.json|[\w.-]+\.lock|pnpm-lock\.yaml|go\.sum)$|\.min\.\w+$/
/** The characters of one side, until the width of the page is known. */
const COLUMNS = 80

/** The changes of a session, run or pull request: tree of files, lines, comments, keys. */
export function ChangeViewer(props: ChangeViewerProps) {
  const { layout, comments = null, readImage, fileTools, hunkTools } = props
  const files = useMemo(() => inTreeOrder(props.files), [props.files])
  const [folded, setFolded] = useState<ReadonlySet<string>>(
    () => new Set(files.filter(({ name }) => GENERATED.test(name)).map(({ name }) => name)),
  )
  const [editing, setEditing] = useState<CommentPosition | null>(null)
  const [cursor, setCursor] = useState(-1)
  const handle = useRef<RowsHandle | null>(null)
  const collected = comments?.items.value ?? NO_COMMENTS
  const rows = useMemo(
    () => viewRows(files, { layout, folded, comments: collected, editing }),
    [files, layout, folded, collected, editing],
  )
  const columns = useMemo(() => (layout === 'unified' ? longestLine(files) : undefined), [files, layout])
  const estimate = useCallback((row: ViewRow) => rowHeight(row, COLUMNS), [])
  const fold = useCallback((name: string) => {
    setFolded(now => {
      const next = new Set(now)
      if (!next.delete(name)) next.add(name)
      return next
    })
  }, [])
  const comment = useCallback((file: DiffFile, line: DiffLine | null) => setEditing(positionOf(file, line)), [])
  const endEditing = useCallback(() => {
    setEditing(null)
    handle.current?.focus()
  }, [])

  const draw = useCallback(
    (row: ViewRow, index: number) => {
      const { file } = row
      const onLine = comments ? (line: DiffLine) => comment(file, line) : undefined
      switch (row.kind) {
        case 'file':
          return (
            <FileHead file={file} isFolded={folded.has(file.name)} onFold={() => fold(file.name)}>
              {comments && (
                <button type="button" class="btn quiet" onClick={() => comment(file, null)}>
                  Comment
                </button>
              )}
              {fileTools?.(file)}
            </FileHead>
          )
        case 'image':
          return (
            <div class="image-row" data-measured={index}>
              <ImageChange file={file} read={readImage} />
            </div>
          )
        case 'hunk':
          return (
            <div class="hunk">
              <span class="cut grow">{row.text}</span>
              {hunkTools?.(file, row.hunk)}
            </div>
          )
        case 'line':
          return <UnifiedRow line={row.line} file={file.name} onLine={onLine} />
        case 'pair':
          return (
            <div data-measured={index}>
              <SplitRow left={row.left} right={row.right} file={file.name} onLine={onLine} />
            </div>
          )
        case 'comment':
          return (
            <div class="note-row" data-measured={index}>
              <CommentNote comment={row.comment} store={comments!} />
            </div>
          )
        case 'editor':
          return (
            <div class="note-row" data-measured={index}>
              <CommentEditor
                position={row.position}
                onSave={text => {
                  comments!.add(row.position, text)
                  endEditing()
                }}
                onClose={endEditing}
              />
            </div>
          )
      }
    },
    [comments, folded, fileTools, hunkTools, readImage, fold, comment, endEditing],
  )

  const move = (to: number) => {
    setCursor(to)
    handle.current?.show(to, 'near')
    announcement.value = spoken(rows[to])
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return
    const from = Math.max(cursor, -1)
    const row = rows[cursor]
    const line = row && lineOf(row)
    const steps: Record<string, () => void> = {
      j: () => move(rowFrom(rows, from, 1, candidate => lineOf(candidate) !== null)),
      k: () => move(rowFrom(rows, from, -1, candidate => lineOf(candidate) !== null)),
      n: () => move(rowFrom(rows, from, 1, ({ kind }) => kind === 'hunk')),
      p: () => move(rowFrom(rows, from, -1, ({ kind }) => kind === 'hunk')),
      ']': () => move(rowFrom(rows, from, 1, ({ kind }) => kind === 'file')),
      '[': () => move(rowFrom(rows, from, -1, ({ kind }) => kind === 'file')),
      x: () => row && fold(row.file.name),
      ...(comments && line && { c: () => comment(row!.file, line) }),
    }
    const step = steps[event.key]
    if (!step || rows.length === 0) return
    event.preventDefault()
    step()
  }
  const showFile = (name: string) => {
    const index = rows.findIndex(row => row.kind === 'file' && row.file.name === name)
    handle.current?.show(index)
    setCursor(index)
    handle.current?.focus()
  }
  return (
    <div class="viewer">
      {files.length > 1 && <FileTree files={files} onPick={showFile} />}
      <div class={`viewer-main diff ${layout}`}>
        <VirtualRows
          rows={rows}
          label={props.label}
          draw={draw}
          estimate={estimate}
          cursor={cursor}
          handle={handle}
          columns={columns}
          head={first => {
            const row = rows[first]
            if (!row || row.kind === 'file') return null
            return <FileHead file={row.file} isFolded={false} onFold={() => fold(row.file.name)} />
          }}
          onKeyDown={onKeyDown}
        />
        <p class="viewer-keys tiny dim">
          <kbd>j</kbd> <kbd>k</kbd> line · <kbd>n</kbd> <kbd>p</kbd> change · <kbd>]</kbd> <kbd>[</kbd> file ·{' '}
          <kbd>x</kbd> fold
          {comments && (
            <>
              {' '}
              · <kbd>c</kbd> comment
            </>
          )}
        </p>
      </div>
    </div>
  )
}

const NO_COMMENTS: readonly never[] = []

function FileHead(props: { file: DiffFile; isFolded: boolean; onFold(): void; children?: ComponentChildren }) {
  const { file, isFolded } = props
  return (
    <header class="file-head">
      <button type="button" class="file-name" aria-expanded={!isFolded} onClick={props.onFold}>
        <span class="fold" aria-hidden="true" />
        <code class="cut">
          <Revealed text={file.name} />
        </code>
        {file.note && <span class="tiny dim">{file.note}</span>}
        <DiffCount added={file.added} removed={file.removed} />
      </button>
      {props.children && <span class="row">{props.children}</span>}
    </header>
  )
}

/** A line that can get a comment: of a pair, the one after the change. */
function lineOf(row: ViewRow): DiffLine | null {
  if (row.kind === 'line') return row.line
  return row.kind === 'pair' ? (row.right ?? row.left) : null
}

function positionOf(file: DiffFile, line: DiffLine | null): CommentPosition {
  const side = line?.kind === 'removed' ? 'before' : 'after'
  return { file: file.name, side, line: line?.[side] ?? null, code: line?.text ?? '' }
}

function spoken(row: ViewRow | undefined): string {
  if (!row) return ''
  if (row.kind === 'file') return `File ${row.file.name}`
  if (row.kind === 'hunk') return `Change, ${row.text}`
  const line = lineOf(row)
  return line ? `${line.kind === 'same' ? '' : `${line.kind}: `}${line.text}` : ''
}
