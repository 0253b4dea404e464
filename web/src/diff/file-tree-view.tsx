import { useMemo, useState } from 'preact/hooks'
import { DiffCount } from './diff-view'
import { treeLines } from './file-tree'
import { Revealed } from './styled-text'
import type { DiffFile } from './unified-diff'

const LETTER = { changed: 'M', added: 'A', deleted: 'D', renamed: 'R' } as const
const WORD = { changed: 'changed', added: 'new', deleted: 'deleted', renamed: 'renamed' } as const
/** From this many files on, they can be filtered. */
const FILTER_FROM = 12

/** The changed files as a tree; a press shows the file. */
export function FileTree({ files, onPick }: { files: readonly DiffFile[]; onPick(name: string): void }) {
  const [words, setWords] = useState('')
  const lines = useMemo(() => {
    const wanted = words.toLowerCase().split(/\s+/)
    return treeLines(files.filter(({ name }) => wanted.every(word => name.toLowerCase().includes(word))))
  }, [files, words])
  return (
    <nav class="viewer-tree small" aria-label="Changed files">
      {files.length >= FILTER_FROM && (
        <input
          class="input"
          type="search"
          placeholder="Filter files"
          aria-label="Filter files"
          value={words}
          onInput={event => setWords(event.currentTarget.value)}
        />
      )}
      <ul>
        {lines.map(({ label, depth, file }, index) => (
          <li key={index} style={{ paddingLeft: `${depth * 12}px` }}>
            {file ? (
              <button type="button" title={file.name} onClick={() => onPick(file.name)}>
                <span class={`file-kind ${file.kind}`} title={WORD[file.kind]}>
                  {LETTER[file.kind]}
                </span>
                <span class="cut grow">
                  <Revealed text={label} />
                </span>
                <DiffCount added={file.added} removed={file.removed} />
              </button>
            ) : (
              <span class="cut dim">{label}/</span>
            )}
          </li>
        ))}
      </ul>
    </nav>
  )
}
