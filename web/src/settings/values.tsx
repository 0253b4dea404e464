import { useState } from 'preact/hooks'
import { isOwner } from '../store/live'
import { attempt } from '../store/toasts'
import { getJson, request } from '../transport/request'
import { Dialog } from '../ui/dialog'
import { Problem, Skeleton } from '../ui/panel'
import { withStepUp } from '../ui/step-up'
import { useLoad } from '../ui/use-load'

interface Setting {
  key: string
  value: unknown
  origin: string
  description?: string
  isChangeable?: boolean
  isSecret?: boolean
}

interface Body {
  items: Setting[]
  version?: string | number
}

/** Every value with where it comes from; the safe ones can be changed here. */
export function ValuesTab() {
  const { value, error, reload } = useLoad('settings', signal => getJson<Body>('/settings', { signal }))
  const [words, setWords] = useState('')
  const [editing, setEditing] = useState<Setting | null>(null)
  if (!value) return error ? <Problem error={error} retry={reload} /> : <Skeleton lines={4} />
  const shown = value.items.filter(({ key, description = '' }) =>
    `${key} ${description}`.toLowerCase().includes(words.toLowerCase()),
  )
  const groups = groupsOf(shown)
  return (
    <>
      <input
        class="input"
        style={{ maxWidth: '320px', marginBottom: '16px' }}
        type="search"
        aria-label="Search settings"
        placeholder="Search"
        data-search
        value={words}
        onInput={event => setWords(event.currentTarget.value)}
      />
      {[...groups].map(([name, settings]) => (
        <section key={name} class="section" aria-label={name}>
          <div class="section-head">
            <h2>{name}</h2>
          </div>
          <ul class="list">
            {settings.map(setting => (
              <li key={setting.key} class="setting">
                <div class="what">
                  <code class="strong">{setting.key}</code>
                  {setting.description && <p class="small soft">{setting.description}</p>}
                </div>
                <div class="setting-value">
                  <code class="cut">{show(setting.value)}</code>
                  <span class="tiny dim">{setting.origin}</span>
                </div>
                {setting.isChangeable && (
                  <button type="button" class="btn" disabled={!isOwner.value} onClick={() => setEditing(setting)}>
                    Change
                  </button>
                )}
              </li>
            ))}
          </ul>
        </section>
      ))}
      {editing && (
        <ChangeDialog setting={editing} version={value.version} onDone={reload} onClose={() => setEditing(null)} />
      )}
    </>
  )
}

function groupsOf(settings: readonly Setting[]): Map<string, Setting[]> {
  const groups = new Map<string, Setting[]>()
  for (const setting of settings) {
    const name = setting.key.split('.')[0]!
    groups.set(name, [...(groups.get(name) ?? []), setting])
  }
  return groups
}

function show(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function ChangeDialog(props: {
  setting: Setting
  version: string | number | undefined
  onDone(): void
  onClose(): void
}) {
  const { setting, version } = props
  const [text, setText] = useState(show(setting.value))
  const save = async (event: Event) => {
    event.preventDefault()
    const body = { [setting.key]: valueLike(setting.value, text) }
    const headers: Record<string, string> = version === undefined ? {} : { 'if-match': String(version) }
    const saved = await attempt(
      () => withStepUp(() => request('/settings', { method: 'PATCH', body, headers })),
      'Saved',
    )
    if (!saved) return
    props.onDone()
    props.onClose()
  }
  return (
    <Dialog title={setting.key} onClose={props.onClose}>
      <form class="stack wide" onSubmit={save}>
        {setting.description && <p class="soft small">{setting.description}</p>}
        <input
          class="input code"
          aria-label={setting.key}
          value={text}
          onInput={event => setText(event.currentTarget.value)}
        />
        <div class="row" style={{ justifyContent: 'flex-end' }}>
          <button type="button" class="btn" onClick={props.onClose}>
            Back
          </button>
          <button type="submit" class="btn solid">
            Save
          </button>
        </div>
      </form>
    </Dialog>
  )
}

/** Texts stay texts; everything else is read as JSON where it can be. */
function valueLike(before: unknown, text: string): unknown {
  if (typeof before === 'string') return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
