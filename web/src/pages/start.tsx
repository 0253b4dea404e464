export function StartPage() {
  return (
    <div class="page">
      <h1>StartPage</h1>
    </div>
  )
}
