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
const SIGN = { same: ' ', added: '+', removed: '−', note: '' } as const

export function UnifiedRow({ line, file, onLine }: RowProps) {
  return (
    <div class={`diff-row ${CLASS[line.kind]}`}>
      <LineNumber line={line} side="before" onLine={line.kind === 'removed' ? onLine : undefined} />
      <LineNumber line={line} side="after" onLine={onLine} />
      <span class="sign">{SIGN[line.kind]}</span>
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
  if (!line) return <div class="side none" />
  return (
    <div class={`side ${CLASS[line.kind]}`}>
      <LineNumber line={line} side={side} onLine={side === 'after' || line.kind === 'removed' ? onLine : undefined} />
      <span class="sign">{SIGN[line.kind]}</span>
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
