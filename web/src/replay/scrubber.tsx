import { formatClock } from '../api/format'
import type { Moment } from './moments'

export function Scrubber(props: {
  duration: number
  ms: number
  moments: readonly Moment[]
  onSeek(ms: number): void
}) {
  const { duration, ms, moments, onSeek } = props
  return (
    <div class="scrubber">
      <div class="marks" aria-hidden="true">
        {moments.map((moment, index) => (
          <span
            key={index}
            class={moment.kind}
            style={{ left: `${Math.min(1, moment.atMs / duration) * 100}%` }}
            title={`${formatClock(moment.atMs)} ${moment.label}`}
          />
        ))}
      </div>
      <input
        type="range"
        aria-label="Position"
        aria-valuetext={formatClock(ms)}
        min={0}
        max={Math.ceil(duration)}
        step={50}
        value={ms}
        onInput={event => onSeek(event.currentTarget.valueAsNumber)}
      />
    </div>
  )
}
