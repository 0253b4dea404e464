import { formatSpan, formatTime, formatWhen, timeOf } from '../api/format'
import type { Time } from '../api/types'
import { now } from '../store/now'

/** How long ago, counting. */
export function Age({ at, prefix = '', suffix = '' }: { at: Time; prefix?: string; suffix?: string }) {
  const ms = timeOf(at)
  return (
    <time dateTime={new Date(ms).toISOString()} title={formatWhen(ms)}>
      {prefix}
      {formatSpan(now.value - ms)}
      {suffix}
    </time>
  )
}

/** How long something took, or takes. */
export function Took({ from, to }: { from: Time; to: Time | null | undefined }) {
  const end = to === null || to === undefined ? now.value : timeOf(to)
  const ms = Math.max(0, end - timeOf(from))
  return <time dateTime={`PT${(ms / 1000).toFixed(0)}S`}>{formatSpan(ms)}</time>
}

export function Clock({ at }: { at: Time }) {
  const ms = timeOf(at)
  return (
    <time dateTime={new Date(ms).toISOString()} title={formatWhen(ms)}>
      {formatTime(ms)}
    </time>
  )
}

export function Left({ until }: { until: Time }) {
  const ms = timeOf(until)
  const left = ms - now.value
  return (
    <time dateTime={new Date(ms).toISOString()} title={formatWhen(ms)}>
      {left <= 0 ? 'over' : `${formatSpan(left)} left`}
    </time>
  )
}
