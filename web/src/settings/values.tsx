import { useState } from 'preact/hooks'
import type { Setting, Settings } from '../api/types'
import { isOwner } from '../store/live'
import { query, setQuery } from '../store/router'
import { attempt } from '../store/toasts'
import { getJson, request } from '../transport/request'
import { Dialog } from '../ui/dialog'
import { Problem, Skeleton } from '../ui/panel'
import { withStepUp } from '../ui/step-up'
import { Segments } from '../ui/tabs'
import { useLoad } from '../ui/use-load'

/** All settings with the source of their values; the safe ones can be changed here. */
export function ValuesTab() {
  const { value, error, reload } = useLoad('settings', signal => getJson<Settings>('/settings', { signal }))
  const [words, setWords] = useState('')
  const [editing, setEditing] = useState<Setting | null>(null)
  const which = words === '' && query.value.get('show') !== 'all' ? 'changeable' : 'all'
  if (!value) return error ? <Problem error={error} retry={reload} /> : <Skeleton lines={4} />
  const shown = value.items.filter(
    ({ key, about, isChangeable }) =>
      (which === 'all' || isChangeable) && `${key} ${about}`.toLowerCase().includes(words.toLowerCase()),
  )
  return (
    <>
      <div class="row wrap settings-tools">
        <input
          class="input"
          type="search"
          aria-label="Search settings"
          placeholder="Search"
          data-search
          value={words}
          onInput={event => setWords(event.currentTarget.value)}
        />
        <Segments
          label="Filter settings"
          value={which}
          choices={[
            { value: 'changeable', label: 'Editable here' },
            { value: 'all', label: 'All' },
          ]}
          onChange={value => setQuery({ show: value === 'all' ? 'all' : null })}
        />
      </div>
      {[...groupsOf(shown)].map(([name, settings]) => (
        <section key={name} class="section" aria-label={name}>
          <div class="section-head">
            <h2>{name}</h2>
          </div>
          <ul class="list">
            {settings.map(setting => (
              <li key={setting.key} class="setting">
                <div class="setting-name">
                  <code class="strong">{setting.key}</code>
                  <p class="small dim">{setting.about}</p>
                </div>
                <div class="setting-value">
                  <code class="cut" title={setting.shown}>
                    {setting.shown}
                  </code>
                  <span class="tiny dim cut" title={setting.origin.place}>
                    {setting.origin.source}
                  </span>
                </div>
                {setting.isChangeable ? (
                  <button type="button" class="btn" disabled={!isOwner.value} onClick={() => setEditing(setting)}>
                    Change
                  </button>
                ) : (
                  <span />
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

function ChangeDialog(props: { setting: Setting; version: string; onDone(): void; onClose(): void }) {
  const { setting, version } = props
  const [text, setText] = useState(setting.shown.replace(/^"(.*)"$/, '$1'))
  const save = async (event: Event) => {
    event.preventDefault()
    const body = { changes: { [setting.key]: valueLike(setting.shown, text) } }
    const change = () => request('/settings', { method: 'PATCH', body, headers: { 'if-match': `"${version}"` } })
    const saved = await attempt(() => withStepUp(change), 'Saved')
    if (!saved) return
    props.onDone()
    props.onClose()
  }
  return (
    <Dialog title={setting.key} onClose={props.onClose}>
      <form class="stack wide" onSubmit={save}>
        <p>{setting.about}</p>
        <p class="soft small">
          Current value: <code>{setting.shown}</code> ({setting.origin.source}). The change is written to your settings
          file.
        </p>
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

/** A string stays a string; numbers, booleans and lists are parsed as JSON. */
function valueLike(before: string, text: string): unknown {
  if (before.startsWith('"')) return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
