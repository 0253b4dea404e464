import { AppearanceTab } from '../settings/appearance-tab'
import { DevicesTab } from '../settings/devices'
import { DoctorTab } from '../settings/doctor'
import { ValuesTab } from '../settings/values'

const TABS = [
  { tab: 'values', label: 'All settings' },
  { tab: 'doctor', label: 'Doctor' },
  { tab: 'people', label: 'People and devices' },
  { tab: 'page', label: 'Appearance' },
]

export function SettingsPage({ tab }: { tab: string }) {
  const here = tab === 'devices' ? 'people' : tab
  return (
    <div class="page">
      <div class="page-head">
        <h1>Settings</h1>
      </div>
      <nav class="tabs" aria-label="Settings" style={{ marginBottom: '24px' }}>
        {TABS.map(({ tab: name, label }) => (
          <a
            key={name}
            href={name === 'values' ? '/settings' : `/settings/${name}`}
            aria-current={here === name ? 'page' : undefined}
          >
            {label}
          </a>
        ))}
      </nav>
      {here === 'doctor' ? (
        <DoctorTab />
      ) : here === 'people' ? (
        <DevicesTab />
      ) : here === 'page' ? (
        <AppearanceTab />
      ) : (
        <ValuesTab />
      )}
    </div>
  )
}
