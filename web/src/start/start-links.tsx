import { useState } from 'preact/hooks'
import { startSession } from '../store/actions'
import { canDecide } from '../store/live'
import { go } from '../store/router'
import { attempt } from '../store/toasts'

/** The two ways to a first session; without an agent of one's own, the demo is the main one. */
export function StartLinks({ hasAgents = true }: { hasAgents?: boolean }) {
  const [isBusy, setBusy] = useState(false)
  const startDemo = async () => {
    setBusy(true)
    const session = await attempt(() => startSession({ agent: 'demo', args: [], prompt: 'Fix the failing test' }))
    setBusy(false)
    if (session) go(`/s/${session.id}`)
  }
  const own = (
    <a key="own" class={`btn ${hasAgents ? 'solid' : ''}`} href="/start">
      Start a session
    </a>
  )
  const demo = (
    <button
      key="demo"
      type="button"
      class={`btn ${hasAgents ? '' : 'solid'}`}
      disabled={!canDecide.value || isBusy}
      onClick={() => void startDemo()}
    >
      {isBusy ? 'Starting…' : 'Try the demo agent'}
    </button>
  )
  return (
    <div class="row wrap" style={{ marginTop: '8px' }}>
      {hasAgents ? [own, demo] : [demo, own]}
    </div>
  )
}
