import { useComputed } from '@preact/signals'
import { formatSpan, formatTime, formatWhen, type Time, timeOf } from '../api/format'
import { now } from '../store/now'

/** The time since a moment, updated every second. */
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

/** A component of its own, so that every second only this text is drawn again. */
function Counting({ from }: { from: number }) {
  const text = useComputed(() => formatSpan(now.value - from))
  return <>{text}</>
}

/** The duration of something, so far or in total. */
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
      {left <= 0 ? 'expired' : `${formatSpan(left)} left`}
    </time>
  )
}
