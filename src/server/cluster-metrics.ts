import type { ServerParts } from './parts.js'

interface Gauge {
  name: string
  help: string
  values: { labels?: Record<string, string>; value: number }[]
}

/** The servers, the engine and the shared store, as this server sees them. */
export async function clusterMetrics({ runs, servers, host }: ServerParts): Promise<Gauge[]> {
  const engine = await runs?.engine.status()
  const { load } = host.store
  const gauges: Gauge[] = []
  const add = (name: string, help: string, value: number, labels?: Record<string, string>) =>
    void gauges.push({ name: `signalbox_${name}`, help, values: [{ value, ...(labels && { labels }) }] })
  if (servers) add('servers', 'Servers of the shared store that are alive.', servers.live.length)
  if (engine) {
    const labels = { engine: engine.kind }
    add(
      'engine_up',
      'Whether the engine answers; the servers take turns by themselves while it does not.',
      isUp(engine),
      labels,
    )
    add('engine_turns', 'Runs that this server drives at the moment.', engine.turns, labels)
    add('engine_failing_runs', 'Runs whose last turn failed on this server.', engine.failing.length, labels)
  }
  if (load) {
    add('store_appends_waiting', 'Appends of this server that wait for the database.', load.waiting)
    add('store_appends', 'Appends of this server since its start.', load.appends)
    add('store_batches', 'Statements that those appends were sent with.', load.batches)
    add('store_retries', 'Batches that were computed again because another server wrote first.', load.retries)
    add('store_write_seconds', 'Time that those statements took.', load.seconds)
  }
  return gauges
}

function isUp({ isActive, isAnswering }: { isActive: boolean; isAnswering?: boolean }): number {
  return (isAnswering ?? isActive) ? 1 : 0
}
