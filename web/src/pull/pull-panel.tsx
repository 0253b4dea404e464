import { useState } from 'preact/hooks'
import { plural, timeOf } from '../api/format'
import type { Run, RunPull } from '../api/types'
import { Blocks } from '../blocks/blocks'
import { markdownBlocks } from '../blocks/markdown'
import { Revealed } from '../diff/styled-text'
import { RunDiff } from '../run/run-diff'
import { ApiError, getJson } from '../transport/request'
import { Empty, Problem, Skeleton } from '../ui/panel'
import { TimeSince } from '../ui/time'
import { useLoad } from '../ui/use-load'

type Item = RunPull['rounds'][number]['items'][number] & { isSelected?: boolean }

const VERDICTS: Readonly<Record<NonNullable<Item['verdict']>, string>> = {
  must_fix: 'must fix',
  question: 'question',
  nit: 'nit',
  wrong: 'wrong',
  out_of_scope: 'out of scope',
}
const FOLLOWS = {
  no: 'not followed',
  green: 'followed until nothing is open',
  merged: 'followed until it is merged',
} as const

/** The pull request of a run: state, checks, and each round with its items and their answers. */
export function PullPanel({ run }: { run: Run }) {
  const { value, error, reload } = useLoad(
    run.id,
    signal => getJson<RunPull>(`/runs/${run.id}/pull`, { signal }),
    run.version,
  )
  if (!value && error instanceof ApiError && error.code === 'E_UNKNOWN')
    return (
      <div class="pad">
        <Empty title="No pull request yet" />
      </div>
    )
  if (!value) return <div class="pad">{error ? <Problem error={error} retry={reload} /> : <Skeleton />}</div>
  const rounds = [...value.rounds].reverse()
  return (
    <div class="stack wide pad pull">
      <div>
        <p class="row wrap">
          <span class={`pull-state ${value.state}`}>{value.state}</span>
          <a class="link strong" href={value.url} target="_blank" rel="noreferrer">
            #{value.number} <Revealed text={value.title} />
          </a>
        </p>
        <p class="small dim facts dots">
          <span>
            <code>{value.branch}</code> → <code>{value.base}</code>
          </span>
          <code>{value.head.slice(0, 10)}</code>
          <span>{FOLLOWS[value.follow]}</span>
          <span>
            {plural(value.rounds.length, 'round')} of at most {value.roundLimit}
          </span>
          {value.readAt && <TimeSince at={timeOf(value.readAt)} prefix="seen " suffix=" ago" />}
        </p>
      </div>
      <Checks checks={value.checks} />
      {value.open.length > 0 && (
        <section aria-label="Current round">
          <h3>Current round</h3>
          <Items items={value.open} />
        </section>
      )}
      {rounds.map(round => (
        <Round key={`${round.round} ${round.at}`} run={run} round={round} />
      ))}
      {rounds.length === 0 && value.open.length === 0 && <Empty title="No failed checks and no comments so far" />}
    </div>
  )
}

function Checks({ checks }: Pick<RunPull, 'checks'>) {
  if (checks.length === 0) return <p class="small soft">No checks</p>
  return (
    <ul class="pull-checks small" aria-label="Checks">
      {checks.map(({ name, state }) => (
        <li key={name} class={state}>
          <span class="check-state">{state}</span> <Revealed text={name} />
        </li>
      ))}
    </ul>
  )
}

function Round({ run, round }: { run: Run; round: RunPull['rounds'][number] }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <section aria-label={`Round ${round.round}`}>
      <div class="row wrap">
        <h3 class="grow">
          Round {round.round}{' '}
          <span class="small dim">
            <TimeSince at={timeOf(round.at)} suffix=" ago" />
          </span>
        </h3>
        {!round.isPublished && <span class="small">not published: you declined it</span>}
        {round.to !== null && (
          <button type="button" class="btn" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {isOpen ? 'Hide the diff' : 'Show the diff that answers it'}
          </button>
        )}
      </div>
      <Items items={round.items} />
      {isOpen && round.to !== null && <RunDiff run={run} from={round.from} to={round.to} />}
    </section>
  )
}

function Items({ items }: { items: readonly Item[] }) {
  return (
    <ol class="pull-items">
      {items.map(item => (
        <li key={item.number}>
          <p class="row wrap small">
            <span class={`verdict ${item.verdict ?? ''}`}>
              {item.verdict === null ? 'not judged yet' : VERDICTS[item.verdict]}
            </span>
            <span class="strong">
              {item.kind === 'check' ? `Check ${item.author}` : `${item.author}${item.isBot ? ' (bot)' : ''}`}
            </span>
            {item.kind === 'thread' && (
              <code>
                {item.file}
                {item.line === null ? '' : `:${item.line}`}
              </code>
            )}
            {item.isFixed && <span class="fixed">fixed</span>}
            {item.isSelected && <span class="fixed">will be fixed</span>}
          </p>
          {item.kind === 'check' ? (
            item.body !== '' && <pre class="context-value">{item.body.split('\n').slice(-12).join('\n')}</pre>
          ) : (
            <div class="pull-body">
              <Blocks blocks={markdownBlocks(item.body)} />
            </div>
          )}
          {item.reason !== '' && <p class="small soft">{item.reason}</p>}
          {item.reply !== '' && (
            <blockquote class="small">
              <Revealed text={item.reply} />
            </blockquote>
          )}
        </li>
      ))}
    </ol>
  )
}
