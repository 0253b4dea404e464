import type { Clock } from '../clock/index.js'
import type { SessionPort, SessionRecord } from '../sessions/index.js'
import type { SessionPane } from './pane-registry.js'
import type { SessionMonitor } from './session-monitor.js'

/** A session of ours as a pane of the registry; null if it is not supervised. */
export function sessionPane(
  session: SessionPort,
  monitor: SessionMonitor,
  record: SessionRecord,
  clock: Clock,
): SessionPane | null {
  const { supervisor } = monitor
  if (!supervisor) return null
  return {
    id: session.id,
    supervisor,
    now: () => monitor.now(),
    wall: t => clock.now() - (monitor.now() - t) * 1000,
    about: () => {
      const approval = session.approval?.state === 'pending' ? session.approval.id : null
      supervisor.setPending(approval !== null)
      return {
        place: String(record.number),
        name: record.label ?? record.title ?? `session ${record.number}`,
        agent: record.agent,
        cwd: record.cwd,
        approval,
        pid: record.pid,
      }
    },
  }
}
