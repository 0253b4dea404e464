import { useRef, useState } from 'preact/hooks'
import type { Diagnostic } from '../api/types'
import { StyledText } from '../diff/styled-text'
import { type Completion, completions, dotStyles } from './dot-tokens'

interface EditorProps {
  text: string
  diagnostics: readonly Diagnostic[]
  onChange(text: string): void
}

/**
 * A DOT editor with line numbers, colours and completion; the numbers of lines with findings are
 * marked. The colours are drawn behind the transparent text of the field.
 */
export function DotEditor({ text, diagnostics, onChange }: EditorProps) {
  const gutter = useRef<HTMLDivElement>(null)
  const colours = useRef<HTMLPreElement>(null)
  const field = useRef<HTMLTextAreaElement>(null)
  const [offered, setOffered] = useState<{ word: string; options: Completion[] }>({ word: '', options: [] })
  const marks = new Map<number, Diagnostic['severity']>()
  for (const { line, severity } of diagnostics) if (line && marks.get(line) !== 'error') marks.set(line, severity)
  const count = text.split('\n').length
  const insert = (added: string) => {
    const element = field.current!
    element.setRangeText(added, element.selectionStart, element.selectionEnd, 'end')
    setOffered({ word: '', options: [] })
    onChange(element.value)
  }
  const complete = ({ text: added }: Completion) => {
    insert(added.slice(offered.word.length))
    field.current?.focus()
  }
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== 'Tab' || event.shiftKey || event.altKey) return
    event.preventDefault()
    const [first] = offered.options
    if (first === undefined) insert('  ')
    else complete(first)
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
      <pre class="editor-colours" ref={colours} aria-hidden="true">
        {text.split('\n').map((line, index) => (
          <div key={index}>
            <StyledText text={line || ' '} styles={dotStyles(line)} />
          </div>
        ))}
      </pre>
      <textarea
        id="dot"
        ref={field}
        aria-label="DOT; press Escape, then Tab to leave the editor"
        spellcheck={false}
        autocomplete="off"
        wrap="off"
        value={text}
        onInput={event => {
          onChange(event.currentTarget.value)
          setOffered(completions(event.currentTarget.value, event.currentTarget.selectionStart))
        }}
        onBlur={() => setTimeout(() => setOffered({ word: '', options: [] }), 200)}
        onKeyDown={event => {
          if (event.key === 'Escape') document.querySelector<HTMLElement>('#after-editor')?.focus()
          else onKey(event)
        }}
        onScroll={event => {
          const { scrollTop, scrollLeft } = event.currentTarget
          if (gutter.current) gutter.current.scrollTop = scrollTop
          if (colours.current) colours.current.scrollTo(scrollLeft, scrollTop)
        }}
      />
      {offered.options.length > 0 && (
        <div class="editor-offers" role="group" aria-label="Completions">
          {offered.options.map((option, index) => (
            <button key={option.text} type="button" class="chip" title={option.about} onClick={() => complete(option)}>
              {option.text} {index === 0 && <kbd>Tab</kbd>}
            </button>
          ))}
          <span class="tiny dim">{offered.options[0]!.about}</span>
        </div>
      )}
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
