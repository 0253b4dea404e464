import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { graphWorkflow, type NodeOutcome, type RunRecord, readRun, runStream } from '../../engine/index.js'
import { SignalboxError } from '../../errors/index.js'
import { textOf } from '../../graph/index.js'
import type { EventStore, StoredEvent } from '../../store/index.js'
import { CheckpointWriter } from '../graphs/checkpoint-writer.js'
import { runDirectory } from '../run-directory.js'

/**
 * Writes a run in attractor's directory layout: manifest, checkpoints, and for each node its
 * prompt, response and status. The last visit is in the node's directory, earlier visits are below
 * it.
 */
export async function exportAttractor(
  store: EventStore,
  record: RunRecord,
  { dataDirectory, output }: { dataDirectory: string; output: string | null },
): Promise<{ directory: string; nodes: number; checkpoints: number }> {
  if (record.kind !== 'graph')
    throw new SignalboxError('E_INPUT', `run ${record.id} is a ${record.kind}: only graphs have this layout`)
  const own = runDirectory(dataDirectory, record.id)
  const directory = output ?? join(own, 'attractor')
  mkdirSync(directory, { recursive: true })
  const events = await store.readStream(runStream(record.id))
  const { work } = (await readRun(store, record.id, graphWorkflow)).run
  const { graph } = work
  write(directory, 'manifest.json', {
    name: graph.name ?? record.title,
    goal: textOf(graph.attributes, 'goal') ?? '',
    start_time: new Date(record.startedAt ?? record.createdAt).toISOString(),
    nodes: [...graph.nodes.keys()],
    graph_attributes: Object.fromEntries([...graph.attributes].map(([key, { value }]) => [key, value])),
  })
  const writer = new CheckpointWriter(directory)
  for (const event of events) writer.event(event)
  write(directory, 'answers.json', answersOf(events))
  const visits = new Map<string, number>()
  for (const { type, data } of events)
    if (type === 'node.started')
      visits.set(String(data.node), Math.max(visits.get(String(data.node)) ?? 0, Number(data.visit)))
  let nodes = 0
  for (const { type, data } of events) {
    if (type !== 'step.ended' && type !== 'step.recovered') continue
    const step = String(data.step)
    const match = /(?:^|\/)(\w+)@(\d+)#\d+$/.exec(step)
    const outcome = data.result as NodeOutcome | null | undefined
    if (!match || !outcome) continue
    const [, node = '', visit = '1'] = match
    const isLast = Number(visit) === visits.get(node)
    const target = isLast ? join(directory, node) : join(directory, node, `visit-${visit}`)
    mkdirSync(target, { recursive: true })
    const files = join(own, 'steps', step.replaceAll('/', '~'))
    for (const file of ['prompt.md', 'response.md']) {
      if (existsSync(join(files, file))) writeFileSync(join(target, file), readFileSync(join(files, file)))
      else if (file === 'response.md' && outcome.response !== undefined)
        writeFileSync(join(target, file), outcome.response)
    }
    write(target, 'status.json', {
      outcome: outcome.outcome ?? outcome.status,
      preferred_label: outcome.preferred_label ?? '',
      suggested_next_ids: outcome.suggested_next_ids ?? [],
      context_updates: outcome.context_updates ?? {},
      notes: outcome.notes ?? outcome.failure_reason ?? '',
    })
    nodes++
  }
  if (existsSync(join(own, 'artifacts')))
    cpSync(join(own, 'artifacts'), join(directory, 'artifacts'), { recursive: true })
  return { directory, nodes, checkpoints: writer.count }
}

/** The answers to the gates of the run, by node: `signalbox run --answers` gives them again. */
function answersOf(events: readonly StoredEvent[]): Record<string, unknown[]> {
  const answers: Record<string, unknown[]> = {}
  for (const { type, data } of events) {
    const node = type === 'gate.answered' ? /(?:^|\/)(\w+)@\d+#\d+$/.exec(String(data.gate))?.[1] : undefined
    if (node === undefined) continue
    const { option, text, choices } = data
    const answer = Array.isArray(choices)
      ? { choices }
      : option === '' || option === undefined
        ? { text }
        : { option, ...(text !== undefined && { text }) }
    answers[node] = [...(answers[node] ?? []), answer]
  }
  return answers
}

function write(directory: string, file: string, value: unknown): void {
  writeFileSync(join(directory, file), `${JSON.stringify(value, null, 2)}\n`)
}
