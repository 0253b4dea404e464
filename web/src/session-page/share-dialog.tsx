import { useState } from 'preact/hooks'
import type { NewShare, Session, ShareList } from '../api/types'
import { attempt } from '../store/toasts'
import { getJson, postJson, sendDelete } from '../transport/request'
import { Dialog } from '../ui/dialog'
import { LinkField } from '../ui/link-field'
import { TimeLeft } from '../ui/time'
import { useLoad } from '../ui/use-load'

const SPANS: readonly [hours: number, word: string][] = [
  [1, '1 hour'],
  [24, '1 day'],
  [168, '7 days'],
]

/** Makes a link to one session that others can read, and ends earlier ones. */
export function ShareDialog({ session, onClose }: { session: Session; onClose(): void }) {
  const [hours, setHours] = useState(24)
  const [link, setLink] = useState<string | null>(null)
  const shares = useLoad(`shares/${session.id}`, signal =>
    getJson<ShareList>(`/shares?session=${session.id}`, { signal }),
  )
  const make = () =>
    attempt(async () => {
      const made = await postJson<NewShare>(`/sessions/${session.id}/shares`, { hours })
      // The address that this browser uses; the server may know another one.
      setLink(`${location.origin}/share#${new URL(made.url, location.href).hash.slice(1)}`)
      shares.reload()
    })
  return (
    <Dialog
      title="Share this session"
      onClose={onClose}
      foot={
        <>
          <button type="button" class="btn" onClick={onClose}>
            Close
          </button>
          <button type="button" class="btn solid" onClick={() => void make()}>
            {link === null ? 'Create link' : 'Create another link'}
          </button>
        </>
      }
    >
      <div class="stack wide">
        <p class="small soft">
          Anyone with the link can read the conversation and the screen of this session, and nothing else. They cannot
          decide, type or see other sessions.
        </p>
        {isLoopback() && (
          <p class="small soft">
            This address works only on this machine.{' '}
            <a class="link" href="/settings/remote">
              Set up remote access
            </a>{' '}
            to share with others.
          </p>
        )}
        <div class="field">
          <label for="share-for">The link expires after</label>
          <select
            id="share-for"
            class="input"
            value={String(hours)}
            onChange={event => setHours(Number(event.currentTarget.value))}
          >
            {SPANS.map(([value, word]) => (
              <option key={value} value={String(value)}>
                {word}
              </option>
            ))}
          </select>
        </div>
        {link !== null && <LinkField link={link} />}
        <ShareRows shares={shares.value} onRevoked={shares.reload} label="Links of this session" />
      </div>
    </Dialog>
  )
}

interface ShareRowsProps {
  shares: ShareList | null
  onRevoked(): void
  label: string
  /** With the name of the session, where they are of several. */
  isNamed?: boolean
}

/** The links that work now, each with its end. */
export function ShareRows({ shares, onRevoked, label, isNamed = false }: ShareRowsProps) {
  if (!shares || shares.items.length === 0) return null
  const revoke = (id: string) => attempt(() => sendDelete(`/shares/${id}`).then(onRevoked), 'The link was revoked')
  return (
    <ul class="share-rows" aria-label={label}>
      {shares.items.map(({ id, session, name, by, expiresAt }) => (
        <li key={id}>
          <span class="grow small">
            {isNamed ? (
              <a class="link" href={`/s/${session}`} dir="auto">
                {name}
              </a>
            ) : (
              `By ${by}`
            )}
            <span class="dim">
              {' · '}
              <TimeLeft until={expiresAt} />
            </span>
          </span>
          <button type="button" class="btn" onClick={() => void revoke(id)}>
            Revoke
          </button>
        </li>
      ))}
    </ul>
  )
}

function isLoopback(): boolean {
  return ['127.0.0.1', 'localhost', '[::1]'].includes(location.hostname)
}
