import { useRef } from 'preact/hooks'

export interface Diagnostic {
  rule: string
  severity: 'error' | 'warning' | 'info'
  message: string
  line?: number | null
  column?: number | null
  node?: string
  fix?: string
}

interface EditorProps {
  text: string
  diagnostics: readonly Diagnostic[]
  onChange(text: string): void
}

/** DOT text with line numbers; lines with findings are marked beside their number. */
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
        aria-label="DOT text; Escape then Tab leaves it"
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

/** Puts the cursor where a finding is. */
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
