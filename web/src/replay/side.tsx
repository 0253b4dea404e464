import { useEffect, useRef } from 'preact/hooks'
import { formatClock, timeOf } from '../api/format'
import type { Message } from '../api/types'
import { Blocks } from '../blocks/blocks'
import { Empty, Panel } from '../ui/panel'
import type { Decision, Index } from './moments'

/** What Signalbox thought at that moment. */
export function Thought({ index, ms }: { index: Index; ms: number }) {
  const change = index.markers.findLast(({ kind, atMs }) => kind === 'change' && atMs <= ms)
  const { detail } = change ?? {}
  return (
    <Panel title="What Signalbox thought">
      <div class="pad">
        {change ? (
          <dl class="kv">
            <dt>View</dt>
            <dd class="strong">{change.label.replaceAll('_', ' ')}</dd>
            <dt>Status</dt>
            <dd>
              {detail?.status} <span class="dim">({detail?.phase})</span>
            </dd>
            <dt>By</dt>
            <dd>
              {detail?.authority} <code class="dim">{detail?.rule}</code>
            </dd>
            <dt>For</dt>
            <dd class="num">{((ms - change.atMs) / 1000).toFixed(1)} s</dd>
          </dl>
        ) : (
          <p class="small soft">Nothing had been read yet.</p>
        )}
      </div>
    </Panel>
  )
}

export function Talk(props: {
  messages: readonly Message[]
  decisions: readonly Decision[]
  began: number
  ms: number
  onSeek(ms: number): void
}) {
  const { began, ms, decisions, onSeek } = props
  const said = props.messages.filter(({ at }) => timeOf(at) - began <= ms)
  const asked = decisions.filter(({ atMs }) => atMs <= ms)
  const entries = [
    ...said.map(message => ({ at: timeOf(message.at) - began, message, decision: null })),
    ...asked.map(decision => ({ at: decision.atMs, message: null, decision })),
  ].sort((a, b) => a.at - b.at)
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (box.current) box.current.scrollTop = box.current.scrollHeight
  }, [entries.length])
  return (
    <Panel title="Conversation" note={`${said.length} of ${props.messages.length} messages`} class="replay-talk">
      <div class="talk" ref={box} tabIndex={0} role="region" aria-label="Conversation up to this moment">
        {entries.length === 0 && <Empty title="Nothing said yet" />}
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
                  : 'waits for a decision'}
              </span>
            </button>
          ),
        )}
      </div>
    </Panel>
  )
}
