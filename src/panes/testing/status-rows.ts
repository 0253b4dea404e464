import { type PaneStatus, type StatusEvent, statusTable } from '../status-table.js'

/**
 * The status table as text: `=` stays, blank is refused, `r` restarts the clock. Guards are taken
 * to hold.
 */
export const STATUS_ROWS: Record<StatusEvent, Record<PaneStatus, string>> = {
  start: row('running r', 'running r', 'running r', 'running', 'running r', 'running r'),
  activity: row('', '=', '=', 'running', '', ''),
  ask: row('waiting-approval', 'waiting-approval', 'waiting-approval', '=', 'waiting-approval', 'waiting-approval'),
  answered: row('', '=', '=', 'running', '', ''),
  'finish-ok': row('', 'done', 'done', 'done', '=', ''),
  'finish-fail': row('failed', 'failed', 'failed', 'failed', 'failed', '='),
  rest: row('=', 'idle r', 'idle r', 'idle r', '=', '='),
  seen: row('=', '=', '=', 'idle r', 'idle r', 'idle r'),
  clear: row('=', 'idle r', 'idle r', 'idle r', 'idle r', 'idle r'),
  long: row('', 'long-running', '', '', '', ''),
  'wait-over-changed': row('', '', '', 'running', '', ''),
  'wait-over-quiet': row('', '', '', 'idle r', '', ''),
  'gone-ok': row('=', 'done', 'done', 'done', '=', '='),
  'gone-fail': row('failed', 'failed', 'failed', 'failed', 'failed', '='),
}

function row(...cells: [string, string, string, string, string, string]): Record<PaneStatus, string> {
  return Object.fromEntries(statusTable.states.map((state, index) => [state, cells[index]])) as Record<
    PaneStatus,
    string
  >
}

/** Where an event leads when every guard holds. */
export function statusAfter(status: PaneStatus, event: StatusEvent): PaneStatus {
  const [to = ''] = STATUS_ROWS[event][status].split(' ')
  return to === '' || to === '=' ? status : (to as PaneStatus)
}
