import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import { type Clock, systemClock, type Timer } from '../../clock/index.js'
import {
  type Drawing,
  type DrawnState,
  drawDot,
  drawPlain,
  edgesFrom,
  type Graph,
  handlerOf,
  textOf,
} from '../../graph/index.js'
import type { StoredEvent } from '../../store/index.js'
import { formatDuration, nodeWord } from '../../text/index.js'

/** Graphviz would take minutes for a larger graph. */
const SVG_NODES_MAX = 2_000

/**
 * What happened in a run, by node and edge. Nothing works at a node of a run that is paused, or
 * that no process drives.
 */
export function drawingOf(events: readonly StoredEvent[], { isUndriven }: { isUndriven: boolean }): Drawing {
  const states = new Map<string, DrawnState>()
  const taken = new Map<string, number>()
  const startedAt = new Map<string, number>()
  const gates = new Map<string, string>()
  for (const { type, data, at } of events) {
    const node = String(data.node ?? '')
    const before = states.get(node)
    if (type === 'node.started') {
      startedAt.set(`${String(data.branch ?? '')} ${node}`, at)
      states.set(node, { status: 'running', visits: (before?.visits ?? 0) + 1, ms: before?.ms ?? 0 })
    } else if (type === 'node.finished' && before) {
      const ms = before.ms + Math.max(0, at - (startedAt.get(`${String(data.branch ?? '')} ${node}`) ?? at))
      states.set(node, { ...before, status: data.status as DrawnState['status'], ms })
    } else if (type === 'edge.selected' && typeof data.edge === 'string')
      taken.set(data.edge, (taken.get(data.edge) ?? 0) + 1)
    else if (type === 'branch.started') taken.set(String(data.edge), (taken.get(String(data.edge)) ?? 0) + 1)
    else if (type === 'gate.opened') gates.set(String(data.gate), nodeOfStep(String(data.gate)))
    else if (ENDS.has(type)) {
      gates.clear()
      change(states, ['running', 'paused'], 'cancelled')
    } else if (type === 'run.paused') change(states, ['running'], 'paused')
    else if (type === 'run.resumed') change(states, ['cancelled', 'paused'], 'running')
    else if (type === 'gate.answered' || type === 'gate.expired') gates.delete(String(data.gate))
  }
  if (isUndriven) change(states, ['running'], 'interrupted')
  for (const node of gates.values()) {
    const state = states.get(node)
    if (state) states.set(node, { ...state, status: 'waiting' })
  }
  return { states, taken }
}

const ENDS: ReadonlySet<string> = new Set(['run.cancelled', 'run.failed', 'run.rejected', 'run.completed'])

/** No node of a run that has ended is still running; one that failed can be resumed. */
function change(
  states: Map<string, DrawnState>,
  from: readonly DrawnState['status'][],
  to: DrawnState['status'],
): void {
  for (const [node, state] of states) if (from.includes(state.status)) states.set(node, { ...state, status: to })
}

/** `p@1.2/review@1#1` → `review` */
function nodeOfStep(step: string): string {
  const own = step.slice(step.lastIndexOf('/') + 1)
  return own.slice(0, own.indexOf('@'))
}

export interface DrawnPicture {
  svg: string
  /** Why the picture is a plain one; null if Graphviz laid it out. */
  why: string | null
}

/** A graph as SVG by Graphviz in a worker with a timeout; else a plain picture. */
export async function drawSvg(
  graph: Graph,
  drawing: Drawing,
  { timeoutMs = 10_000, clock = systemClock }: { timeoutMs?: number; clock?: Clock } = {},
): Promise<DrawnPicture> {
  const { size } = graph.nodes
  if (size > SVG_NODES_MAX)
    return {
      svg: drawPlain(graph, drawing),
      why: `the graph has ${size} nodes; the limit for Graphviz is ${SVG_NODES_MAX}`,
    }
  const laidOut = await createLayout(drawDot(graph, drawing), timeoutMs, clock)
  if (typeof laidOut === 'string') return { svg: laidOut, why: null }
  return { svg: drawPlain(graph, drawing), why: laidOut.why }
}

/** Runs in a worker thread, which can be terminated: a layout cannot be interrupted. */
const LAYOUT = `
const { parentPort, workerData } = require('node:worker_threads')
import(workerData.viz)
  .then(({ instance }) => instance())
  .then(viz => parentPort.postMessage({ svg: viz.renderString(workerData.dot, { format: 'svg', engine: 'dot' }) }))
  .catch(error => parentPort.postMessage({ why: String(error && error.message || error) }))
`

async function createLayout(dot: string, timeoutMs: number, clock: Clock): Promise<string | { why: string }> {
  const viz = pathToFileURL(createRequire(import.meta.url).resolve('@viz-js/viz')).href
  const worker = new Worker(LAYOUT, { eval: true, workerData: { viz, dot }, stdout: true, stderr: true })
  let timer: Timer | null = null
  try {
    return await new Promise(resolve => {
      timer = clock.setTimer(timeoutMs, () => resolve({ why: `Graphviz took longer than ${timeoutMs / 1000} s` }))
      worker.once('message', ({ svg, why = 'no picture' }: { svg?: string; why?: string }) => resolve(svg ?? { why }))
      worker.once('error', error => resolve({ why: (error as Error).message }))
    })
  } finally {
    ;(timer as Timer | null)?.cancel()
    await worker.terminate()
  }
}

/** The graph as a Markdown table, for text output and screen readers. */
export function drawMarkdown(graph: Graph, { states, taken }: Drawing): string {
  const cell = (text: string) => text.replace(/\|/g, '\\|').replace(/\s+/g, ' ').trim()
  const title = textOf(graph.attributes, 'label') || textOf(graph.attributes, 'goal') || graph.name || 'Workflow'
  const lines = [`# ${cell(title)}`, '', '| node | handler | leads to |', '|---|---|---|']
  if (states) {
    lines[2] = '| node | handler | state | visits | time | leads to |'
    lines[3] = '|---|---|---|---|---|---|'
  }
  for (const node of graph.nodes.values()) {
    const label = textOf(node.attributes, 'label')
    const name = label && label !== node.id ? `\`${node.id}\` ${cell(label)}` : `\`${node.id}\``
    const state = states?.get(node.id)
    const own = states
      ? ` ${state ? nodeWord(state.status) : '–'} | ${state?.visits ?? 0} | ${state ? formatDuration(state.ms) : '–'} |`
      : ''
    const targets = edgesFrom(graph, node.id).map(edge => {
      const why = textOf(edge.attributes, 'condition') || textOf(edge.attributes, 'label') || ''
      const mark = taken?.has(edge.id) ? ' ✓' : ''
      return `\`${edge.to}\`${why ? ` (${cell(why)})` : ''}${mark}`
    })
    lines.push(`| ${name} | ${handlerOf(node)} |${own} ${targets.join(', ')} |`)
  }
  return `${lines.join('\n')}\n`
}
