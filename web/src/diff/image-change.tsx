import { useEffect, useState } from 'preact/hooks'
import type { DiffFile } from './unified-diff'

export type ReadImage = (file: DiffFile, side: 'before' | 'after', signal: AbortSignal) => Promise<Blob>

/** The picture before and after the change, beside each other. */
export function ImageChange({ file, read }: { file: DiffFile; read: ReadImage | undefined }) {
  if (!read) return <p class="small dim pad">An image; it is not shown here.</p>
  return (
    <div class="images">
      {file.kind !== 'added' && <Picture file={file} side="before" read={read} />}
      {file.kind !== 'deleted' && <Picture file={file} side="after" read={read} />}
    </div>
  )
}

const SIDES = { before: 'Before', after: 'After' } as const

function Picture({ file, side, read }: { file: DiffFile; side: 'before' | 'after'; read: ReadImage }) {
  const [shown, setShown] = useState<{ url: string; bytes: number } | null>(null)
  const [size, setSize] = useState('')
  const [problem, setProblem] = useState('')
  useEffect(() => {
    const abort = new AbortController()
    let url: string | null = null
    read(file, side, abort.signal)
      .then(blob => {
        if (abort.signal.aborted) return
        url = URL.createObjectURL(blob)
        setShown({ url, bytes: blob.size })
      })
      .catch(error => !abort.signal.aborted && setProblem((error as Error).message))
    return () => {
      abort.abort()
      if (url) URL.revokeObjectURL(url)
    }
  }, [file, side, read])
  return (
    <figure>
      {shown && !problem && (
        <img
          src={shown.url}
          alt={`${file.name}, ${SIDES[side].toLowerCase()} the change`}
          onLoad={event => setSize(`${event.currentTarget.naturalWidth} × ${event.currentTarget.naturalHeight}`)}
          onError={() => setProblem('the browser cannot show this image')}
        />
      )}
      <figcaption class="tiny dim">
        {SIDES[side]}
        {size !== '' && ` · ${size}`}
        {shown && ` · ${shown.bytes.toLocaleString('en')} bytes`}
        {problem !== '' && ` · ${problem}`}
      </figcaption>
    </figure>
  )
}
