import type { PushState, PushTested } from '../api/types'
import { disableNotifications, enableNotifications, permission } from '../notify/browser-notifications'
import { playSound } from '../notify/sound'
import { canDecide } from '../store/live'
import { isNotifying, isSounding } from '../store/prefs'
import { attempt, toast } from '../store/toasts'
import { getJson, postJson, sendDelete } from '../transport/request'
import { TimeSince } from '../ui/time'
import { useLoad } from '../ui/use-load'

const WHY: Readonly<Record<string, string>> = {
  granted: 'This browser notifies you, also while the page is closed where it supports that.',
  default: 'The browser will ask for your permission.',
  denied: 'The browser blocks notifications of this page. Allow them in its site settings.',
  unsupported: 'This browser has no notifications here. They need HTTPS or this machine itself.',
}

/** Notifications of this browser, and the browsers that the server notifies. */
export function BrowserNotifications() {
  const { value, reload } = useLoad(`push ${isNotifying.value}`, signal => getJson<PushState>('/push', { signal }))
  const isOn = isNotifying.value && permission.value === 'granted'
  const toggle = async (wanted: boolean) => {
    await attempt(() => (wanted ? enableNotifications() : disableNotifications()))
    reload()
  }
  const test = async () => {
    if (isSounding.value) playSound()
    const sent = await attempt(() => postJson<PushTested>('/push/test'))
    if (sent) toast(sent.sent > 0 ? 'good' : 'info', `Sent to ${sent.sent} of ${sent.sent + sent.failed} browsers`)
  }
  return (
    <section class="panel" aria-label="This browser">
      <header>
        <h2>This browser</h2>
      </header>
      <ul class="controls">
        <li>
          <div class="grow">
            <label for="notify-here">Notifications</label>
            <p class="tiny dim">{WHY[permission.value]}</p>
          </div>
          <input
            id="notify-here"
            type="checkbox"
            role="switch"
            class="switch"
            checked={isOn}
            aria-checked={isOn}
            disabled={permission.value === 'denied' || permission.value === 'unsupported'}
            onChange={event => void toggle(event.currentTarget.checked)}
          />
        </li>
        <li>
          <div class="grow">
            <label for="sound-here">Sound</label>
            <p class="tiny dim">Plays a short sound if the page is not visible.</p>
          </div>
          <input
            id="sound-here"
            type="checkbox"
            role="switch"
            class="switch"
            checked={isSounding.value}
            aria-checked={isSounding.value}
            onChange={event => {
              isSounding.value = event.currentTarget.checked
              if (isSounding.value) playSound()
            }}
          />
        </li>
        {(value?.items ?? []).map(({ id, device, at }) => (
          <li key={id}>
            <div class="grow">
              <span>{device}</span>
              <p class="tiny dim">
                notified while the page is closed · since <TimeSince at={at} suffix=" ago" />
              </p>
            </div>
            <button
              type="button"
              class="btn"
              disabled={!canDecide.value}
              onClick={() => void attempt(() => sendDelete(`/push/subscriptions/${id}`)).then(reload)}
            >
              Remove
            </button>
          </li>
        ))}
        {(value?.items.length ?? 0) > 0 && (
          <li>
            <span class="grow small soft">Try it</span>
            <button type="button" class="btn" disabled={!canDecide.value} onClick={() => void test()}>
              Send a test
            </button>
          </li>
        )}
      </ul>
    </section>
  )
}
