import type { DiffLine } from './diff-lines'
import { LineText } from './line-text'

type Side = 'before' | 'after'

interface RowProps {
  line: DiffLine
  /** Its name selects the colours of the code. */
  file: string
  /** Makes the numbers buttons, for a comment on that line. */
  onLine?: ((line: DiffLine) => void) | undefined
}

const CLASS = { same: '', added: 'add', removed: 'cut-line', note: 'at' } as const

/** Signs and empty columns come from the style sheet: scrolling draws thousands of rows. */
export function UnifiedRow({ line, file, onLine }: RowProps) {
  const { kind } = line
  return (
    <div class={`diff-row ${CLASS[kind]}`}>
      {(kind === 'same' || kind === 'removed') && (
        <LineNumber line={line} side="before" onLine={kind === 'removed' ? onLine : undefined} />
      )}
      {(kind === 'same' || kind === 'added') && <LineNumber line={line} side="after" onLine={onLine} />}
      <LineText line={line} file={file} />
    </div>
  )
}

/** A removed line beside the line that replaces it. */
export function SplitRow(props: { left: DiffLine | null; right: DiffLine | null } & Pick<RowProps, 'file' | 'onLine'>) {
  return (
    <div class="pair">
      <Half {...props} line={props.left} side="before" />
      <Half {...props} line={props.right} side="after" />
    </div>
  )
}

function Half({ line, side, file, onLine }: Omit<RowProps, 'line'> & { line: DiffLine | null; side: Side }) {
  if (!line) return <div class="half none" />
  return (
    <div class={`half ${CLASS[line.kind]}`}>
      <LineNumber line={line} side={side} onLine={side === 'after' || line.kind === 'removed' ? onLine : undefined} />
      <LineText line={line} file={file} />
    </div>
  )
}

function LineNumber({ line, side, onLine }: Pick<RowProps, 'line' | 'onLine'> & { side: Side }) {
  const number = line[side]
  if (!onLine || number === null) return <span class="no">{number ?? ''}</span>
  return (
    <button
      type="button"
      class="no"
      tabIndex={-1}
      aria-label={`Comment on ${side === 'before' ? 'removed ' : ''}line ${number}`}
      onClick={() => onLine(line)}
    >
      {number}
    </button>
  )
}
