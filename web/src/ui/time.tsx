import { useComputed } from '@preact/signals'
import { formatSpan, formatTime, formatWhen, timeOf } from '../api/format'
import type { Time } from '../api/types'
import { now } from '../store/now'

/** How long ago, counting. */
export function Age({ at, prefix = '', suffix = '' }: { at: Time; prefix?: string; suffix?: string }) {
  const ms = timeOf(at)
  return (
    <time dateTime={new Date(ms).toISOString()} title={formatWhen(ms)}>
      {prefix}
      <Counting key={ms} from={ms} />
      {suffix}
    </time>
  )
}

/** A text of its own, so that a second that passes draws nothing but the words that it changes. */
function Counting({ from }: { from: number }) {
  const text = useComputed(() => formatSpan(now.value - from))
  return <>{text}</>
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
