import { z } from 'zod'
import { graphOf } from '../../engine/index.js'
import { SignalboxError } from '../../errors/index.js'
import { Git } from '../../git/index.js'
import { handlerOf, labelOf, printDot, textOf } from '../../graph/index.js'
import { describeRun, drawingOf, drawSvg } from '../../runs/index.js'
import { imageAt, type ShareableDiff, shareableDiff } from '../../sessions/index.js'
import { type Route, route } from '../route.js'
import { answer } from '../schemas/common.js'
import { runGraph } from '../schemas/graphs.js'
import { runDiff } from '../schemas/runs.js'
import { tagged } from './panes-frame.js'
import { graphWork, journalOf, redacted } from './run-details.js'
import { imageAnswer, space } from './session-git.js'

const COMMIT = /^[0-9a-f]{7,64}$/
const DIFF_MAX = 4 * 1024 * 1024

export const runGraphRoutes: readonly Route[] = [
  route({
    id: 'runs.graph',
    method: 'GET',
    path: '/runs/:id/graph',
    summary: 'The graph of a run with its progress: as a picture, as JSON, or as DOT.',
    access: 'viewer',
    query: z.strictObject({ format: z.enum(['svg', 'json', 'dot']).default('svg') }),
    answers: {
      200: { description: 'the graph', schema: runGraph, media: ['image/svg+xml', 'text/vnd.graphviz'] },
      304: { description: 'not modified' },
    },
    handle: async call => {
      const { record, events } = await journalOf(call)
      const { input } = await graphWork(call, record)
      const graph = graphOf(input)
      const { format } = call.query
      if (format === 'dot') return tagged(call.header('if-none-match'), printDot(graph), 'text/vnd.graphviz')
      const drawing = drawingOf(events, await describeRun(call.host, record))
      if (format === 'svg')
        return tagged(
          call.header('if-none-match'),
          (await drawSvg(graph, { ...drawing, isUntitled: true })).svg,
          'image/svg+xml',
        )
      const nodes = [...graph.nodes.values()].map(node => {
        const state = drawing.states?.get(node.id)
        return {
          id: node.id,
          label: labelOf(graph, node),
          handler: handlerOf(node),
          attributes: Object.fromEntries([...node.attributes].map(([key, { value }]) => [key, value])),
          status: state?.status ?? 'idle',
          visits: state?.visits ?? 0,
          ms: state?.ms ?? 0,
        }
      })
      const edges = graph.edges.map(edge => ({
        id: edge.id,
        from: edge.from,
        to: edge.to,
        label: textOf(edge.attributes, 'label') ?? '',
        condition: textOf(edge.attributes, 'condition') ?? '',
        taken: drawing.taken?.get(edge.id) ?? 0,
      }))
      return call.json(redacted(call, { name: graph.name ?? '', nodes, edges }))
    },
  }),
  route({
    id: 'runs.diff',
    method: 'GET',
    path: '/runs/:id/diff',
    summary: 'The changes of a run in its repository: all, of a node, or between two commits.',
    access: 'viewer',
    query: z.strictObject({
      node: z.string().optional().describe('only the changes of this node’s commits'),
      from: z.string().regex(COMMIT).optional(),
      to: z.string().regex(COMMIT).optional(),
      space,
    }),
    answers: { 200: answer('a unified diff', runDiff) },
    handle: async call => {
      const { record, events } = await journalOf(call)
      const commits = events
        .filter(({ type, data }) => type === 'node.finished' && typeof data.commit === 'string')
        .map(({ data }) => ({ node: String(data.node), commit: String(data.commit) }))
      const base = record.kind === 'graph' ? (await graphWork(call, record)).input.workspace.base : null
      const { node } = call.query
      const last = node === undefined ? commits.at(-1) : commits.findLast(made => made.node === node)
      if (node !== undefined && !last)
        throw new SignalboxError('E_UNKNOWN', `node "${node}" has no commits`, { next: 'omit "node"' })
      const before = node === undefined || !last ? base : (commits[commits.indexOf(last) - 1]?.commit ?? base)
      const from = call.query.from ?? before
      const to = call.query.to ?? last?.commit ?? null
      const { text, hidden } = await diffBetween(record.cwd, from, to, call.query.space === 'ignore')
      const diff = call.host.redactor.redact(text.slice(0, DIFF_MAX))
      const git = new Git(record.cwd)
      const count = from === null ? null : await git.try(['rev-list', '--count', `${from}..${to ?? 'HEAD'}`])
      return call.json({
        branch: await git.branch(),
        commits: count?.code === 0 ? Number(count.stdout) : 0,
        ...{ from, to, diff, isCut: text.length > DIFF_MAX, hidden },
      })
    },
  }),
  route({
    id: 'runs.image',
    method: 'GET',
    path: '/runs/:id/image',
    summary: 'A changed image of the run’s repository, at a commit.',
    access: 'viewer',
    query: z.strictObject({
      path: z.string().min(1).max(4096).describe('from the top of the working tree'),
      commit: z.string().regex(COMMIT).optional().describe('if absent: as it is in the working tree'),
    }),
    answers: { 200: { description: 'its bytes', media: 'application/octet-stream' } },
    handle: async call => {
      const { record } = await journalOf(call)
      const { path, commit } = call.query
      return imageAnswer(await imageAt(new Git(record.cwd), path, commit ?? null))
    },
  }),
]

async function diffBetween(
  cwd: string,
  from: string | null,
  to: string | null,
  ignoresSpace: boolean,
): Promise<ShareableDiff> {
  const git = new Git(cwd)
  if ((await git.head()) === null)
    throw new SignalboxError('E_STATE', 'the run has no repository, or its directory was removed', {
      next: 'GET …/log shows what it did',
    })
  return shareableDiff(git, { from: from ?? 'HEAD', to, ignoresSpace })
}
