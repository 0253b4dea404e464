import { useEffect, useRef } from 'preact/hooks'
import { StandingApprovals } from '../approval/standing-list'
import { AgentsPanel } from '../settings/agents-panel'
import { AppearanceTab } from '../settings/appearance-tab'
import { TopicTab } from '../settings/controls'
import { DevicesTab } from '../settings/devices'
import { DoctorTab } from '../settings/doctor'
import { BrowserNotifications } from '../settings/notifications-tab'
import { OtherMachines, PhoneAccess } from '../settings/phone-access'
import { TOPICS } from '../settings/topics'
import { ValuesTab } from '../settings/values'
import { grants } from '../store/live'

const TABS: readonly { tab: string; label: string }[] = [
  ...TOPICS.slice(0, 4).map(({ tab, label }) => ({ tab, label })),
  { tab: 'people', label: 'People' },
  { tab: 'remote', label: 'Remote access' },
  { tab: 'page', label: 'Appearance' },
  { tab: 'doctor', label: 'Doctor' },
  { tab: 'advanced', label: 'Advanced' },
]

/** Other addresses of a tab. */
const ALIASES: Readonly<Record<string, string>> = { devices: 'people', appearance: 'page' }

export function SettingsPage({ tab }: { tab: string }) {
  const wanted = ALIASES[tab] ?? tab
  const here = TABS.some(one => one.tab === wanted) ? wanted : 'notifications'
  const topic = TOPICS.find(candidate => candidate.tab === here)
  const tabs = useRef<HTMLElement>(null)
  // On a phone the tabs are wider than the screen.
  useEffect(() => {
    tabs.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [here])
  return (
    <div class="page settings-page">
      <div class="page-head">
        <h1>Settings</h1>
      </div>
      <nav ref={tabs} class="tabs" aria-label="Settings" style={{ marginBottom: '24px' }}>
        {TABS.map(({ tab: name, label }) => (
          <a key={name} href={`/settings/${name}`} aria-current={here === name ? 'page' : undefined}>
            {label}
          </a>
        ))}
      </nav>
      {topic && (
        <p class="soft settings-about">
          {topic.about} <span class="dim">Switches and choices are saved at once, fields with Save.</span>
        </p>
      )}
      <div class="stack wide">
        {here === 'notifications' && <BrowserNotifications />}
        {here === 'agents' && <AgentsPanel />}
        {here === 'remote' && <PhoneAccess />}
        {here === 'approvals' && <StandingApprovals items={grants.all.value.filter(grant => !grant.ended)} />}
        {topic && <TopicTab topic={topic} />}
        {here === 'remote' && <OtherMachines />}
        {here === 'people' && <DevicesTab />}
        {here === 'page' && <AppearanceTab />}
        {here === 'doctor' && <DoctorTab />}
        {here === 'advanced' && <ValuesTab />}
      </div>
    </div>
  )
}
