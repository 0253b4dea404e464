import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../../clock/index.js'
import { type GraphInput, graphWorkflow, MAIN, readRun, runStream } from '../../engine/index.js'
import { EXIT, SignalboxError, toSignalboxError } from '../../errors/index.js'
import { type Attributes, BUILT_IN_HANDLERS, type Diagnostic, textOf } from '../../graph/index.js'
import { openHome } from '../../host/home/index.js'
import { openHomeStore } from '../../host/index.js'
import { driveRun, type LoadedGraph, loadGraph, readGraphFile, startGraph } from '../../runs/index.js'
import type { StoredEvent } from '../../store/index.js'
import type { CommandContext } from '../context.js'
import type { InputOf } from '../specs/index.js'

/*
 * For external test suites of graph runners: `parse`, `validate`, `run` and `list-handlers`, each
 * of which prints one JSON value. Runs are simulated in a temporary home: no agent, no key, no
 * repository.
 */
export async function run(context: CommandContext, { args, options }: InputOf<'conformance'>): Promise<number> {
  const { action, file } = args
  if (action === 'list-handlers') {
    context.json(BUILT_IN_HANDLERS)
    return EXIT.ok
  }
  try {
    if (file === undefined) throw new SignalboxError('E_INPUT', `${action} takes a DOT file`)
    const { env, cwd } = context
    const loaded = await loadGraph({ home: openHome(context), env, cwd }, readGraphFile(cwd, file))
    if (action === 'parse') return parse(context, loaded)
    if (action === 'validate') return validate(context, loaded.diagnostics)
    return await execute(context, loaded, options.script)
  } catch (error) {
    context.json({ error: toSignalboxError(error).message })
    return EXIT.failed
  }
}

function parse(context: CommandContext, { parsed }: LoadedGraph): number {
  const [problem] = parsed.problems
  if (problem) {
    context.json({ error: `${problem.position.line}:${problem.position.column}: ${problem.message}` })
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

async function execute(context: CommandContext, loaded: LoadedGraph, script: string | undefined): Promise<number> {
  const error = loaded.diagnostics.find(({ severity }) => severity === 'error')
  if (error) throw new SignalboxError('E_GRAPH', `${error.line ?? 0}:${error.column ?? 0}: ${error.message}`)
  const directory = mkdtempSync(join(tmpdir(), 'signalbox-conformance-'))
  try {
    const dryRun = script === undefined ? {} : (JSON.parse(script) as GraphInput['dryRun'])
    const { status, text, events, outcome } = await simulate(context, loaded, directory, dryRun)
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

async function simulate(context: CommandContext, loaded: LoadedGraph, directory: string, dryRun: GraphInput['dryRun']) {
  const onError = (error: unknown) => context.note(toSignalboxError(error).message)
  // A simulated run has a store of its own.
  const env = { ...context.env, SIGNALBOX_HOME: directory, SIGNALBOX_STORE_URL: '' }
  const home = openHome({ env })
  const store = await openHomeStore({ ...home.settings, clock: systemClock, onError })
  const start = { store, home, env, cwd: directory, clock: systemClock, person: 'conformance', asker: null }
  const ignore = () => undefined
  try {
    const { id } = await startGraph({ ...start, requireDaemon: () => Promise.resolve() }, loaded, {
      dryRun,
      isAutoApproved: true,
    })
    const { status } = await driveRun(start, id, { event: ignore, activity: ignore }, { stays: true, onError })
    const events = await store.readStream(runStream(id))
    const { work } = (await readRun(store, id, graphWorkflow)).run
    const ending = events.find(({ type }) => type === 'run.failed')
    const text = ending ? String(ending.data.text ?? ending.data.reason) : null
    return { status, text, events, outcome: work.cursors.get(MAIN)!.context }
  } finally {
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
