import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Setting } from '../api/types'
import { durationText, parseDurationText } from './duration'

/** How a control differs from what the type of its setting alone would give. */
export interface FieldView {
  /** What an empty field means. */
  empty?: string
  unit?: string
  /** The values of an enum, in words. */
  words?: Readonly<Record<string, string>>
  isHours?: boolean
  /** The values of an enum that a switch shows. Another value is shown as a choice. */
  switch?: { on: string; off: string }
}

interface FieldProps {
  id: string
  setting: Setting
  look: FieldView
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
      <Switch
        id={id}
        isOn={value === true}
        isOff={isOff || (setting.editing === 'tighten' && value !== true)}
        onChange={onSave}
      />
    )
  if (look.switch && (value === look.switch.on || value === look.switch.off)) {
    const { on, off } = look.switch
    const isTight = setting.editing === 'tighten' && values!.indexOf(on) < values!.indexOf(off)
    return (
      <Switch
        id={id}
        isOn={value === on}
        isOff={isOff || (isTight && value === off)}
        onChange={isOn => onSave(isOn ? on : off)}
      />
    )
  }
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
  if (look.isHours) return <HoursField key={setting.shown} {...props} value={textOf(setting, value)} />
  return <TextField {...props} value={textOf(setting, value)} />
}

function Switch(props: { id: string; isOn: boolean; isOff: boolean; onChange(isOn: boolean): void }) {
  return (
    <input
      id={props.id}
      type="checkbox"
      role="switch"
      class="switch"
      checked={props.isOn}
      aria-checked={props.isOn}
      disabled={props.isOff}
      onChange={event => props.onChange(event.currentTarget.checked)}
    />
  )
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

/** Saved when it is left or with Enter, if it can be read; Escape restores the saved value. */
function TextField({ id, setting, look, isOff, onSave, value }: FieldProps & { value: string }) {
  const [text, setText] = useState(value)
  // A value that was sent is not sent again when the field is left.
  const sent = useRef(value)
  const shown = useRef(value)
  // When the saved value arrives, it replaces what was sent, not what was typed since then.
  useLayoutEffect(() => {
    if (text === sent.current || text === shown.current) setText(value)
    shown.current = value
  }, [value])
  const { type, hasNone } = setting.accepts
  const read = parseFieldValue(setting, text, look)
  const isChanged = text !== value
  const save = (isAgain: boolean) => {
    if (!isChanged || 'problem' in read || (!isAgain && sent.current === text)) return
    sent.current = text
    onSave(read.value)
  }
  const shared = {
    id,
    disabled: isOff,
    value: text,
    'aria-invalid': isChanged && 'problem' in read,
    onInput: (event: { currentTarget: { value: string } }) => setText(event.currentTarget.value),
    onBlur: () => save(false),
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || !isChanged) return
      event.stopPropagation()
      setText(value)
    },
  }
  return (
    <form
      class="row wrap control-field"
      onSubmit={event => {
        event.preventDefault()
        save(true)
      }}
    >
      {type === 'strings' ? (
        <textarea
          {...shared}
          class="input code"
          rows={Math.min(5, text.split('\n').length + 1)}
          placeholder={setting.shown === 'set' ? 'set; type to replace it' : (look.empty ?? 'one per line')}
        />
      ) : (
        <input
          {...shared}
          class={`input ${type === 'string' ? 'long' : ''}`}
          inputMode={type === 'integer' || type === 'number' ? 'decimal' : 'text'}
          placeholder={look.empty ?? (hasNone ? 'none' : '')}
        />
      )}
      {look.unit && <span class="small dim">{look.unit}</span>}
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
  const save = () => {
    if (isChanged && isWhole) onSave(times.from === '' ? null : `${times.from}-${times.to}`)
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
    <form
      class="row wrap control-field"
      onSubmit={event => {
        event.preventDefault()
        save()
      }}
      onFocusOut={event => !event.currentTarget.contains(event.relatedTarget as Node | null) && save()}
    >
      {time('from', 'Quiet hours start')}
      <span class="small dim">to</span>
      {time('to', 'Quiet hours end')}
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
export function shownValue(setting: Setting, { empty = 'none', words }: FieldView = {}): string {
  const value = settingValue(setting.shown)
  if (typeof value === 'boolean') return value ? 'on' : 'off'
  if (Array.isArray(value)) return value.map(item => words?.[String(item)] ?? String(item)).join(', ') || 'none'
  const text = textOf(setting, value)
  return text === '' ? (value === 'set' ? 'set' : empty) : (words?.[text] ?? text)
}

function parseFieldValue(
  setting: Setting,
  text: string,
  { empty = 'none' }: FieldView,
): { value: unknown } | { problem: string } {
  const { type, unit = 's', min, max, hasNone } = setting.accepts
  const plain = text.trim()
  if (type === 'strings') return { value: plain === '' ? [] : plain.split(/\s*[\n,]\s*/) }
  if (plain === '') return hasNone ? { value: null } : { problem: 'Enter a value.' }
  if (type === 'string') return { value: plain }
  const value = type === 'duration' ? parseDurationText(plain, unit) : Number(plain)
  const none = hasNone ? ` Empty: ${empty}.` : ''
  if (value === null) return { problem: `Enter a time with its unit: 30 s, 5 min, 2 h.${none}` }
  if (Number.isNaN(value)) return { problem: `Enter a number.${none}` }
  const shown = (limit: number) => (type === 'duration' ? durationText(limit, unit) : String(limit))
  if (type === 'integer' && !Number.isInteger(value)) return { problem: `Enter a whole number.${none}` }
  if (min !== undefined && value < min) return { problem: `Enter ${shown(min)} or more.${none}` }
  if (max !== undefined && value > max) return { problem: `Enter ${shown(max)} or less.${none}` }
  return { value }
}
