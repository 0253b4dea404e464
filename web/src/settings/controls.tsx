import { useState } from 'preact/hooks'
import type { Setting, Settings } from '../api/types'
import { isOwner } from '../store/live'
import { attempt } from '../store/toasts'
import { getJson, request } from '../transport/request'
import { Problem, Skeleton } from '../ui/panel'
import { withStepUp } from '../ui/step-up'
import { useLoad } from '../ui/use-load'
import type { Control, Topic } from './topics'

/**
 * The settings of one topic as controls; what only the terminal may change is shown with its
 * command.
 */
export function TopicTab({ topic }: { topic: Topic }) {
  const { value, error, reload } = useLoad('settings', signal => getJson<Settings>('/settings', { signal }))
  if (!value) return error ? <Problem error={error} retry={reload} /> : <Skeleton lines={4} />
  const settings = new Map(value.items.map(setting => [setting.key, setting]))
  const save = async ({ key, isLive }: Control, wanted: unknown) => {
    const change = () =>
      request('/settings', {
        method: 'PATCH',
        body: { changes: { [key]: wanted } },
        headers: { 'if-match': `"${value.version}"` },
      })
    await attempt(() => withStepUp(change), isLive ? 'Saved' : 'Saved. It applies when Signalbox starts again.')
    reload()
  }
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

function ControlLine({
  control,
  setting,
  onSave,
}: {
  control: Control
  setting: Setting
  onSave(value: unknown): void
}) {
  const id = `set-${setting.key.replaceAll('.', '-')}`
  const isOff = !setting.isChangeable || !isOwner.value
  return (
    <li>
      <div class="grow">
        <label for={id}>{control.label}</label>
        <p class="tiny dim">
          {control.hint ?? setting.about}
          {!setting.isChangeable && (
            <>
              {' '}
              Change it in a terminal: <code>signalbox config set {setting.key} …</code>
            </>
          )}
        </p>
      </div>
      <Field id={id} control={control} setting={setting} isOff={isOff} onSave={onSave} />
    </li>
  )
}

interface FieldProps {
  id: string
  control: Control
  setting: Setting
  isOff: boolean
  onSave(value: unknown): void
}

function Field({ id, control, setting, isOff, onSave }: FieldProps) {
  const value = settingValue(setting.shown)
  const [text, setText] = useState(textOf(control, value))
  if (control.kind === 'switch')
    return (
      <input
        id={id}
        type="checkbox"
        role="switch"
        class="switch"
        checked={value === true}
        aria-checked={value === true}
        disabled={isOff}
        onChange={event => onSave(event.currentTarget.checked)}
      />
    )
  if (control.kind === 'choice')
    return (
      <select
        id={id}
        class="input"
        value={String(value)}
        disabled={isOff}
        onChange={event => onSave(event.currentTarget.value)}
      >
        {control.choices!.map(choice => (
          <option key={choice.value} value={choice.value}>
            {choice.label}
          </option>
        ))}
      </select>
    )
  if (control.kind === 'hours')
    return <HoursField id={id} value={textOf(control, value)} isOff={isOff} onSave={onSave} />
  const isChanged = text !== textOf(control, value)
  const submit = (event: Event) => {
    event.preventDefault()
    onSave(readBack(control, text))
  }
  return (
    <form class="row control-field" onSubmit={submit}>
      {control.kind === 'list' ? (
        <textarea
          id={id}
          class="input code"
          rows={Math.min(5, text.split('\n').length + 1)}
          disabled={isOff}
          placeholder={setting.shown === 'set' ? 'set; write to replace it' : ''}
          value={text}
          onInput={event => setText(event.currentTarget.value)}
        />
      ) : (
        <input
          id={id}
          class="input"
          inputMode={control.kind === 'text' ? 'text' : 'decimal'}
          placeholder={control.empty ?? PLACEHOLDERS[control.kind] ?? ''}
          disabled={isOff}
          value={text}
          onInput={event => setText(event.currentTarget.value)}
        />
      )}
      {UNITS[control.kind] && <span class="small dim">{UNITS[control.kind]}</span>}
      {isChanged && !isOff && (
        <button type="submit" class="btn solid">
          Save
        </button>
      )}
    </form>
  )
}

/** From one time of day to another; both empty: none. */
function HoursField({
  id,
  value,
  isOff,
  onSave,
}: { id: string; value: string; isOff: boolean } & Pick<FieldProps, 'onSave'>) {
  const [from = '', to = ''] = value.split('-').map(time => time.trim())
  const [times, setTimes] = useState({ from, to })
  const isWhole = (times.from === '') === (times.to === '')
  const isChanged = times.from !== from || times.to !== to
  const submit = (event: Event) => {
    event.preventDefault()
    onSave(times.from === '' ? null : `${times.from}-${times.to}`)
  }
  return (
    <form class="row control-field" onSubmit={submit}>
      <input
        id={id}
        type="time"
        class="input"
        aria-label="Quiet hours start"
        disabled={isOff}
        value={times.from}
        onInput={event => setTimes({ ...times, from: event.currentTarget.value })}
      />
      <span class="small dim">to</span>
      <input
        type="time"
        class="input"
        aria-label="Quiet hours end"
        disabled={isOff}
        value={times.to}
        onInput={event => setTimes({ ...times, to: event.currentTarget.value })}
      />
      {isChanged && !isOff && (
        <button type="submit" class="btn solid" disabled={!isWhole}>
          Save
        </button>
      )}
      {value !== '' && !isChanged && !isOff && (
        <button type="button" class="btn" onClick={() => onSave(null)}>
          Turn off
        </button>
      )}
    </form>
  )
}

const UNITS: Partial<Record<Control['kind'], string>> = { seconds: 's', days: 'days', money: 'USD' }
const PLACEHOLDERS: Partial<Record<Control['kind'], string>> = {
  money: 'no limit',
  seconds: 'never',
}

function settingValue(shown: string): unknown {
  try {
    return JSON.parse(shown)
  } catch {
    return shown
  }
}

function textOf({ kind }: Control, value: unknown): string {
  if (value === null || value === 'none' || value === undefined || value === 'set' || value === 'unset') return ''
  if (kind === 'list') return Array.isArray(value) ? value.join('\n') : ''
  return String(value)
}

function readBack({ kind }: Control, text: string): unknown {
  const plain = text.trim()
  if (kind === 'list') return plain === '' ? [] : plain.split(/\s*[\n,]\s*/)
  if (plain === '') return null
  if (kind === 'text') return plain
  return Number(plain)
}
