import type { AgentList } from '../api/types'
import { enableNotifications, permission } from '../notify/browser-notifications'
import { isNotifying, isWelcomed } from '../store/prefs'
import { attempt } from '../store/toasts'
import { getJson } from '../transport/request'
import { CopyButton } from '../ui/copy'
import { StatusIcon } from '../ui/status'
import { useLoad } from '../ui/use-load'

/** The first steps, each of which can be skipped; shown until the person closes it. */
export function Welcome() {
  const agents = useLoad('agents', signal => getJson<AgentList>('/agents', { signal })).value?.items ?? []
  const found = agents.filter(({ isInstalled, name }) => isInstalled && name !== 'demo')
  const missing = agents.filter(({ isInstalled }) => !isInstalled).slice(0, 3)
  const isOn = isNotifying.value && permission.value === 'granted'
  return (
    <section class="panel welcome" aria-label="First steps">
      <header>
        <h2 class="grow">First steps</h2>
        <button type="button" class="btn quiet" onClick={() => (isWelcomed.value = true)}>
          Skip all
        </button>
      </header>
      <ol>
        <Step isDone={found.length > 0} title="An agent">
          {found.length > 0 ? (
            <p>Found: {found.map(({ title }) => title).join(', ')}.</p>
          ) : (
            <>
              <p>No agent was found. Install one, or try the demo agent.</p>
              {missing.map(({ name, title, install }) => (
                <p key={name} class="row">
                  <span class="strong">{title}</span> <code class="cut">{install}</code>
                  <CopyButton text={install} label={`Copy the command for ${title}`} />
                </p>
              ))}
            </>
          )}
        </Step>
        <Step isDone={isOn} title="Notifications">
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
            <p>This browser does not allow notifications of this page.</p>
          )}
        </Step>
        <Step isDone={false} title="Your phone">
          <p class="row wrap">
            <code>signalbox open --qr</code> <CopyButton text="signalbox open --qr" label="Copy the command" />
            <a class="link" href="/settings/remote">
              How to reach this page from your phone
            </a>
          </p>
        </Step>
        <Step isDone={false} title="A first session">
          <p class="row wrap">
            <a class="btn solid" href="/start">
              Start a session
            </a>
            <a class="btn" href="/start?agent=demo">
              Try the demo agent
            </a>
          </p>
        </Step>
      </ol>
    </section>
  )
}

function Step({ isDone, title, children }: { isDone: boolean; title: string; children: preact.ComponentChildren }) {
  return (
    <li class={isDone ? 'is-done tone-done' : 'tone-muted'}>
      <span class="badge">
        <StatusIcon shape={isDone ? 'tick' : 'ring'} />
        <span class="sr">{isDone ? 'done: ' : 'open: '}</span>
      </span>
      <div>
        <h3>{title}</h3>
        {children}
      </div>
    </li>
  )
}
