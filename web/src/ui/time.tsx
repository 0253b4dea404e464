import { useComputed } from '@preact/signals'
import {
  formatAge,
  formatExact,
  formatSpan,
  formatTime,
  formatTook,
  formatWhen,
  type Time,
  timeOf,
} from '../api/format'
import { now } from '../store/now'

/** The time since a moment, updated every second. */
export function TimeSince({ at, prefix = '', suffix = '' }: { at: Time; prefix?: string; suffix?: string }) {
  const ms = timeOf(at)
  return (
    <time dateTime={new Date(ms).toISOString()} title={formatWhen(ms)}>
      {prefix}
      <Counting key={ms} from={ms} suffix={suffix} />
    </time>
  )
}

/** A component of its own, so that every second only this text is drawn again. */
function Counting({ from, suffix }: { from: number; suffix: string }) {
  const text = useComputed(() => {
    const ms = now.value - from
    return suffix === ' ago' && ms < 1000 ? 'just now' : formatAge(ms) + suffix
  })
  return <>{text}</>
}

/** The duration of something, so far or in total. */
export function Took({ from, to }: { from: Time; to: Time | null | undefined }) {
  const isOver = to !== null && to !== undefined
  const end = isOver ? timeOf(to) : now.value
  const ms = Math.max(0, end - timeOf(from))
  return <time dateTime={`PT${(ms / 1000).toFixed(0)}S`}>{isOver ? formatTook(ms) : formatSpan(ms)}</time>
}

/** `isExact`: with seconds, for logs. */
export function Clock({ at, isExact = false }: { at: Time; isExact?: boolean }) {
  const ms = timeOf(at)
  return (
    <time dateTime={new Date(ms).toISOString()} title={formatWhen(ms)}>
      {isExact ? formatExact(ms) : formatTime(ms)}
    </time>
  )
}

export function TimeLeft({ until }: { until: Time }) {
  const ms = timeOf(until)
  const left = ms - now.value
  return (
    <time dateTime={new Date(ms).toISOString()} title={formatWhen(ms)}>
      {left <= 0 ? 'expired' : `${formatSpan(left)} left`}
    </time>
  )
}
