import { titleClaim } from '../../panes/index.js'
import type { Pack } from '../../screen/index.js'
import type { Evidence } from '../../terminal/index.js'

/** Who says by this that the agent works: its status protocol, or its window title. Null: nobody does. */
export function signalOf(evidence: Evidence, pack: Pack): string | null {
  if (evidence.kind === 'status') return evidence.aggregate?.state === 'working' ? 'osc7501' : null
  if (evidence.kind !== 'title') return null
  return titleClaim(evidence.title, pack)?.claim.is === 'working' ? 'title' : null
}
