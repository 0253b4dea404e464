import type { Setting, Settings } from '../api/types'
import { isOwner } from '../store/live'
import { isDeveloper } from '../store/prefs'
import { attempt } from '../store/toasts'
import { getJson, request } from '../transport/request'
import { CopyButton } from '../ui/copy'
import { Problem, Skeleton } from '../ui/panel'
import { withStepUp } from '../ui/step-up'
import { useLoad } from '../ui/use-load'
import { Field, shownValue } from './field'
import type { Control, Topic } from './topics'

const SAVED_FOR_LATER = 'Saved. signalbox serve --restart applies it now; agents keep running.'

/** All settings of the server, and how one of them is saved. */
export function useSettings() {
  const { value, error, reload } = useLoad('settings', signal => getJson<Settings>('/settings', { signal }))
  const save = async ({ key, isLive }: Pick<Control, 'key' | 'isLive'>, wanted: unknown) => {
    const change = () =>
      request('/settings', {
        method: 'PATCH',
        body: { changes: { [key]: wanted } },
        headers: { 'if-match': `"${value?.version}"` },
      })
    await attempt(() => withStepUp(change), isLive ? 'Saved' : SAVED_FOR_LATER)
    reload()
  }
  return { value, error, reload, save }
}

/** The settings of one topic as controls; what only the terminal may change stands below them. */
export function TopicTab({ topic }: { topic: Topic }) {
  const { value, error, reload, save } = useSettings()
  if (!value) return error ? <Problem error={error} retry={reload} /> : <Skeleton lines={4} />
  const settings = new Map(value.items.map(setting => [setting.key, setting]))
  return (
    <div class="stack wide">
      {topic.groups.map(({ title, controls }) => {
        const known = controls.filter(({ key }) => settings.has(key))
        if (known.length === 0) return null
        return (
          <section key={title} class="panel" aria-label={title}>
            <header>
              <h2>{title}</h2>
            </header>
            <ul class="controls">
              {known.map(control => (
                <ControlLine
                  key={`${control.key} ${settings.get(control.key)!.shown}`}
                  control={control}
                  setting={settings.get(control.key)!}
                  onSave={wanted => void save(control, wanted)}
                />
              ))}
            </ul>
          </section>
        )
      })}
    </div>
  )
}

interface ControlLineProps {
  control: Control
  setting: Setting
  onSave(value: unknown): void
}

export function ControlLine({ control, setting, onSave }: ControlLineProps) {
  const id = `set-${setting.key.replaceAll('.', '-')}`
  const { label, hint, look = {} } = control
  const isTerminal = setting.editing === 'terminal' || setting.accepts.type === 'table'
  return (
    <li>
      <div class="grow">
        {isTerminal ? <span>{label}</span> : <label for={id}>{label}</label>}
        {(hint || setting.editing === 'tighten') && (
          <p class="tiny dim">
            {hint}{' '}
            {setting.editing === 'tighten' &&
              (setting.accepts.type === 'boolean'
                ? 'Only a terminal can turn it on.'
                : 'Only a terminal can loosen it.')}
          </p>
        )}
        {isDeveloper.value && <code class="tiny dim">{setting.key}</code>}
      </div>
      {isTerminal ? (
        <TerminalOnly setting={setting} look={look} />
      ) : (
        <Field id={id} setting={setting} look={look} isOff={!isOwner.value} onSave={onSave} />
      )}
    </li>
  )
}

/** A value that the page shows, with the command that changes it. */
function TerminalOnly({ setting, look }: { setting: Setting; look: Parameters<typeof shownValue>[1] }) {
  return (
    <span class="row terminal-only">
      <span class="strong cut" title={shownValue(setting, look)}>
        {shownValue(setting, look)}
      </span>
      <CopyButton
        class="btn quiet small"
        text={`signalbox config set ${setting.key} `}
        label="Copy the command that changes it in a terminal"
      >
        Copy command
      </CopyButton>
    </span>
  )
}
