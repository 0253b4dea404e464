/** The two ways to a first session. */
export function StartLinks() {
  return (
    <div class="row wrap" style={{ marginTop: '8px' }}>
      <a class="btn solid" href="/start">
        Start a session
      </a>
      <a class="btn" href="/start?agent=demo">
        Try the demo agent
      </a>
    </div>
  )
}
