import { useState } from 'preact/hooks'
import { diffLayout } from '../store/prefs'
import type { DiffFile, DiffLine } from './diff-lines'
import { tokensOf } from './highlight'
import { imitation, Revealed, revealedStyles, type Style, StyledText } from './styled-text'

interface DiffViewProps {
  lines: readonly DiffLine[]
  /** Its name selects the colours of the code. */
  file?: string
  label?: string
  layout?: 'unified' | 'split'
  /** Makes the numbers of new lines buttons, for a comment on that line. */
  onLine?: ((line: DiffLine) => void) | undefined
}

const CLASS = { same: '', added: 'add', removed: 'cut-line', note: 'at' } as const
const SIGN = { same: ' ', added: '+', removed: '−', note: '' } as const

/** The one view of a diff: requests, sessions, runs, plans and answers of agents use it. */
export function DiffView({ lines, file = '', label, layout = 'unified', onLine }: DiffViewProps) {
  const name = label ?? (file === '' ? 'Diff' : `Diff of ${file}`)
  return (
    <div class={`diff ${layout}`} tabIndex={0} role="region" aria-label={name}>
      {layout === 'split'
        ? pairsOf(lines).map(([left, right], index) =>
            left?.kind === 'note' ? (
              <Row key={index} line={left} file={file} />
            ) : (
              <div key={index} class="pair">
                <Side line={left} side="before" file={file} />
                <Side line={right} side="after" file={file} onLine={onLine} />
              </div>
            ),
          )
        : lines.map((line, index) => <Row key={index} line={line} file={file} onLine={onLine} />)}
    </div>
  )
}

function Row({ line, file, onLine }: { line: DiffLine; file: string; onLine?: DiffViewProps['onLine'] }) {
  return (
    <div class={CLASS[line.kind]}>
      <span class="no">{line.before ?? ''}</span>
      <LineNumber line={line} onLine={onLine} />
      <span class="sign">{SIGN[line.kind]}</span>
      <LineText line={line} file={file} />
    </div>
  )
}

function Side(props: {
  line: DiffLine | null
  side: 'before' | 'after'
  file: string
  onLine?: DiffViewProps['onLine']
}) {
  const { line, side, file, onLine } = props
  if (!line) return <div class="side none" />
  return (
    <div class={`side ${CLASS[line.kind]}`}>
      {side === 'before' ? <span class="no">{line.before ?? ''}</span> : <LineNumber line={line} onLine={onLine} />}
      <span class="sign">{SIGN[line.kind]}</span>
      <LineText line={line} file={file} />
    </div>
  )
}

function LineNumber({ line, onLine }: { line: DiffLine; onLine?: DiffViewProps['onLine'] }) {
  if (!onLine || line.after === null) return <span class="no">{line.after ?? ''}</span>
  return (
    <button type="button" class="no" aria-label={`Comment on line ${line.after}`} onClick={() => onLine(line)}>
      {line.after}
    </button>
  )
}

function LineText({ line, file }: { line: DiffLine; file: string }) {
  if (line.text === '') return <span class="text"> </span>
  const marks = [...(line.imitations ?? []).map(imitation), ...revealedStyles(line.text)]
  // The digits of a mark are not code.
  const tokens = (line.kind === 'note' ? [] : tokensOf(line.text, file)).filter(
    ({ from, to }) => !marks.some(mark => mark.from <= from && mark.to >= to),
  )
  const styles: Style[] = [
    ...tokens.map(({ from, to, kind }) => ({ from, to, class: `tok-${kind}` })),
    ...line.changed.map(span => ({ ...span, class: 'changed' })),
    ...marks,
  ]
  return (
    <span class="text">
      <StyledText text={line.text} styles={styles} />
    </span>
  )
}

/** Removed lines beside the lines that replace them. */
function pairsOf(lines: readonly DiffLine[]): [DiffLine | null, DiffLine | null][] {
  const pairs: [DiffLine | null, DiffLine | null][] = []
  let removed: DiffLine[] = []
  let added: DiffLine[] = []
  const flush = () => {
    for (let index = 0; index < Math.max(removed.length, added.length); index++)
      pairs.push([removed[index] ?? null, added[index] ?? null])
    removed = []
    added = []
  }
  for (const line of lines) {
    if (line.kind === 'removed') removed.push(line)
    else if (line.kind === 'added') added.push(line)
    else {
      flush()
      pairs.push(line.kind === 'note' ? [line, null] : [line, line])
    }
  }
  flush()
  return pairs
}

/** A larger file is folded until it is opened. */
const OPEN_MAX = 400

interface DiffFilesProps {
  files: readonly DiffFile[]
  layout?: 'unified' | 'split'
  onLine?: ((file: DiffFile, line: DiffLine) => void) | undefined
  tools?: (file: DiffFile) => preact.ComponentChildren
}

/** The files of a change, each with its count of lines; large ones are folded. */
export function DiffFiles({ files, layout = diffLayout.value, onLine, tools }: DiffFilesProps) {
  return (
    <div class="diff-files">
      {files.map(file => (
        <FileDiff key={file.name} file={file} layout={layout} onLine={onLine} tools={tools?.(file)} />
      ))}
    </div>
  )
}

function FileDiff(props: {
  file: DiffFile
  layout: 'unified' | 'split'
  onLine?: DiffFilesProps['onLine']
  tools?: preact.ComponentChildren
}) {
  const { file, layout, onLine, tools } = props
  const [isOpen, setOpen] = useState(file.lines.length <= OPEN_MAX)
  return (
    <section class="diff-file" id={`file-${file.name}`} aria-label={file.name}>
      <header>
        <button type="button" class="diff-file-name" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <span class="fold" aria-hidden="true" />
          <code class="cut">
            <Revealed text={file.name} />
          </code>
          {file.note && <span class="tiny dim">{file.note}</span>}
          <DiffCount added={file.added} removed={file.removed} />
        </button>
        {tools}
      </header>
      {isOpen && file.lines.length > 0 && (
        <DiffView
          lines={file.lines}
          file={file.name}
          layout={layout}
          {...(onLine && { onLine: (line: DiffLine) => onLine(file, line) })}
        />
      )}
    </section>
  )
}

export function DiffCount({ added, removed }: { added: number; removed: number }) {
  return (
    <span class="diff-count tiny num">
      {added > 0 && <span class="plus">+{added}</span>}
      {removed > 0 && <span class="minus">−{removed}</span>}
    </span>
  )
}
