import { useState } from 'preact/hooks'
import { surfaceWord } from '../../../src/text/status-word'
import type { Device, DeviceList, PeopleList, ShareList } from '../api/types'
import { ShareRows } from '../session-page/share-dialog'
import { isOwner, me } from '../store/live'
import { attempt } from '../store/toasts'
import { endAccess, getJson, postJson, sendDelete } from '../transport/request'
import { DataTable } from '../ui/data-table'
import { Dialog } from '../ui/dialog'
import { Panel, Problem, Section, Skeleton } from '../ui/panel'
import { withStepUp } from '../ui/step-up'
import { TimeSince } from '../ui/time'
import { useLoad } from '../ui/use-load'
import { InviteButton, PhoneCode } from './login-link'
import { PairingSection } from './pairing'

/**
 * People, and the browsers that they are signed in with.
 */
export function DevicesTab() {
  const devices = useLoad('devices', signal => getJson<DeviceList>('/auth/devices', { signal }))
  const people = useLoad('people', signal => getJson<PeopleList>('/people', { signal }))
  const shares = useLoad('shares', signal => getJson<ShareList>('/shares', { signal }))
  const revoke = (device: Device) =>
    attempt(async () => {
      await sendDelete(`/auth/devices/${device.id}`)
      if (device.isThis) await endAccess()
      else devices.reload()
    }, 'The device was signed out')
  const signOut = () =>
    attempt(async () => {
      await sendDelete('/auth/session')
      await endAccess()
    })
  const [isLocking, setLocking] = useState(false)
  const lockDown = () => {
    setLocking(false)
    return attempt(
      () => withStepUp('lock down Signalbox', () => postJson('/lockdown')),
      'Locked down: all standing approvals, tokens and devices were revoked',
    )
  }
  return (
    <>
      <Section title="People" tools={<InviteButton />}>
        {people.value ? (
          <DataTable
            label="People"
            items={people.value.items}
            keyOf={({ id }) => id}
            columns={[
              { name: 'Name', isMain: true, cell: ({ name }) => <b>{name}</b> },
              { name: 'Role', cell: ({ role }) => role },
              { name: 'Uses', cell: ({ surfaces }) => surfaces.map(name => surfaceWord(name)).join(', ') || '–' },
            ]}
          />
        ) : people.error ? (
          <Problem error={people.error} retry={people.reload} />
        ) : (
          <Skeleton lines={1} />
        )}
      </Section>
      <Section title="Devices" tools={<PhoneCode label="Add a phone…" />}>
        {devices.value ? (
          <DataTable
            label="Devices"
            items={devices.value.items}
            keyOf={({ id }) => id}
            columns={[
              {
                name: 'Device',
                isMain: true,
                cell: device => (
                  <>
                    <b>{device.name}</b> {device.isThis && <span class="chip">this browser</span>}
                  </>
                ),
              },
              { name: 'Person', isExtra: true, cell: ({ person }) => nameOf(person) },
              {
                name: 'Signed in',
                isRight: true,
                isExtra: true,
                cell: ({ createdAt }) => <TimeSince at={createdAt} suffix=" ago" />,
              },
              {
                name: 'Last used',
                isRight: true,
                isExtra: true,
                cell: ({ lastUsedAt }) => <TimeSince at={lastUsedAt} suffix=" ago" />,
              },
              {
                name: 'Actions',
                isAction: true,
                isRight: true,
                cell: device => (
                  <button type="button" class="btn" disabled={!isOwner.value} onClick={() => void revoke(device)}>
                    {device.isThis ? 'Sign out' : 'Revoke'}
                  </button>
                ),
              },
            ]}
          />
        ) : devices.error ? (
          <Problem error={devices.error} retry={devices.reload} />
        ) : (
          <Skeleton lines={2} />
        )}
      </Section>
      {shares.value && shares.value.items.length > 0 && (
        <Section title="Shared sessions" of={shares.value.items.length}>
          <ShareRows shares={shares.value} onRevoked={shares.reload} label="Shared sessions" isNamed />
        </Section>
      )}
      <PairingSection onPaired={people.reload} />
      <Panel title="This browser" note={me.value ? nameOf(me.value.person) : ''}>
        <div class="pad row wrap this-browser">
          <span class="grow small soft">
            You stay signed in for 12 hours without activity, 7 days at most. The key of this browser cannot be read
            out.
          </span>
          <button type="button" class="btn" onClick={() => void signOut()}>
            Sign out
          </button>
          <button type="button" class="btn danger" disabled={!isOwner.value} onClick={() => setLocking(true)}>
            Lock down…
          </button>
        </div>
      </Panel>
      {isLocking && (
        <Dialog
          title="Lock down?"
          onClose={() => setLocking(false)}
          foot={
            <>
              <button type="button" class="btn" onClick={() => setLocking(false)}>
                Back
              </button>
              <button type="button" class="btn danger" onClick={() => void lockDown()}>
                Lock down
              </button>
            </>
          }
        >
          <p>
            This signs everyone out (you too), revokes all tokens and standing approvals, and allows only denials until
            Signalbox is unlocked in the terminal. Agents keep running.
          </p>
        </Dialog>
      )}
    </>
  )
}

/** The first person is called like the role: that is said once. */
function nameOf({ name, role }: { name: string; role: string }): string {
  return name === role ? name : `${name} (${role})`
}
