import { type PaneStatus, type StatusEvent, statusTable } from '../status-table.js'

/** The status that an event leads to if every guard holds. */
export function statusAfter(status: PaneStatus, event: StatusEvent): PaneStatus {
  return statusTable.cells.get(status)!.get(event)![0]?.next ?? status
}
