import { useState } from 'preact/hooks'
import type { Setting } from '../api/types'
import { durationText, parseDurationText } from './duration'

/** How a control differs from what the type of its setting alone would give. */
export interface Look {
  /** What an empty field means. */
  empty?: string
  unit?: string
  /** Of an enum: its values as people say them. */
  words?: Readonly<Record<string, string>>
  isHours?: boolean
}

interface FieldProps {
  id: string
  setting: Setting
  look: Look
  isOff: boolean
  onSave(value: unknown): void
}

/** The control that fits the type of a setting. */
export function Field(props: FieldProps) {
  const { id, setting, look, isOff, onSave } = props
  const { type, values } = setting.accepts
  const value = settingValue(setting.shown)
  if (type === 'boolean')
    return (
      <input
        id={id}
        type="checkbox"
        role="switch"
        class="switch"
        checked={value === true}
        aria-checked={value === true}
        disabled={isOff || (setting.editing === 'tighten' && value !== true)}
        onChange={event => onSave(event.currentTarget.checked)}
      />
    )
  if (type === 'enum') {
    const at = values!.indexOf(String(value))
    return (
      <select
        id={id}
        class="input"
        value={String(value)}
        disabled={isOff}
        onChange={event => onSave(event.currentTarget.value === 'none' ? null : event.currentTarget.value)}
      >
        {setting.accepts.hasNone && <option value="none">{look.empty ?? 'default'}</option>}
        {values!.map((choice, index) => (
          <option key={choice} value={choice} disabled={setting.editing === 'tighten' && index < at}>
            {look.words?.[choice] ?? choice}
          </option>
        ))}
      </select>
    )
  }
  if (type === 'strings' && values) return <ChecksField {...props} chosen={Array.isArray(value) ? value : []} />
  if (look.isHours) return <HoursField {...props} value={textOf(setting, value)} />
  return <TextField {...props} value={textOf(setting, value)} />
}

/** A list of fixed items: a check box each. */
function ChecksField({ id, setting, look, isOff, onSave, chosen }: FieldProps & { chosen: readonly unknown[] }) {
  // The order of the list may matter: what is switched on comes last.
  const toggle = (item: string, isOn: boolean) =>
    onSave(isOn ? [...chosen, item] : chosen.filter(other => other !== item))
  const items = [...chosen.map(String), ...setting.accepts.values!.filter(item => !chosen.includes(item))]
  return (
    <span id={id} role="group" class="row wrap checks">
      {items.map(item => {
        const isOn = chosen.includes(item)
        return (
          <label key={item} class="row">
            <input
              type="checkbox"
              checked={isOn}
              disabled={isOff || (setting.editing === 'tighten' && !isOn)}
              onChange={event => toggle(item, event.currentTarget.checked)}
            />
            {look.words?.[item] ?? item}
          </label>
        )
      })}
    </span>
  )
}

function TextField({ id, setting, look, isOff, onSave, value }: FieldProps & { value: string }) {
  const [text, setText] = useState(value)
  const { type, hasNone } = setting.accepts
  const read = readBack(setting, text, look)
  const isChanged = text !== value
  const submit = (event: Event) => {
    event.preventDefault()
    if ('value' in read) onSave(read.value)
  }
  return (
    <form class="row wrap control-field" onSubmit={submit}>
      {type === 'strings' ? (
        <textarea
          id={id}
          class="input code"
          rows={Math.min(5, text.split('\n').length + 1)}
          disabled={isOff}
          placeholder={setting.shown === 'set' ? 'set; write to replace it' : (look.empty ?? 'one per line')}
          value={text}
          onInput={event => setText(event.currentTarget.value)}
        />
      ) : (
        <input
          id={id}
          class={`input ${type === 'string' ? 'long' : ''}`}
          inputMode={type === 'integer' || type === 'number' ? 'decimal' : 'text'}
          placeholder={look.empty ?? (hasNone ? 'none' : '')}
          disabled={isOff}
          aria-invalid={isChanged && 'problem' in read}
          value={text}
          onInput={event => setText(event.currentTarget.value)}
        />
      )}
      {look.unit && <span class="small dim">{look.unit}</span>}
      {isChanged && !isOff && (
        <button type="submit" class="btn solid" disabled={'problem' in read}>
          Save
        </button>
      )}
      {isChanged && 'problem' in read && (
        <span class="tiny field-problem" role="alert">
          {read.problem}
        </span>
      )}
    </form>
  )
}

/** From one time of day to another; both empty: none. */
function HoursField({ id, isOff, onSave, value }: FieldProps & { value: string }) {
  const [from = '', to = ''] = value.split('-').map(time => time.trim())
  const [times, setTimes] = useState({ from, to })
  const isWhole = (times.from === '') === (times.to === '')
  const isChanged = times.from !== from || times.to !== to
  const submit = (event: Event) => {
    event.preventDefault()
    onSave(times.from === '' ? null : `${times.from}-${times.to}`)
  }
  const time = (name: 'from' | 'to', label: string) => (
    <input
      {...(name === 'from' && { id })}
      type="time"
      class="input"
      aria-label={label}
      disabled={isOff}
      value={times[name]}
      onInput={event => setTimes({ ...times, [name]: event.currentTarget.value })}
    />
  )
  return (
    <form class="row wrap control-field" onSubmit={submit}>
      {time('from', 'Quiet hours start')}
      <span class="small dim">to</span>
      {time('to', 'Quiet hours end')}
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

function settingValue(shown: string): unknown {
  try {
    return JSON.parse(shown)
  } catch {
    return shown
  }
}

/** The value as a field shows it: `5 min`, one line for each item of a list. */
function textOf({ accepts: { type, unit } }: Setting, value: unknown): string {
  if (value === null || value === 'none' || value === undefined || value === 'set' || value === 'unset') return ''
  if (type === 'duration' && typeof value === 'number') return durationText(value, unit ?? 's')
  if (Array.isArray(value)) return value.join('\n')
  return String(value)
}

/** The value as people read it. */
export function shownValue(setting: Setting, { empty = 'none', words }: Look = {}): string {
  const value = settingValue(setting.shown)
  if (typeof value === 'boolean') return value ? 'on' : 'off'
  if (Array.isArray(value)) return value.map(item => words?.[String(item)] ?? String(item)).join(', ') || 'none'
  const text = textOf(setting, value)
  return text === '' ? (value === 'set' ? 'set' : empty) : (words?.[text] ?? text)
}

function readBack(setting: Setting, text: string, { empty = 'none' }: Look): { value: unknown } | { problem: string } {
  const { type, unit = 's', min, max, hasNone } = setting.accepts
  const plain = text.trim()
  if (type === 'strings') return { value: plain === '' ? [] : plain.split(/\s*[\n,]\s*/) }
  if (plain === '') return hasNone ? { value: null } : { problem: 'It needs a value.' }
  if (type === 'string') return { value: plain }
  const value = type === 'duration' ? parseDurationText(plain, unit) : Number(plain)
  const none = hasNone ? ` Empty: ${empty}.` : ''
  if (value === null) return { problem: `Write a time with its unit: 30 s, 5 min, 2 h.${none}` }
  if (Number.isNaN(value)) return { problem: `Write a number.${none}` }
  const shown = (limit: number) => (type === 'duration' ? durationText(limit, unit) : String(limit))
  if (type === 'integer' && !Number.isInteger(value)) return { problem: `Write a whole number.${none}` }
  if (min !== undefined && value < min) return { problem: `Write ${shown(min)} or more.${none}` }
  if (max !== undefined && value > max) return { problem: `Write ${shown(max)} or less.${none}` }
  return { value }
}
