import type { NodeContext } from '../node.js'
import type { HistoryEntry } from '../state.js'

/** What a node adds to the history of its pipeline. */
export function historyUpdate(
  { services }: Pick<NodeContext, 'services'>,
  agent: string,
  message: string,
): HistoryEntry[] {
  return [{ timestamp: new Date(services.clock.now()).toISOString(), agent, message }]
}
