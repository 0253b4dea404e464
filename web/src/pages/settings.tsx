export function SettingsPage({ tab }: { tab: string }) {
  return (
    <div class="page">
      <h1>{tab}</h1>
    </div>
  )
}
