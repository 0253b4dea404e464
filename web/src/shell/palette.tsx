import { useEffect, useRef, useState } from 'preact/hooks'
import { baseName } from '../api/format'
import { runs, sessions } from '../store/live'
import { go } from '../store/router'
import { Dialog } from '../ui/dialog'
import { isPaletteOpen } from './keyboard'
import { PAGES } from './nav'

interface Place {
  href: string
  label: string
  about: string
}

const RESULTS_MAX = 12

export function Palette() {
  if (!isPaletteOpen.value) return null
  return <PaletteDialog />
}

function PaletteDialog() {
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.focus(), [])
  const close = () => {
    isPaletteOpen.value = false
  }
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  const found = places()
    .filter(({ label, about }) => words.every(word => `${label} ${about}`.toLowerCase().includes(word)))
    .slice(0, RESULTS_MAX)
  const open = (place: Place | undefined) => {
    if (!place) return
    close()
    go(place.href)
  }
  const onKey = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown') setAt(Math.min(at + 1, found.length - 1))
    else if (event.key === 'ArrowUp') setAt(Math.max(at - 1, 0))
    else if (event.key === 'Enter') open(found[at])
    else return
    event.preventDefault()
  }
  return (
    <Dialog title="Go to" onClose={close}>
      <input
        ref={field}
        class="input"
        role="combobox"
        aria-label="Go to"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={found[at] ? `palette-${at}` : undefined}
        placeholder="Page, session or run"
        value={text}
        onInput={event => {
          setText(event.currentTarget.value)
          setAt(0)
        }}
        onKeyDown={onKey}
      />
      <div id="palette-list" role="listbox" aria-label="Results" class="palette">
        {found.map((place, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: keys are handled by the field
          <div
            key={place.href}
            id={`palette-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === at}
            onClick={() => open(place)}
          >
            <span class="cut">{place.label}</span>
            <span class="dim small cut">{place.about}</span>
          </div>
        ))}
        {found.length === 0 && (
          <p class="dim small" style={{ padding: '12px' }}>
            No results
          </p>
        )}
      </div>
    </Dialog>
  )
}

function places(): Place[] {
  return [
    ...PAGES.map(({ href, label }) => ({ href, label, about: 'page' })),
    { href: '/start', label: 'Start a session or a run', about: 'page' },
    { href: '/settings/doctor', label: 'Doctor', about: 'settings' },
    { href: '/settings/people', label: 'People and devices', about: 'settings' },
    ...sessions.all.value.map(({ id, number, label, agent, cwd }) => ({
      href: `/s/${id}`,
      label: label ?? `${agent} in ${baseName(cwd)}`,
      about: `session ${number}`,
    })),
    ...runs.all.value.map(({ id, title, status }) => ({ href: `/r/${id}`, label: title, about: `run, ${status}` })),
  ]
}
