import { readFileSync, realpathSync, statSync } from 'node:fs'
import { extname, isAbsolute, join, relative } from 'node:path'
import { z } from 'zod'
import { isSecretPath } from '../../approvals/index.js'
import { type graphOf, listRuns } from '../../engine/index.js'
import { SignalboxError } from '../../errors/index.js'
import { Git } from '../../git/index.js'
import { parseDot } from '../../graph/index.js'
import { drawSvg, loadGraph } from '../../runs/index.js'
import { type Call, type Route, route } from '../route.js'
import { answer } from '../schemas/common.js'
import { graphCheck, graphList } from '../schemas/graphs.js'

const DOT_MAX = 1024 * 1024

const sourceBody = z.union([
  z.strictObject({ dot: z.string().max(DOT_MAX), project: z.string().optional() }),
  z.strictObject({ file: z.string().max(4096), project: z.string() }),
])

/** DOT files: validation and drawing. Nothing of them runs. */
export const graphRoutes: readonly Route[] = [
  route({
    id: 'graphs.validate',
    method: 'POST',
    path: '/graphs/validate',
    summary: 'Validates a graph.',
    access: 'viewer',
    isWrite: false,
    body: sourceBody,
    answers: { 200: answer('the diagnostics', graphCheck) },
    handle: async call => {
      const { parsed, diagnostics } = await read(call)
      const { nodes, edges } = parsed.graph
      const valid = diagnostics.every(({ severity }) => severity !== 'error')
      return call.json({ valid, nodes: nodes.size, edges: edges.length, diagnostics })
    },
  }),
  route({
    id: 'graphs.render',
    method: 'POST',
    path: '/graphs/render',
    summary: 'Draws a graph.',
    access: 'viewer',
    isWrite: false,
    body: sourceBody,
    answers: { 200: { description: 'the picture', media: 'image/svg+xml' } },
    handle: async call => {
      const { parsed } = await read(call)
      const [problem] = parsed.problems
      if (problem)
        throw new SignalboxError('E_DOT_SYNTAX', problem.message, {
          next: 'correct it; POST /graphs/validate lists every problem',
          ...(problem.position && { place: { file: 'graph', ...problem.position } }),
        })
      const { svg } = await drawSvg(parsed.graph, { isUntitled: true })
      return new Response(svg, { headers: { 'content-type': 'image/svg+xml; charset=utf-8' } })
    },
  }),
  route({
    id: 'graphs.list',
    method: 'GET',
    path: '/graphs',
    summary: 'The DOT files of runs, each with its newest run.',
    access: 'viewer',
    answers: { 200: answer('newest first', graphList) },
    handle: async call => {
      const { store } = call.host
      const found = new Map<
        string,
        { file: string; project: string; runs: number; lastRun: string; at: number; nodes: number }
      >()
      for (const run of (await listRuns(store)).filter(({ kind }) => kind === 'graph').slice(0, 200)) {
        const created = (await store.readStream(`run/${run.id}`, { limit: 1 }))[0]
        const input = created?.data.input as Parameters<typeof graphOf>[0] | undefined
        if (!input?.file) continue
        const known = found.get(input.file)
        if (known) known.runs++
        else
          found.set(input.file, {
            file: input.file,
            project: run.project,
            runs: 1,
            lastRun: run.id,
            at: run.createdAt,
            nodes: parseDot(input.dot).graph.nodes.size,
          })
      }
      return call.json({ items: [...found.values()], position: await call.position() })
    },
  }),
]

type Source = z.output<typeof sourceBody>

async function read({ body, host, parts }: Pick<Call<unknown, Source>, 'body' | 'host' | 'parts'>) {
  const directory = body.project === undefined ? null : await knownProject(host, body.project)
  const dot = 'dot' in body ? body.dot : readDot(directory!, body.file)
  const search = { home: parts.home(), env: parts.env, cwd: directory ?? '/' }
  return loadGraph(search, { text: dot, path: null, name: 'the graph' }, { hasProject: directory !== null })
}

/** Files are read only in projects of sessions or runs, not at arbitrary paths. */
async function knownProject(host: Call['host'], path: string): Promise<string> {
  const known = new Set([
    ...(await host.records()).map(({ project }) => project),
    ...(await listRuns(host.store)).flatMap(({ project, cwd }) => [project, cwd]),
  ])
  try {
    const real = realpathSync(path)
    if (isAbsolute(path) && (known.has(real) || known.has(path))) return (await new Git(real).root()) ?? real
  } catch {
    // Reported like an unknown project.
  }
  throw new SignalboxError('E_UNKNOWN', 'no session or run has used this directory', {
    next: 'GET /api/v1/projects lists them',
  })
}

function readDot(project: string, file: string): string {
  const no = () =>
    new SignalboxError('E_UNKNOWN', 'the project has no such graph', {
      next: 'name a .dot or .gv file, relative to the project',
    })
  try {
    const real = realpathSync(join(project, file))
    const inside = relative(project, real)
    const isDot = ['.dot', '.gv'].includes(extname(real))
    const { size } = statSync(real)
    if (
      inside.startsWith('..') ||
      isAbsolute(inside) ||
      !isDot ||
      isSecretPath(real) ||
      !statSync(real).isFile() ||
      size > DOT_MAX
    )
      throw no()
    return readFileSync(real, 'utf8')
  } catch {
    throw no()
  }
}
