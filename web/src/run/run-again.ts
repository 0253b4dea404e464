import { isOpenRun } from '../../../src/text/needs-you'
import type { Run, RunNode } from '../api/types'
import { runs } from '../store/live'
import { go } from '../store/router'
import { attempt } from '../store/toasts'
import { postJson } from '../transport/request'

/** Where the graph of a run starts: a fork there is the same run once more. */
function startOf(nodes: readonly RunNode[]): string | null {
  return nodes.find(({ handler, visits }) => handler === 'start' && visits > 0)?.node ?? null
}

export function canRunAgain(run: Run, nodes: readonly RunNode[]): boolean {
  return !isOpenRun(run) && startOf(nodes) !== null
}

/** Starts a new run with the same graph and input, and opens it. */
export async function runAgain(run: Run, nodes: readonly RunNode[]): Promise<void> {
  const again = await attempt(() => postJson<Run>(`/runs/${run.id}/fork`, { at: startOf(nodes), rewind: false }))
  if (!again) return
  runs.put(again)
  go(`/r/${again.id}`)
}
