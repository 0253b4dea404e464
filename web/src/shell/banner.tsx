import { formatTime } from '../api/format'
import { connection, isOnline, me, retryNow, snapshotAt } from '../store/live'
import { isRestarting } from '../store/restart'

/** Why the data may be old or read-only, and what to do. */
export function Banner() {
  const state = connection.value
  return (
    <>
      {isRestarting.value && state.is === 'offline' && (
        <section class="banner calm" aria-label="Connection">
          <strong role="status">Restarting Signalbox.</strong>
          <span>Agents keep running.</span>
        </section>
      )}
      {!isRestarting.value && state.is === 'offline' && state.tries > 1 && (
        <section class="banner bad" aria-label="Connection">
          <strong role="status">Offline since {formatTime(state.since)}.</strong>
          <span>
            Can’t reach Signalbox. Agents keep running
            {snapshotAt.value !== null && `; showing data from ${formatTime(snapshotAt.value)}`}.
          </span>
          <button type="button" class="btn" onClick={retryNow}>
            Retry now
          </button>
        </section>
      )}
      {me.value?.isReadOnly && (
        <section class="banner" aria-label="Read-only">
          <strong>Read-only.</strong>
          <span>You can’t decide or change anything here.</span>
        </section>
      )}
      {me.value?.isDemo && isOnline.value && (
        <section class="banner calm" aria-label="Demo">
          <strong>Demo.</strong>
          <span>Scripted agents in real terminals. Your files are not touched.</span>
        </section>
      )}
    </>
  )
}
