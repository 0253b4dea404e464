export function ReplayPage({ id }: { id: string }) {
  return (
    <div class="page">
      <h1>ReplayPage {id}</h1>
    </div>
  )
}
