import type { ComponentChildren } from 'preact'

interface Choice<T extends string> {
  value: T
  label: ComponentChildren
}

/** A choice between a few values, shown side by side. */
export function Segments<T extends string>(props: {
  label: string
  value: T
  choices: readonly Choice<T>[]
  onChange(value: T): void
}) {
  return (
    <div class="seg" role="group" aria-label={props.label}>
      {props.choices.map(({ value, label }) => (
        <button key={value} type="button" aria-pressed={value === props.value} onClick={() => props.onChange(value)}>
          {label}
        </button>
      ))}
    </div>
  )
}

export function Tabs<T extends string>(props: {
  label: string
  value: T
  choices: readonly Choice<T>[]
  onChange(value: T): void
}) {
  const move = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (step === undefined) return
    event.preventDefault()
    const at = props.choices.findIndex(({ value }) => value === props.value)
    const next = props.choices[(at + step + props.choices.length) % props.choices.length]!
    props.onChange(next.value)
    const bar = event.currentTarget as HTMLElement
    requestAnimationFrame(() => bar.querySelector<HTMLElement>('[aria-selected=true]')?.focus())
  }
  return (
    <div class="tabs" role="tablist" aria-label={props.label} onKeyDown={move}>
      {props.choices.map(({ value, label }) => (
        <button
          key={value}
          type="button"
          role="tab"
          id={`tab-${value}`}
          aria-selected={value === props.value}
          aria-controls={`panel-${value}`}
          tabIndex={value === props.value ? 0 : -1}
          onClick={() => props.onChange(value)}
        >
          {label}
        </button>
      ))}
    </div>
  )
}

export function TabPanel({ value, children }: { value: string; children: ComponentChildren }) {
  return (
    <div role="tabpanel" id={`panel-${value}`} aria-labelledby={`tab-${value}`} class="tab-panel">
      {children}
    </div>
  )
}
