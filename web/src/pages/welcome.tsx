import { useEffect } from 'preact/hooks'
import { enableNotifications, permission } from '../notify/browser-notifications'
import { isLocalPage } from '../settings/local-page'
import { PhoneCode } from '../settings/login-link'
import { useAgents } from '../start/agents'
import { StartCommand } from '../start/start-command'
import { StartLinks } from '../start/start-links'
import { sessions } from '../store/live'
import { isNotifying, isWelcomed, skippedSteps } from '../store/prefs'
import { attempt } from '../store/toasts'
import { Install } from '../ui/install'
import { StatusIcon } from '../ui/status'

/** Agents that the first steps name; the settings have all. */
const FOUND_MAX = 3

type StepName = 'agent' | 'notifications' | 'phone' | 'session'

/** The first steps, each of which can be skipped; shown until all are done or skipped. */
export function Welcome() {
  const { isLoaded, installed, missing } = useAgents()
  const found = installed.filter(({ name }) => name !== 'demo')
  const isOn = isNotifying.value && permission.value === 'granted'
  const done: Readonly<Record<StepName, boolean>> = {
    agent: found.length > 0,
    notifications: isOn,
    phone: false,
    session: sessions.all.value.length > 0,
  }
  const count = Object.values(done).filter(Boolean).length
  const isOver = Object.entries(done).every(([name, isDone]) => isDone || skippedSteps.value.includes(name))
  // They do not come back with the next thing that is open again.
  useEffect(() => {
    if (isLoaded && isOver) isWelcomed.value = true
  }, [isLoaded, isOver])
  if (!isLoaded || isOver) return null
  return (
    <section class="panel welcome" aria-label="First steps">
      <header>
        <h2 class="grow">First steps</h2>
        <span class="small dim num">
          {count} of {Object.keys(done).length} done
        </span>
        <button type="button" class="btn quiet" onClick={() => (isWelcomed.value = true)}>
          Skip all
        </button>
      </header>
      <p class="welcome-lead">
        Signalbox runs coding agents in real terminals and asks you here before they do something risky. You can close
        this page at any time: agents keep running.
      </p>
      <ol>
        <Step name="session" isDone={done.session} title="See it work">
          {done.session ? (
            <p>Your sessions are on this page and under Sessions.</p>
          ) : (
            <>
              <p>The demo agent fixes a bug in a scratch project and asks you first. It needs no account.</p>
              <StartLinks hasAgents={done.agent} />
              <p>
                Or in a terminal: <StartCommand />
              </p>
            </>
          )}
        </Step>
        <Step name="agent" isDone={done.agent} title="Use your own agents">
          {done.agent ? (
            <>
              <p>On this machine: {found.map(({ title }) => title).join(', ')}.</p>
              <div class="row wrap" style={{ marginTop: '8px' }}>
                {found.slice(0, FOUND_MAX).map(({ name, title }) => (
                  <a key={name} class="btn" href={`/start?agent=${name}`}>
                    Start {title}
                  </a>
                ))}
              </div>
            </>
          ) : (
            <>
              <p>
                No agent was found on this machine. Install one, and it appears here; <SettingsLink /> lists all{' '}
                {missing.length}.
              </p>
              <dl class="kv">
                {missing.slice(0, FOUND_MAX).map(({ name, title, install }) => (
                  <Install key={name} title={title} text={install} />
                ))}
              </dl>
            </>
          )}
        </Step>
        <Step name="notifications" isDone={isOn} title="Allow notifications">
          {isOn ? (
            <p>This browser notifies you when an agent needs you.</p>
          ) : permission.value === 'granted' || permission.value === 'default' ? (
            <p class="row wrap">
              Get a notification when an agent needs you, even while this page is closed.
              <button type="button" class="btn" onClick={() => void attempt(enableNotifications)}>
                Allow notifications
              </button>
            </p>
          ) : (
            <p>
              {permission.value === 'denied'
                ? 'This browser blocks notifications of this page; its site settings allow them.'
                : 'This browser has no notifications here.'}{' '}
              <a class="link" href="/settings/notifications">
                Telegram, ntfy and Slack work as well
              </a>
            </p>
          )}
        </Step>
        <Step name="phone" isDone={false} title="Use your phone">
          {isLocalPage() ? (
            <p>
              Answer requests in Telegram, which needs no open port, or open this page on your phone.{' '}
              <a class="link" href="/settings/remote">
                Choose a way
              </a>
            </p>
          ) : (
            <p class="row wrap">
              Scan a QR code to sign in. <PhoneCode />
            </p>
          )}
        </Step>
      </ol>
    </section>
  )
}

function SettingsLink() {
  return (
    <a class="link" href="/settings/agents">
      Settings → Agents
    </a>
  )
}

function Step(props: { name: StepName; isDone: boolean; title: string; children: preact.ComponentChildren }) {
  const { name, isDone, title, children } = props
  if (!isDone && skippedSteps.value.includes(name)) return null
  return (
    <li class={isDone ? 'is-done tone-done' : 'tone-muted'}>
      <span class="badge">
        <StatusIcon shape={isDone ? 'tick' : 'ring'} />
        <span class="sr">{isDone ? 'done: ' : 'open: '}</span>
      </span>
      <div class="grow">
        <h3>{title}</h3>
        {children}
      </div>
      {!isDone && (
        <button
          type="button"
          class="btn quiet"
          aria-label={`Skip: ${title}`}
          onClick={() => (skippedSteps.value = [...skippedSteps.value, name])}
        >
          Skip
        </button>
      )}
    </li>
  )
}
