import { useState } from 'preact/hooks'
import { baseName } from '../api/format'
import { attempt } from '../store/toasts'
import { request } from '../transport/request'
import { Dialog } from '../ui/dialog'
import { download } from '../ui/download'

const SHOWN_MAX = 200_000

/** Shows a file of the session's project as text, and downloads it. */
export function FileDialog({ session, onClose }: { session: string; onClose(): void }) {
  const [path, setPath] = useState('')
  const [text, setText] = useState<string | null>(null)
  const [bytes, setBytes] = useState<ArrayBuffer | null>(null)
  const fetchFile = async (event: Event) => {
    event.preventDefault()
    await attempt(async () => {
      const response = await request(`/sessions/${session}/files?path=${encodeURIComponent(path)}`)
      const content = await response.arrayBuffer()
      setBytes(content)
      setText(new TextDecoder().decode(content.slice(0, SHOWN_MAX)))
    })
  }
  return (
    <Dialog title="Project files" onClose={onClose} isWide>
      <form class="row" onSubmit={fetchFile}>
        <input
          class="input code grow"
          aria-label="Path relative to the project"
          placeholder="src/main.ts"
          value={path}
          onInput={event => setPath(event.currentTarget.value)}
        />
        <button type="submit" class="btn solid" disabled={path.trim() === ''}>
          Open
        </button>
      </form>
      {text !== null && (
        <div class="stack" style={{ marginTop: '12px' }}>
          <div class="row">
            <span class="grow small dim">{bytes?.byteLength ?? 0} bytes</span>
            <button
              type="button"
              class="btn"
              onClick={() => bytes && download(baseName(path), bytes, 'application/octet-stream')}
            >
              Download
            </button>
          </div>
          <pre class="code-box" style={{ maxHeight: '52vh' }} tabIndex={0}>
            {text}
          </pre>
        </div>
      )}
    </Dialog>
  )
}
