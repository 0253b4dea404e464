export function UsagePage() {
  return (
    <div class="page">
      <h1>UsagePage</h1>
    </div>
  )
}
