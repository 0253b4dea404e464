import { timeOf } from '../api/format'
import type { LogLine, RunNode } from '../api/types'
import { sentence } from '../store/toasts'

interface ShownLine {
  at: string
  level: LogLine['level']
  text: string
  /** What an agent said, what a command printed, a tool of the agent, or what that returned. */
  kind: 'event' | 'output' | 'tool' | 'result'
}

/** The lines of one visit of a node, as one step of the run. */
export interface LogGroup {
  key: string
  title: string
  status: RunNode['status'] | null
  from: number
  to: number
  lines: ShownLine[]
}

type Sentence = (line: LogLine) => string | null

/** Events that a person wants to read; all others are behind *Raw events*. */
const SENTENCES: Readonly<Record<string, Sentence>> = {
  'run.started': () => 'The run started',
  'run.completed': () => 'The run is done',
  'run.failed': ({ text }) => (text ? `The run failed: ${text}` : 'The run failed'),
  'run.cancelled': () => 'The run was cancelled',
  'run.paused': ({ text }) => `The run was paused${text ? `: ${text}` : ''}`,
  'run.resumed': () => 'The run was resumed',
  'run.notice': ({ text }) => text,
  'node.retrying': ({ text }) => `Retrying: ${text}`,
  'gate.opened': () => 'Waiting for your answer',
  'gate.answered': () => 'Answered',
  'gate.expired': () => 'Expired without an answer',
  'step.lost': ({ text }) => `The process ended unexpectedly${text ? `: ${text}` : ''}`,
  'budget.warned': ({ text }) => text,
  'budget.exceeded': ({ text }) => text,
  'branch.started': () => 'A branch started',
  'commit.made': ({ text }) => `Committed${text ? `: ${text}` : ''}`,
}

/**
 * The log as a person reads it: one group for each visit of a node, sentences instead of events.
 * `said`: the error that the page shows above.
 */
export function groupLog(all: readonly LogLine[], nodes: readonly RunNode[], said = ''): LogGroup[] {
  // The log does not repeat what the page shows above it.
  const lines =
    said === '' ? all : all.map(line => (line.level === 'error' && line.text === said ? { ...line, text: '' } : line))
  const groups: LogGroup[] = []
  const visits = new Map<string, number>()
  const open = new Map<string, LogGroup>()
  const last = new Map<string, LogGroup>()
  const isNode = (name: string) => nodes.some(({ node }) => node === name)
  // A node may have several agents at work: `reviewer:security` is one of those of `reviewer`.
  const nodeOf = (name: string) => {
    const owner = name.split(':')[0]!
    return !isNode(name) && isNode(owner) ? owner : name
  }
  const labelOf = (node: string) => nodes.find(candidate => candidate.node === node)?.label ?? node
  let run: LogGroup | null = null
  for (const line of lines) {
    const at = timeOf(line.at)
    if (line.node === null) {
      const text = SENTENCES[line.type]?.(line) ?? null
      if (text === null) continue
      // A gate is reported by the run; its node is the one that was just opened.
      const gate = line.type.startsWith('gate.') ? [...open.values()].at(-1) : undefined
      if (gate) {
        gate.lines.push({ at: line.at, level: line.level, text, kind: 'event' })
        gate.to = Math.max(gate.to, at)
        continue
      }
      if (!run || groups.at(-1) !== run) {
        run = { key: `run${groups.length}`, title: '', status: null, from: at, to: at, lines: [] }
        groups.push(run)
      }
      run.lines.push({ at: line.at, level: line.level, text, kind: 'event' })
      run.to = at
      continue
    }
    const node = nodeOf(line.node)
    // What is written after the end of a visit still belongs to it.
    if (line.type === 'node.started' || !last.has(node)) {
      const visit = (visits.get(node) ?? 0) + 1
      visits.set(node, visit)
      const title = `${labelOf(node)}${visit > 1 ? `, visit ${visit}` : ''}`
      const group: LogGroup = {
        key: `${node}@${visit}`,
        title,
        status: 'running',
        from: at,
        to: at,
        lines: [],
      }
      open.set(node, group)
      last.set(node, group)
      groups.push(group)
    }
    const group = last.get(node)!
    group.to = Math.max(group.to, at)
    if (line.type === 'node.finished') {
      group.status = line.level === 'error' ? 'fail' : 'success'
      if (line.level === 'error' && line.text !== '')
        group.lines.push({ at: line.at, level: 'error', text: sentence(line.text), kind: 'event' })
      open.delete(node)
      continue
    }
    const text = line.source === 'agent' ? line.text : (SENTENCES[line.type]?.(line) ?? null)
    if (!text || (line.type === 'result' && endsWithAnswer(group, text))) continue
    group.lines.push({ at: line.at, level: line.level, text, kind: kindOf(line) })
  }
  // A node that did not end has the status that the run gives it.
  for (const [node, group] of open) group.status = nodes.find(one => one.node === node)?.status ?? group.status
  // Where a graph starts and ends nothing happens that a person wants to read.
  const isEdge = ({ key }: LogGroup) =>
    ['start', 'exit'].includes(nodes.find(({ node }) => key.startsWith(`${node}@`))?.handler ?? '')
  return groups.filter(group => group.lines.length > 0 || !isEdge(group))
}

/** The last answer of an agent is also its result. */
function endsWithAnswer({ lines }: LogGroup, text: string): boolean {
  return lines.some(line => line.kind === 'output' && line.text.trim() === text.trim())
}

function kindOf({ source, type }: LogLine): ShownLine['kind'] {
  if (source !== 'agent') return 'event'
  return type === 'tool_call' ? 'tool' : type === 'tool_result' ? 'result' : 'output'
}
