import { useRef } from 'preact/hooks'
import type { Diagnostic } from '../api/types'

interface EditorProps {
  text: string
  diagnostics: readonly Diagnostic[]
  onChange(text: string): void
}

/** A DOT editor with line numbers; the numbers of lines with findings are marked. */
export function DotEditor({ text, diagnostics, onChange }: EditorProps) {
  const gutter = useRef<HTMLDivElement>(null)
  const marks = new Map<number, Diagnostic['severity']>()
  for (const { line, severity } of diagnostics) if (line && marks.get(line) !== 'error') marks.set(line, severity)
  const count = text.split('\n').length
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== 'Tab' || event.shiftKey || event.altKey) return
    const field = event.currentTarget as HTMLTextAreaElement
    event.preventDefault()
    field.setRangeText('  ', field.selectionStart, field.selectionEnd, 'end')
    onChange(field.value)
  }
  return (
    <div class="editor">
      <div class="gutter" ref={gutter} aria-hidden="true">
        {Array.from({ length: count }, (_, index) => (
          <span key={index} class={marks.get(index + 1) ?? ''}>
            {index + 1}
          </span>
        ))}
      </div>
      <textarea
        id="dot"
        aria-label="DOT; press Escape, then Tab to leave the editor"
        spellcheck={false}
        autocomplete="off"
        wrap="off"
        value={text}
        onInput={event => onChange(event.currentTarget.value)}
        onKeyDown={event => {
          if (event.key === 'Escape') document.querySelector<HTMLElement>('#after-editor')?.focus()
          else onKey(event)
        }}
        onScroll={event => {
          if (gutter.current) gutter.current.scrollTop = event.currentTarget.scrollTop
        }}
      />
    </div>
  )
}

/** Moves the cursor to a finding. */
export function goToLine(line: number, column: number): void {
  const field = document.querySelector<HTMLTextAreaElement>('#dot')
  if (!field) return
  const lines = field.value.split('\n')
  const before = lines.slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0)
  const at = before + Math.max(0, column - 1)
  field.focus()
  field.setSelectionRange(at, at)
  field.scrollTop = Math.max(0, (line - 6) * 20)
}
