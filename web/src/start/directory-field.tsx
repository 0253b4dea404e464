import { useState } from 'preact/hooks'
import { baseName } from '../api/format'
import type { DirectoryList } from '../api/types'
import { getJson } from '../transport/request'
import { useLoad } from '../ui/use-load'

const SHOWN_MAX = 12

interface DirectoryFieldProps {
  value: string
  /** What is used while the field is empty. */
  fallback: string
  hint?: string | undefined
  onChange(value: string): void
}

/** A directory of the server's machine: typed, or chosen step by step. */
export function DirectoryField({ value, fallback, hint, onChange }: DirectoryFieldProps) {
  const [isBrowsing, setBrowsing] = useState(false)
  const from = value === '' && fallback !== '' ? `${fallback}/` : value
  const { value: found } = useLoad(`directories ${isBrowsing} ${from}`, async signal =>
    isBrowsing ? getJson<DirectoryList>(`/directories?path=${encodeURIComponent(from)}`, { signal }) : null,
  )
  const items = found?.items ?? []
  const above = from.replace(/\/+$/, '').replace(/\/[^/]*$/, '')
  return (
    <div class="field">
      <label for="cwd">Directory</label>
      <div class="row directory-row">
        <input
          id="cwd"
          class="input code grow"
          list="projects"
          spellcheck={false}
          autocomplete="off"
          placeholder={fallback || '/home/you/project'}
          value={value}
          onInput={event => onChange(event.currentTarget.value)}
        />
        <button type="button" class="btn" aria-expanded={isBrowsing} onClick={() => setBrowsing(!isBrowsing)}>
          Browse
        </button>
      </div>
      {isBrowsing && (
        <div class="chips" role="group" aria-label="Directories">
          {from !== '' && (
            <button type="button" class="chip" onClick={() => onChange(above === '' ? '/' : `${above}/`)}>
              ↑ up
            </button>
          )}
          {items.slice(0, SHOWN_MAX).map(({ path, isRepository }) => (
            <button key={path} type="button" class="chip" title={path} onClick={() => onChange(`${path}/`)}>
              {baseName(path)}
              {isRepository && <span class="dim"> git</span>}
            </button>
          ))}
          {items.length > SHOWN_MAX && <span class="small dim">type to narrow {items.length} directories</span>}
          {found && items.length === 0 && <span class="small dim">No directory below this path</span>}
        </div>
      )}
      {hint && <span class="hint">{hint}</span>}
    </div>
  )
}
