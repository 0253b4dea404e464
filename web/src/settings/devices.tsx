import { useState } from 'preact/hooks'
import type { Actor, Time } from '../api/types'
import { isOwner, me } from '../store/live'
import { attempt } from '../store/toasts'
import { endAccess, getJson, postJson, sendDelete } from '../transport/request'
import { DataTable } from '../ui/data-table'
import { Dialog } from '../ui/dialog'
import { Panel, Problem, Section, Skeleton } from '../ui/panel'
import { withStepUp } from '../ui/step-up'
import { Age } from '../ui/time'
import { useLoad } from '../ui/use-load'
import { PairingSection } from './pairing'

interface Device {
  id: string
  name: string
  person: Actor
  createdAt: Time
  lastUsedAt: Time
  expiresAt: Time
  isThis: boolean
}

interface Person {
  id: string
  name: string
  role: string
  surfaces: string[]
}

/** Who may look and decide, and from which browsers. People are changed at the terminal alone. */
export function DevicesTab() {
  const devices = useLoad('devices', signal => getJson<{ items: Device[] }>('/auth/devices', { signal }))
  const people = useLoad('people', signal => getJson<{ items: Person[] }>('/people', { signal }))
  const revoke = (device: Device) =>
    attempt(async () => {
      await sendDelete(`/auth/devices/${device.id}`)
      if (device.isThis) await endAccess()
      else devices.reload()
    }, 'The device has ended')
  const signOut = () =>
    attempt(async () => {
      await sendDelete('/auth/session')
      await endAccess()
    })
  const [isLocking, setLocking] = useState(false)
  const lockDown = () => {
    setLocking(false)
    return attempt(() => withStepUp(() => postJson('/lockdown')), 'Locked down: grants, tokens and devices have ended')
  }
  return (
    <>
      <Section title="People">
        {people.value ? (
          <DataTable
            label="People"
            items={people.value.items}
            keyOf={({ id }) => id}
            columns={[
              { name: 'Name', isMain: true, cell: ({ name }) => <b>{name}</b> },
              { name: 'Role', cell: ({ role }) => role },
              { name: 'Surfaces', cell: ({ surfaces }) => surfaces.join(', ') || '–' },
            ]}
          />
        ) : people.error ? (
          <Problem error={people.error} retry={people.reload} />
        ) : (
          <Skeleton lines={1} />
        )}
        <p class="small dim" style={{ marginTop: '8px' }}>
          A link for somebody else: <code>signalbox serve --link --role approver --as Anna</code>
        </p>
      </Section>
      <Section title="Devices">
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
                    <b>{device.name}</b> {device.isThis && <span class="chip">this one</span>}
                  </>
                ),
              },
              { name: 'Person', cell: ({ person }) => `${person.name} (${person.role})` },
              {
                name: 'Signed in',
                isRight: true,
                isExtra: true,
                cell: ({ createdAt }) => <Age at={createdAt} suffix=" ago" />,
              },
              {
                name: 'Last used',
                isRight: true,
                isExtra: true,
                cell: ({ lastUsedAt }) => <Age at={lastUsedAt} suffix=" ago" />,
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
      <PairingSection onPaired={people.reload} />
      <Panel title="This browser" note={me.value ? `${me.value.person.name}, ${me.value.person.role}` : ''}>
        <div class="pad row wrap this-browser">
          <span class="grow small soft">
            Its key is kept in this browser and cannot be read out; it ends after 12 hours without use, and after 7 days
            in any case.
          </span>
          <button type="button" class="btn" onClick={() => void signOut()}>
            Sign out
          </button>
          <button type="button" class="btn danger" disabled={!isOwner.value} onClick={() => setLocking(true)}>
            Lock down …
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
            Every grant, token and login ends, this one too, and nothing but denials is taken until somebody unlocks it
            at the terminal. Agents go on.
          </p>
        </Dialog>
      )}
    </>
  )
}
