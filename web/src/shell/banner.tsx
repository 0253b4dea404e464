import { formatTime } from '../api/format'
import { connection, isOnline, me, retryNow, snapshotAt } from '../store/live'

/** What is wrong with what is shown, since when, what still works, and the one thing to do. */
export function Banner() {
  const state = connection.value
  return (
    <>
      {state.is === 'offline' && state.tries > 1 && (
        <div class="banner bad" role="status">
          <strong>Offline since {formatTime(state.since)}.</strong>
          <span>
            Signalbox does not answer. Agents go on by themselves
            {snapshotAt.value !== null && `; this is what was known at ${formatTime(snapshotAt.value)}`}.
          </span>
          <button type="button" class="btn" onClick={retryNow}>
            Try now
          </button>
        </div>
      )}
      {me.value?.isReadOnly && (
        <div class="banner" role="status">
          <strong>Read-only.</strong>
          <span>This server was started to be looked at; nothing can be decided or changed here.</span>
        </div>
      )}
      {me.value?.isDemo && isOnline.value && (
        <div class="banner calm">
          <strong>Demo.</strong>
          <span>
            A scripted agent in a real terminal, a temporary store. Nothing touches your own agents or settings.
          </span>
        </div>
      )}
    </>
  )
}
