import type { ComponentChildren } from 'preact'
import { formatCost, formatCount } from '../api/format'
import type { NodeVisit, RunNode, RunStep } from '../api/types'
import { isDeveloper } from '../store/prefs'
import { sentence } from '../store/toasts'
import { getJson } from '../transport/request'
import { Empty, Problem, Skeleton } from '../ui/panel'
import { nodeBadge, StatusBadge } from '../ui/status'
import { Segments } from '../ui/tabs'
import { Clock, Took } from '../ui/time'
import { useLoad } from '../ui/use-load'

interface NodeDetailProps {
  run: string
  node: RunNode
  visit: number
  /** Changes with the run: the visit is loaded again. */
  version: number
  labelOf(node: string): string
  onVisit(visit: number): void
  onFork(node: string): void
}

/** What a node is, in the words of the guide; its type is a name of the file format. */
const HANDLERS: Readonly<Record<string, string>> = {
  codergen: 'Agent',
  prompt: 'Agent',
  tool: 'Command',
  'wait.human': 'Gate',
  wait: 'Wait',
  conditional: 'Condition',
  parallel: 'Parallel branches',
  'parallel.fan_in': 'Join',
  'stack.manager_loop': 'Manager loop',
  pipeline: 'Pipeline',
  start: 'Start',
  exit: 'End',
  code: 'Code',
}

/** One visit of a node: input, result, and the edge that the run took. */
export function NodeDetail({ run, node, visit, version, labelOf, onVisit, onFork }: NodeDetailProps) {
  const number = Math.min(Math.max(1, visit), Math.max(1, node.visits))
  const { value, error, reload } = useLoad(
    `${run}/${node.node}/${number}`,
    signal =>
      node.visits === 0
        ? Promise.resolve(null)
        : getJson<NodeVisit>(`/runs/${run}/nodes/${encodeURIComponent(node.node)}/visits/${number}`, { signal }),
    version,
  )
  // The node has the status of its last visit.
  const status = value?.status ?? node.status
  return (
    <div class="stack wide pad">
      <div class="row wrap">
        <StatusBadge badge={nodeBadge(status)} isLive={status === 'running'} />
        <span class="small dim node-kind">{node.handler && (HANDLERS[node.handler] ?? node.handler)}</span>
        {node.visits > 1 && (
          <Segments
            label="Visit"
            value={String(number)}
            choices={Array.from({ length: node.visits }, (_, index) => ({
              value: String(index + 1),
              label: `visit ${index + 1}`,
            }))}
            onChange={value => onVisit(Number(value))}
          />
        )}
        {node.visits > 1 && (
          <a
            class="btn"
            href={`/compare/runs?${new URLSearchParams({
              a: run,
              b: run,
              node: node.node,
              av: String(number > 1 ? number - 1 : 1),
              bv: String(number > 1 ? number : 2),
            })}`}
          >
            Compare
          </a>
        )}
        {node.visits > 0 && (
          <button type="button" class="btn" onClick={() => onFork(node.node)}>
            Fork here
          </button>
        )}
      </div>
      {node.visits === 0 ? (
        <Empty title="Not started" />
      ) : value ? (
        <VisitView visit={value} labelOf={labelOf} />
      ) : error ? (
        <Problem error={error} retry={reload} />
      ) : (
        <Skeleton />
      )}
    </div>
  )
}

/** Why the run took this edge; without an entry there was only one. */
const REASONS: Readonly<Record<string, string>> = {
  override: 'chosen by a person',
  gate: 'by the answer',
  condition: 'by its condition',
  diamond: 'by its condition',
  retry_target: 'to try again',
  label: 'chosen by the agent',
  suggested: 'suggested by the agent',
  goal: 'the goal is not met yet',
}

