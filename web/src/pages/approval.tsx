import type { Approval } from '../api/types'
import { ApprovalCard } from '../approval/card'
import { approvals } from '../store/live'
import { getJson } from '../transport/request'
import { HistoryIcon } from '../ui/icons'
import { Problem, Skeleton } from '../ui/panel'
import { useLoad } from '../ui/use-load'

/** One request at an address of its own, to be shared. */
export function ApprovalPage({ id }: { id: string }) {
  const { error, reload } = useLoad(id, async signal =>
    approvals.put(await getJson<Approval>(`/approvals/${id}`, { signal })),
  )
  const approval = approvals.get(id)
  return (
    <div class="page" style={{ maxWidth: '860px' }}>
      <div class="page-head">
        <h1>Request</h1>
        <div class="actions">
          <a class="btn" href="/requests">
            <HistoryIcon /> History
          </a>
        </div>
      </div>
      <h2 class="sr">Details</h2>
      {approval ? (
        <ApprovalCard approval={approval} takesKeys />
      ) : error ? (
        <Problem error={error} retry={reload} />
      ) : (
        <Skeleton />
      )}
    </div>
  )
}
