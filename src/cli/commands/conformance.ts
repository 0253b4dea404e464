import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newId, systemClock } from '../../clock/index.js'
import { createRun, getRun, graphWorkflow, MAIN, readRun, runStream } from '../../engine/index.js'
import { EXIT, SignalboxError, toSignalboxError } from '../../errors/index.js'
import { type Attributes, BUILT_IN_HANDLERS, type Diagnostic, type Graph, printDot, textOf } from '../../graph/index.js'
import { openHomeStore, openLedger } from '../../host/index.js'
import { openRuns } from '../../runs/index.js'
import type { StoredEvent } from '../../store/index.js'
import type { CommandContext } from '../context.js'
import { type ReadGraph, readGraph } from '../graphs/read-graph.js'
import type { CommandInput } from '../specs/command-spec.js'

/*
 * What outside suites for graph runners ask of an implementation: `parse`, `validate`, `run` and `list-handlers`, each answering with one JSON
 * value on standard output. Runs are simulated: no agent, no key, no repository, and nothing is left behind.
 */
export async function run(context: CommandContext, { args, options }: CommandInput): Promise<number> {
  const action = String(args.action)
  if (action === 'list-handlers') {
    context.json(BUILT_IN_HANDLERS)
    return EXIT.ok
  }
  try {
    if (args.file === undefined) throw new SignalboxError('E_INPUT', `${action} takes a DOT file`)
    const read = await readGraph(context, String(args.file))
    if (action === 'parse') return parse(context, read)
    if (action === 'validate') return validate(context, read.diagnostics)
    return await execute(context, read, options)
  } catch (error) {
    context.json({ error: toSignalboxError(error).message })
    return EXIT.failed
  }
}

function parse(context: CommandContext, { parsed }: ReadGraph): number {
  const [problem] = parsed.problems
  if (problem) {
    context.json({ error: `${problem.place.line}:${problem.place.column}: ${problem.message}` })
    return EXIT.failed
  }
  const { graph } = parsed
  context.json({
    name: graph.name,
    attributes: plain(graph.attributes),
    nodes: [...graph.nodes.values()].map(({ id, attributes }) => ({
      id,
      shape: textOf(attributes, 'shape') ?? 'box',
      label: textOf(attributes, 'label') ?? id,
      attributes: plain(attributes),
    })),
    edges: graph.edges.map(({ from, to, attributes }) => ({
      from,
      to,
      label: textOf(attributes, 'label') ?? '',
      condition: textOf(attributes, 'condition') ?? '',
      weight: Number(textOf(attributes, 'weight') ?? 0) || 0,
      attributes: plain(attributes),
    })),
  })
  return EXIT.ok
}

function plain(attributes: Attributes): Record<string, string> {
  return Object.fromEntries([...attributes].map(([key, { value }]) => [key, value]))
}

function validate(context: CommandContext, diagnostics: readonly Diagnostic[]): number {
  const isValid = !diagnostics.some(({ severity }) => severity === 'error')
  context.json({ valid: isValid, diagnostics })
  return isValid ? EXIT.ok : EXIT.failed
}

async function execute(context: CommandContext, read: ReadGraph, options: Record<string, unknown>): Promise<number> {
  const [error] = read.diagnostics.filter(({ severity }) => severity === 'error')
  if (error) throw new SignalboxError('E_GRAPH', `${error.line ?? 0}:${error.column ?? 0}: ${error.message}`)
  const directory = mkdtempSync(join(tmpdir(), 'signalbox-conformance-'))
  try {
    const { status, text, events, outcome } = await simulate(context, read.parsed.graph, directory, options)
    context.json({
      status: status === 'completed' ? 'success' : 'fail',
      ...(text !== null && { error: text }),
      context: outcome,
      nodes: nodesOf(events),
    })
    return status === 'completed' ? EXIT.ok : EXIT.failed
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

async function simulate(context: CommandContext, graph: Graph, directory: string, options: Record<string, unknown>) {
  const onError = (error: unknown) => context.note(toSignalboxError(error).message)
  const store = await openHomeStore({ dataDirectory: directory, clock: systemClock, onError })
  const host = openRuns({
    store,
    ledger: openLedger({ store, clock: systemClock, settings: {} }),
    clock: systemClock,
    dataDirectory: directory,
    envPass: [],
    env: context.env,
    isPersonal: false,
    maxRuns: 1,
    onError,
  })
  try {
    const id = newId('run')
    const input = {
      dot: printDot(graph),
      file: null,
      hash: '',
      inputs: {},
      agent: null,
      model: null,
      permissions: null,
      isAutoApproved: true,
      dryRun: options.script === undefined ? {} : (JSON.parse(String(options.script)) as never),
      workspace: { path: directory, branch: null, base: null },
      from: null,
    }
    const about = { kind: 'graph', title: graph.name ?? '', project: directory, cwd: directory, person: 'conformance' }
    await createRun(store, { ...about, input }, systemClock.now(), id)
    await host.driveHere(await getRun(store, id), { park: false })
    const events = await store.readStream(runStream(id))
    const { work } = (await readRun(store, id, graphWorkflow)).run
    const ending = events.find(({ type }) => type === 'run.failed')
    const text = ending ? String(ending.data.text ?? ending.data.reason) : null
    return { status: (await getRun(store, id)).status, text, events, outcome: work.cursors.get(MAIN)!.context }
  } finally {
    await host.close()
    await store.close()
  }
}

function nodesOf(events: readonly StoredEvent[]) {
  const retries = new Map<string, number>()
  return events.flatMap(({ type, data }) => {
    const name = `${String(data.branch ?? '')} ${String(data.node)}@${String(data.visit)}`
    if (type === 'node.retrying') retries.set(name, (retries.get(name) ?? 0) + 1)
    if (type !== 'node.finished') return []
    return [
      {
        id: data.node,
        visit: data.visit,
        status: data.status,
        output: data.notes ?? '',
        retry_count: retries.get(name) ?? 0,
      },
    ]
  })
}
