/** The two ways to a first session; without an agent of one's own, the demo is the main one. */
export function StartLinks({ hasAgents = true }: { hasAgents?: boolean }) {
  const own = (
    <a key="own" class={`btn ${hasAgents ? 'solid' : ''}`} href="/start">
      Start a session
    </a>
  )
  const demo = (
    <a key="demo" class={`btn ${hasAgents ? '' : 'solid'}`} href="/start?agent=demo">
      Try the demo agent
    </a>
  )
  return (
    <div class="row wrap" style={{ marginTop: '8px' }}>
      {hasAgents ? [own, demo] : [demo, own]}
    </div>
  )
}