function VisitView({ visit, labelOf }: { visit: NodeVisit; labelOf(node: string): string }) {
  return (
    <>
      <dl class="kv">
        <dt>Started</dt>
        <dd>
          <Clock at={visit.startedAt} /> · <Took from={visit.startedAt} to={visit.endedAt} />
        </dd>
        {visit.edge && (
          <>
            <dt>Next step</dt>
            <dd>
              <b>{labelOf(visit.edge.to)}</b>
              {REASONS[visit.edge.reason] && <span class="dim"> · {REASONS[visit.edge.reason]}</span>}
            </dd>
          </>
        )}
        {visit.failureReason && (
          <>
            <dt>Failed</dt>
            <dd style={{ color: 'var(--danger)' }}>
              {sentence(visit.failureReason)}{' '}
              {visit.failureClass && visit.failureClass !== 'unknown' && (
                <span class="dim">({visit.failureClass.replaceAll('_', ' ')})</span>
              )}
            </dd>
          </>
        )}
        {visit.notes && (
          <>
            <dt>Notes</dt>
            <dd>{visit.notes}</dd>
          </>
        )}
        {visit.commit && (
          <>
            <dt>Commit</dt>
            <dd>
              <code>{visit.commit.slice(0, 12)}</code>
            </dd>
          </>
        )}
        {visit.retries.map(retry => (
          <>
            <dt key={retry.attempt}>Retry {retry.attempt}</dt>
            <dd>{retry.reason}</dd>
          </>
        ))}
      </dl>
      {visit.attempts.map(attempt => (
        <AttemptView key={attempt.step} attempt={attempt} isFailed={visit.status === 'fail'} />
      ))}
    </>
  )
}

/** A command that ran to its end is a finished step; its exit code may still fail the node. */
function AttemptView({ attempt, isFailed }: { attempt: RunStep; isFailed: boolean }) {
  const { usage, recovery } = attempt
  return (
    <section class="attempt">
      <header class="row wrap small">
        <span class="strong">{`Attempt ${attempt.attempt}`}</span>
        <StatusBadge
          badge={nodeBadge(isFailed && attempt.status === 'ok' ? 'fail' : STATUS[attempt.status])}
          isLive={attempt.status === 'open'}
        />
        <span class="dim">
          {isDeveloper.value && `${attempt.effect} · `}
          <Took from={attempt.startedAt} to={attempt.endedAt} />
          {usage && ` · ${formatCost(usage)} · ${formatCount(usage.input)} in, ${formatCount(usage.output)} out`}
        </span>
        {attempt.session && (
          <a class="link" href={`/s/${attempt.session}`}>
            terminal
          </a>
        )}
      </header>
      {attempt.reason && <p class="small soft">{attempt.reason}</p>}
      {recovery && (
        <div class="recovery small">
          <p>
            Recovery: <b>{recovery.verdict}</b>
          </p>
          <ul>
            {recovery.evidence.map((piece, index) => (
              <li key={index} class="soft">
                {piece.source}: {piece.says}
              </li>
            ))}
          </ul>
        </div>
      )}
      <Value title="Input" value={attempt.input} />
      <Value title="Result" value={attempt.result} isOpen />
    </section>
  )
}

const STATUS: Readonly<Record<RunStep['status'], Parameters<typeof nodeBadge>[0]>> = {
  open: 'running',
  ok: 'success',
  failed: 'fail',
  silent: 'fail',
  cancelled: 'cancelled',
  lost: 'fail',
  cut: 'cancelled',
}

/** The main text of a value, and its other fields as JSON. */
function Value({ title, value, isOpen = false }: { title: string; value: unknown; isOpen?: boolean }) {
  if (value === null || value === undefined) return null
  const { text, rest } = splitValue(value)
  let body: ComponentChildren = null
  if (text !== null && text.trim() !== '') body = <pre class="code-box wrap">{text}</pre>
  return (
    <details class="value" open={isOpen}>
      <summary class="small strong">{title}</summary>
      {body}
      {rest !== null &&
        (text === null ? (
          <pre class="code-box wrap dim">{JSON.stringify(rest, null, 2)}</pre>
        ) : (
          <details>
            <summary class="tiny dim">Raw result</summary>
            <pre class="code-box wrap dim">{JSON.stringify(rest, null, 2)}</pre>
          </details>
        ))}
    </details>
  )
}

/** A value as one text: its main text first, then the other fields as JSON. */
export function valueText(value: unknown): string {
  if (value === null || value === undefined) return ''
  const { text, rest } = splitValue(value)
  return [text, rest === null ? null : JSON.stringify(rest, null, 2)].filter(part => part !== null).join('\n')
}

const TEXTS = ['prompt', 'response', 'text', 'answer', 'output', 'message', 'command']

function splitValue(value: unknown): { text: string | null; rest: unknown } {
  if (typeof value === 'string') return { text: value, rest: null }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { text: null, rest: value }
  const entries = Object.entries(value)
  const found = entries.find(([name, part]) => TEXTS.includes(name) && typeof part === 'string')
  const rest = entries.filter(entry => entry !== found)
  return { text: (found?.[1] as string) ?? null, rest: rest.length > 0 ? Object.fromEntries(rest) : null }
}
