export function RunPage({ id }: { id: string }) {
  return (
    <div class="page">
      <h1>RunPage {id}</h1>
    </div>
  )
}
