import { useState } from 'preact/hooks'
import type { LoginLink } from '../api/types'
import { isOwner, me } from '../store/live'
import { attempt } from '../store/toasts'
import { postJson } from '../transport/request'
import { Dialog } from '../ui/dialog'
import { lazy } from '../ui/lazy'
import { LinkField } from '../ui/link-field'
import { withStepUp } from '../ui/step-up'
import { isLocalPage } from './local-page'

const QrView = lazy(() => import('../ui/qr-view').then(module => module.QrView))

type Role = LoginLink['role']

const ROLES: readonly (readonly [role: Role, meaning: string])[] = [
  ['viewer', 'Viewer: sees everything, decides nothing'],
  ['approver', 'Approver: decides requests and sends prompts'],
  ['owner', 'Owner: also changes settings and people'],
]

/** A link to this page, at the address that this browser uses. */
async function makeLink(what: string, person: { name: string; role: Role }): Promise<string> {
  const { url } = await withStepUp(what, () => postJson<LoginLink>('/auth/links', person))
  return `${location.origin}/login${new URL(url).hash}`
}

/** Signs another device of this person in. */
export function PhoneCode({ label = 'Show the QR code' }: { label?: string }) {
  const [link, setLink] = useState<string | null>(null)
  const show = () =>
    attempt(async () => {
      const { name = 'owner' } = me.peek()?.person ?? {}
      setLink(await makeLink('sign a phone in as you', { name, role: 'owner' }))
    })
  return (
    <>
      <button type="button" class="btn" disabled={!isOwner.value} onClick={() => void show()}>
        {label}
      </button>
      {link !== null && (
        <Dialog title="Sign in with your phone" onClose={() => setLink(null)}>
          <div class="stack wide">
            <p>Scan the code with the camera of your phone.</p>
            <Link link={link} />
          </div>
        </Dialog>
      )}
    </>
  )
}

/** Asks for name and role, and shows the link that signs the person in. */
export function InviteButton() {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button type="button" class="btn" disabled={!isOwner.value} onClick={() => setOpen(true)}>
        Invite a person…
      </button>
      {isOpen && <InviteDialog onClose={() => setOpen(false)} />}
    </>
  )
}

function InviteDialog({ onClose }: { onClose(): void }) {
  const [name, setName] = useState('')
  const [role, setRole] = useState<Role>('approver')
  const [link, setLink] = useState<string | null>(null)
  const make = (event: Event) => {
    event.preventDefault()
    void attempt(async () => setLink(await makeLink(`invite ${name.trim()} as ${role}`, { name: name.trim(), role })))
  }
  if (link !== null)
    return (
      <Dialog title={`Invite ${name.trim()}`} onClose={onClose}>
        <div class="stack wide">
          <p>Send this link to {name.trim()}, or let them scan the code.</p>
          <Link link={link} />
        </div>
      </Dialog>
    )
  return (
    <Dialog title="Invite a person" onClose={onClose}>
      <form class="stack wide" onSubmit={make}>
        <div class="field">
          <label for="invite-name">Name</label>
          <input
            id="invite-name"
            class="input"
            maxLength={80}
            autocomplete="off"
            value={name}
            onInput={event => setName(event.currentTarget.value)}
          />
        </div>
        <div class="field">
          <label for="invite-role">Role</label>
          <select
            id="invite-role"
            class="input"
            value={role}
            onChange={event => setRole(event.currentTarget.value as Role)}
          >
            {ROLES.map(([value, meaning]) => (
              <option key={value} value={value}>
                {meaning}
              </option>
            ))}
          </select>
        </div>
        <div class="row" style={{ justifyContent: 'flex-end' }}>
          <button type="button" class="btn" onClick={onClose}>
            Back
          </button>
          <button type="submit" class="btn solid" disabled={name.trim() === ''}>
            Create the link
          </button>
        </div>
      </form>
    </Dialog>
  )
}

function Link({ link }: { link: string }) {
  return (
    <>
      <QrView text={link} label="QR code of the link" />
      <LinkField link={link} />
      <p class="small soft">
        It works once, for 5 minutes.
        {isLocalPage() && ' Its address opens only on this machine, or through an SSH tunnel to it.'}
      </p>
    </>
  )
}
