import { formatTime } from '../api/format'
import { connection, isOnline, me, retryNow, snapshotAt } from '../store/live'

/** What is wrong with what is shown, since when, what still works, and the one thing to do. */
export function Banner() {
  const state = connection.value
  return (
    <>
      {state.is === 'offline' && state.tries > 1 && (
        <section class="banner bad" aria-label="Connection">
          <strong role="status">Offline since {formatTime(state.since)}.</strong>
          <span>
            Signalbox does not answer. Agents go on by themselves
            {snapshotAt.value !== null && `; this is what was known at ${formatTime(snapshotAt.value)}`}.
          </span>
          <button type="button" class="btn" onClick={retryNow}>
            Try now
          </button>
        </section>
      )}
      {me.value?.isReadOnly && (
        <section class="banner" aria-label="Read-only">
          <strong>Read-only.</strong>
          <span>This server was started to be looked at; nothing can be decided or changed here.</span>
        </section>
      )}
      {me.value?.isDemo && isOnline.value && (
        <section class="banner calm" aria-label="Demo">
          <strong>Demo.</strong>
          <span>Scripted agents in real terminals; nothing of yours is touched.</span>
        </section>
      )}
    </>
  )
}
