export function GraphsPage() {
  return (
    <div class="page">
      <h1>GraphsPage</h1>
    </div>
  )
}
