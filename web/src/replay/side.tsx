import { useEffect, useRef } from 'preact/hooks'
import { formatClock, timeOf } from '../api/format'
import type { Message, RecordingIndex } from '../api/types'
import { Blocks } from '../blocks/blocks'
import { isDeveloper } from '../store/prefs'
import { Empty, Panel } from '../ui/panel'
import { wordOfStatus } from '../ui/status'

/** The status that Signalbox detected at a position. */
export function DetectedStatus({ index, ms }: { index: RecordingIndex; ms: number }) {
  const change = index.markers.findLast(({ kind, atMs }) => kind === 'change' && atMs <= ms)
  const { detail } = change ?? {}
  return (
    <Panel title="Detected status">
      <div class="pad">
        {change ? (
          <dl class="kv">
            <dt>Status</dt>
            <dd class="strong">{wordOfStatus(detail?.status ?? 'idle')}</dd>
            {isDeveloper.value && (
              <>
                <dt>View</dt>
                <dd>
                  {change.label.replaceAll('_', ' ')} <span class="dim">({detail?.phase})</span>
                </dd>
                <dt>Source</dt>
                <dd>
                  {detail?.authority} <code class="dim">{detail?.rule}</code>
                </dd>
              </>
            )}
            <dt>For</dt>
            <dd class="num">{((ms - change.atMs) / 1000).toFixed(1)} s</dd>
          </dl>
        ) : (
          <p class="small soft">No status yet.</p>
        )}
      </div>
    </Panel>
  )
}

/** The messages and requests up to a position. */
export function ReplayConversation(props: {
  messages: readonly Message[]
  decisions: RecordingIndex['decisions']
  startedAt: number
  ms: number
  onSeek(ms: number): void
}) {
  const { startedAt, ms, decisions, onSeek } = props
  const messages = props.messages.filter(({ at }) => timeOf(at) - startedAt <= ms)
  const requests = decisions.filter(({ atMs }) => atMs <= ms)
  const entries = [
    ...messages.map(message => ({ at: timeOf(message.at) - startedAt, message, decision: null })),
    ...requests.map(decision => ({ at: decision.atMs, message: null, decision })),
  ].sort((a, b) => a.at - b.at)
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (box.current) box.current.scrollTop = box.current.scrollHeight
  }, [entries.length])
  return (
    <Panel title="Conversation" note={`${messages.length} of ${props.messages.length} messages`} class="replay-talk">
      <div class="talk" ref={box} tabIndex={0} role="region" aria-label="Conversation up to this position">
        {entries.length === 0 && <Empty title="No messages yet" />}
        {entries.map(({ at, message, decision }) =>
          message ? (
            <Blocks key={message.message} blocks={message.blocks} />
          ) : (
            <button
              key={decision!.approval}
              type="button"
              class="decision-line"
              onClick={() =>
                onSeek(decision!.decidedAtMs !== null && decision!.decidedAtMs <= ms ? decision!.decidedAtMs : at)
              }
            >
              <span class="strong">{decision!.title}</span>
              <span class="small soft">
                {decision!.decidedAtMs !== null && decision!.decidedAtMs <= ms
                  ? `decided by ${decision!.by} at ${formatClock(decision!.decidedAtMs)}, then ${decision!.state}`
                  : 'waiting for a decision'}
              </span>
            </button>
          ),
        )}
      </div>
    </Panel>
  )
}
