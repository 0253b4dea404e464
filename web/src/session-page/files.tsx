import { useState } from 'preact/hooks'
import { baseName, formatBytes } from '../api/format'
import type { FileTree, Session } from '../api/types'
import { tokenStyles } from '../diff/highlight'
import { StyledText } from '../diff/styled-text'
import { attempt } from '../store/toasts'
import { getJson, request } from '../transport/request'
import { download } from '../ui/download'
import { Empty, Problem, Skeleton } from '../ui/panel'
import { useLoad } from '../ui/use-load'

type Entry = FileTree['entries'][number]

/** The files of the session's project: a tree, a search by name, and a preview. */
export function SessionFiles({ session }: { session: Session }) {
  const [words, setWords] = useState('')
  const [shown, setShown] = useState<string | null>(null)
  return (
    <div class="files">
      <div class="files-tree">
        <input
          class="input"
          type="search"
          aria-label="Search files"
          placeholder="Search files"
          data-search
          value={words}
          onInput={event => setWords(event.currentTarget.value)}
        />
        {words.trim() === '' ? (
          <Directory session={session.id} path="" shown={shown} onShow={setShown} />
        ) : (
          <Found session={session.id} words={words.trim()} shown={shown} onShow={setShown} />
        )}
      </div>
      {shown === null ? <Empty title="Select a file" /> : <Preview key={shown} session={session.id} path={shown} />}
    </div>
  )
}

interface ListProps {
  session: string
  shown: string | null
  onShow(path: string): void
}

function Directory({ session, path, shown, onShow }: ListProps & { path: string }) {
  const { value, error, reload } = useLoad(`${session} ${path}`, signal =>
    getJson<FileTree>(`/sessions/${session}/tree?path=${encodeURIComponent(path)}`, { signal }),
  )
  if (!value) return error ? <Problem error={error} retry={reload} /> : <Skeleton lines={2} />
  return (
    <ul class="tree" aria-label={path === '' ? 'Files' : path}>
      {value.entries.map(entry =>
        entry.kind === 'directory' ? (
          <Folder key={entry.path} entry={entry} session={session} shown={shown} onShow={onShow} />
        ) : (
          <FileLine key={entry.path} entry={entry} label={entry.name} shown={shown} onShow={onShow} />
        ),
      )}
      {value.isCut && <li class="tiny dim">More files are not listed.</li>}
    </ul>
  )
}

function Folder({ entry, ...rest }: ListProps & { entry: Entry }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <li>
      <button type="button" class="tree-line" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <span class="fold" aria-hidden="true" />
        {entry.name}
      </button>
      {isOpen && <Directory path={entry.path} {...rest} />}
    </li>
  )
}

function Found({ session, words, shown, onShow }: ListProps & { words: string }) {
  const { value, error } = useLoad(`${session}?${words}`, signal =>
    getJson<FileTree>(`/sessions/${session}/tree?q=${encodeURIComponent(words)}`, { signal }),
  )
  if (!value) return error ? <Problem error={error} /> : <Skeleton lines={2} />
  if (value.entries.length === 0) return <p class="small dim">No file has this name.</p>
  return (
    <ul class="tree" aria-label="Found files">
      {value.entries.map(entry => (
        <FileLine key={entry.path} entry={entry} label={entry.path} shown={shown} onShow={onShow} />
      ))}
    </ul>
  )
}

function FileLine(props: { entry: Entry; label: string; shown: string | null; onShow(path: string): void }) {
  const { entry, label, shown, onShow } = props
  return (
    <li>
      <button
        type="button"
        class="tree-line"
        disabled={entry.isSecret}
        title={entry.isSecret ? 'Files with this name usually hold credentials' : entry.path}
        aria-current={entry.path === shown ? 'true' : undefined}
        onClick={() => onShow(entry.path)}
      >
        <span class="cut grow">{label}</span>
        {entry.bytes !== null && <span class="tiny dim num">{formatBytes(entry.bytes)}</span>}
      </button>
    </li>
  )
}

/** A longer file is shown up to here. */
const SHOWN_MAX = 200_000
const IMAGE = /\.(png|jpe?g|gif|webp)$/i

function Preview({ session, path }: { session: string; path: string }) {
  const { value, error, reload } = useLoad(`${session} ${path}`, async () => {
    const response = await request(`/sessions/${session}/files?path=${encodeURIComponent(path)}`)
    return response.arrayBuffer()
  })
  if (!value) return error ? <Problem error={error} retry={reload} /> : <Skeleton />
  const text = new TextDecoder().decode(value.slice(0, SHOWN_MAX))
  const save = () => attempt(async () => download(baseName(path), value, 'application/octet-stream'))
  return (
    <section class="file-preview" aria-label={path}>
      <header class="row">
        <code class="cut grow">{path}</code>
        <span class="tiny dim num">{formatBytes(value.byteLength)}</span>
        <button type="button" class="btn quiet" onClick={() => void save()}>
          Download
        </button>
      </header>
      {IMAGE.test(path) ? (
        <img alt={path} src={URL.createObjectURL(new Blob([value]))} />
      ) : text.includes('\0') ? (
        <Empty title="A binary file" />
      ) : (
        <pre tabIndex={0}>
          {text.split('\n').map((line, index) => (
            <div key={index} class="code-line">
              <span class="no">{index + 1}</span>
              <span class="text">
                <StyledText text={line || ' '} styles={tokenStyles(line, path)} />
              </span>
            </div>
          ))}
        </pre>
      )}
    </section>
  )
}
