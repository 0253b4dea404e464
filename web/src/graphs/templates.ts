import implement from '../../../examples/implement-test-fix.dot?raw'
import manager from '../../../examples/manager-loop.dot?raw'
import candidates from '../../../examples/parallel-candidates.dot?raw'
import plan from '../../../examples/plan-gate-implement-review.dot?raw'
import release from '../../../examples/release-check.dot?raw'
import review from '../../../examples/review-loop.dot?raw'

/** The examples that ship with Signalbox, as beginnings of graphs. */
export const TEMPLATES: readonly { name: string; about: string; dot: string }[] = [
  { name: 'Implement, test, fix', about: 'implement-test-fix', dot: implement },
  { name: 'Plan, approve, implement, review', about: 'plan-gate-implement-review', dot: plan },
  { name: 'Review until it is good', about: 'review-loop', dot: review },
  { name: 'Several candidates, the best wins', about: 'parallel-candidates', dot: candidates },
  { name: 'Check a release', about: 'release-check', dot: release },
  { name: 'A manager and its worker', about: 'manager-loop', dot: manager },
]
