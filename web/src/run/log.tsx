import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { formatTook } from '../api/format'
import type { LogLine, RunLog as RunLogBody, RunNode } from '../api/types'
import { isDeveloper } from '../store/prefs'
import { getJson } from '../transport/request'
import { Empty, Problem, Skeleton } from '../ui/panel'
import { nodeBadge, StatusIcon } from '../ui/status'
import { Clock, Took } from '../ui/time'
import { useLoad } from '../ui/use-load'
import { groupLog, type LogGroup } from './log-groups'
import { stepName } from './step-name'

interface RunLogProps {
  run: string
  version: number
  node: string | null
  /** Null until it is loaded; steps have no names before. */
  nodes: readonly RunNode[] | null
  /** The error that the page shows above the log. */
  said: string
  /** The run has not ended: what its agents write is loaded again regularly. */
  isOpen: boolean
}

/** Output of agents and commands is in files, which no event reports. */
const FOLLOW_MS = 1_000
/** The newest lines; the whole log is a download. */
const LINES_MAX = 3_000

/** What the steps of the run did, step by step; the raw events on request. */
export function RunLog({ run, version, node, nodes, said, isOpen }: RunLogProps) {
  const [words, setWords] = useState('')
  const [isRaw, setRaw] = useState(isDeveloper.value)
  const filter = new URLSearchParams({ last: String(LINES_MAX), ...(node && { node }) })
  const { value, error, reload } = useLoad(
    run,
    signal => getJson<RunLogBody>(`/runs/${run}/log?${filter}`, { signal }),
    `${filter} ${version}`,
  )
  const lines = value?.items
  useEffect(() => {
    if (!isOpen) return
    const timer = setInterval(() => document.visibilityState === 'visible' && reload(), FOLLOW_MS)
    return () => clearInterval(timer)
  }, [isOpen, reload])
  const isFound = ({ text, type }: { text: string; type?: string }) =>
    `${type ?? ''} ${text}`.toLowerCase().includes(words.toLowerCase())
  const groups = useMemo(() => (lines && nodes ? groupLog(lines, nodes, said) : null), [lines, nodes, said])
  // A step without output of an agent says little: the newest one with it is shown.
  const newest = groups?.findLast(group => group.status !== null && group.lines.some(({ kind }) => kind !== 'event'))
  return (
    <div class="stack pad">
      <div class="row wrap">
        <input
          class="input search"
          type="search"
          aria-label="Search the log"
          placeholder="Search"
          value={words}
          onInput={event => setWords(event.currentTarget.value)}
        />
        <span class="grow small dim">{node && `only ${nodes?.find(one => one.node === node)?.label ?? node}`}</span>
        <label class="row small">
          <input type="checkbox" checked={isRaw} onChange={event => setRaw(event.currentTarget.checked)} /> Raw events
        </label>
      </div>
      {!groups || !lines ? (
        error ? (
          <Problem error={error} retry={reload} />
        ) : (
          <Skeleton />
        )
      ) : isRaw ? (
        <RawLog lines={lines.filter(isFound)} />
      ) : groups.length === 0 ? (
        <Empty title="Nothing was logged yet" />
      ) : (
        <div class="step-log">
          {value!.begin > 0 && (
            <p class="small dim">
              {value!.begin.toLocaleString('en')} earlier lines are not shown: <code>signalbox logs {run}</code>
            </p>
          )}
          {groups.map(group => (
            <Group
              key={group.key}
              group={group}
              isFound={isFound}
              hasWords={words !== ''}
              isNewest={group === newest}
            />
          ))}
        </div>
      )}
    </div>
  )
}

function Group(props: {
  group: LogGroup
  isFound(line: { text: string }): boolean
  hasWords: boolean
  isNewest: boolean
}) {
  const { group, isFound, hasWords, isNewest } = props
  const lines = group.lines.filter(isFound)
  const body = useRef<HTMLDivElement>(null)
  const isRunning = group.status === 'running'
  const isOver = !isRunning && group.status !== 'waiting'
  const isAtEnd = isRunning || group.status === 'fail'
  // The output of a running step stays at its end, and the end of a failed one says why.
  useEffect(() => {
    if (isAtEnd && body.current) body.current.scrollTop = body.current.scrollHeight
  }, [isAtEnd, lines.length])
  if (hasWords && lines.length === 0) return null
  const content = lines.map((line, index) => (
    <div key={index} class={`${line.level} ${line.kind === 'event' ? '' : 'output'} ${line.kind}`}>
      <Clock at={line.at} isExact />
      <LineText line={line} />
    </div>
  ))
  if (group.status === null) return <div class="step-lines run-lines">{content}</div>
  const isOpen = group.status === 'fail' || isRunning || group.status === 'waiting' || hasWords || isNewest
  return (
    <details class="step-group" open={isOpen}>
      <summary>
        <StepIcon status={group.status} isLive={isRunning} />
        <span class="strong grow cut">{group.title}</span>
        {group.status !== 'success' && <span class="small step-word">{nodeBadge(group.status).word}</span>}
        <span class="small dim num">
          {isOver && group.to > group.from ? formatTook(group.to - group.from) : ''}
          {!isOver && <Took from={group.from} to={null} />}
        </span>
      </summary>
      <div class="step-lines" ref={body} tabIndex={0} role="region" aria-label={`Log of ${group.title}`}>
        {content.length > 0 ? content : <p class="small dim">{isOver ? 'No output' : 'No output yet'}</p>}
      </div>
    </details>
  )
}

/** The icon alone, so that all names begin at the same place; only success needs no word. */
function StepIcon({ status, isLive }: { status: RunNode['status']; isLive: boolean }) {
  const { tone, shape, word } = nodeBadge(status)
  return (
    <span class={`badge tone-${tone}`}>
      <StatusIcon shape={shape} isLive={isLive} />
      {status === 'success' && <span class="sr">{word}</span>}
    </span>
  )
}

/** Rows of a tool's output that are shown at once. */
const RESULT_ROWS = 6

function LineText({ line: { text, kind } }: { line: LogGroup['lines'][number] }) {
  const rows = text.split('\n')
  const tool = kind === 'tool' ? /^(\S+) (.*)$/s.exec(text) : null
  return (
    <span class="text" dir="auto">
      {tool ? (
        <>
          <b>{tool[1]}</b> {tool[2]}
        </>
      ) : kind === 'result' && rows.length > RESULT_ROWS + 1 ? (
        <>
          {rows.slice(0, RESULT_ROWS).join('\n')}
          <details>
            <summary class="small dim">{rows.length - RESULT_ROWS} more lines</summary>
            {rows.slice(RESULT_ROWS).join('\n')}
          </details>
        </>
      ) : (
        text
      )}
    </span>
  )
}

function RawLog({ lines }: { lines: readonly LogLine[] }) {
  if (lines.length === 0) return <Empty title="No line matches this search" />
  return (
    <div class="log" tabIndex={0} role="region" aria-label="Log">
      {lines.map((line, index) => (
        <div key={index} class={line.level}>
          <Clock at={line.at} isExact />
          <span class="level">{line.level === 'info' ? line.source : line.level}</span>
          <code class="cut" title={line.step ?? line.type}>
            {line.step === null ? line.type : stepName(line.step)}
          </code>
          <span class="text">
            {line.step !== null && <span class="dim">{line.type} </span>}
            {line.raw ?? line.text}
          </span>
        </div>
      ))}
    </div>
  )
}
