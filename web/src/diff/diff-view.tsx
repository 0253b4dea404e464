import type { DiffLine } from './diff-lines'
import { UnifiedRow } from './diff-row'

/** A short diff, all of it: in requests, plans and answers. `ChangeViewer` shows long ones. */
export function DiffView({ lines, file = '' }: { lines: readonly DiffLine[]; file?: string }) {
  return (
    <div class="diff unified" tabIndex={0} role="region" aria-label={file === '' ? 'Diff' : `Diff of ${file}`}>
      {lines.map((line, index) => (
        <UnifiedRow key={index} line={line} file={file} />
      ))}
    </div>
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
