import { useEffect, useRef, useState } from 'preact/hooks'
import { StandingApprovals } from '../approval/standing-list'
import { AgentsPanel } from '../settings/agents-panel'
import { AppearanceTab } from '../settings/appearance-tab'
import { TopicTab } from '../settings/controls'
import { DevicesTab } from '../settings/devices'
import { DoctorTab } from '../settings/doctor'
import { BrowserNotifications } from '../settings/notifications-tab'
import { OtherMachines, PhoneAccess } from '../settings/phone-access'
import { TOPICS } from '../settings/topics'
import { AdvancedTab, FoundSettings } from '../settings/values'
import { grants } from '../store/live'

const TABS: readonly { tab: string; label: string }[] = [
  ...TOPICS.slice(0, 4).map(({ tab, label }) => ({ tab, label })),
  { tab: 'people', label: 'People' },
  { tab: 'remote', label: 'Remote access' },
  { tab: 'page', label: 'Appearance' },
  { tab: 'doctor', label: 'Doctor' },
  { tab: 'advanced', label: 'Advanced' },
]

/** What the tabs without a topic are about. */
const ABOUT: Readonly<Record<string, string>> = {
  people: 'Who may use this Signalbox, from which browsers and chats.',
  doctor: 'How Signalbox is doing, and what to do where something needs attention.',
}

/** Other addresses of a tab. */
const ALIASES: Readonly<Record<string, string>> = { devices: 'people', appearance: 'page' }

export function SettingsPage({ tab }: { tab: string }) {
  const wanted = ALIASES[tab] ?? tab
  const here = TABS.some(one => one.tab === wanted) ? wanted : 'notifications'
  const [words, setWords] = useState('')
  const nav = useRef<HTMLElement>(null)
  // On a phone the list is a row that is wider than the screen.
  useEffect(() => {
    setWords('')
    nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [here])
  return (
    <div class="page settings-page">
      <div class="page-head">
        <h1>Settings</h1>
        <div class="actions">
          <input
            class="input"
            type="search"
            aria-label="Search settings"
            placeholder="Search settings"
            data-search
            value={words}
            onInput={event => setWords(event.currentTarget.value)}
          />
        </div>
      </div>
      <div class="settings-layout">
        <nav ref={nav} class="settings-nav" aria-label="Settings">
          {TABS.map(({ tab: name, label }) => (
            <a
              key={name}
              href={`/settings/${name}`}
              aria-current={words === '' && here === name ? 'page' : undefined}
              onClick={() => setWords('')}
            >
              {label}
            </a>
          ))}
        </nav>
        <div class="settings-body stack wide">
          {words.trim() === '' ? <TabBody here={here} /> : <FoundSettings words={words.trim()} />}
        </div>
      </div>
    </div>
  )
}

function TabBody({ here }: { here: string }) {
  const topic = TOPICS.find(({ tab }) => tab === here)
  const about = topic?.about ?? ABOUT[here]
  return (
    <>
      {about && <p class="soft settings-about">{about}</p>}
      {here === 'notifications' && <BrowserNotifications />}
      {here === 'agents' && <AgentsPanel />}
      {here === 'remote' && <PhoneAccess />}
      {here === 'approvals' && <StandingApprovals items={grants.all.value.filter(grant => !grant.ended)} />}
      {topic && <TopicTab topic={topic} />}
      {here === 'remote' && <OtherMachines />}
      {here === 'people' && <DevicesTab />}
      {here === 'page' && <AppearanceTab />}
      {here === 'doctor' && <DoctorTab />}
      {here === 'advanced' && <AdvancedTab />}
    </>
  )
}
