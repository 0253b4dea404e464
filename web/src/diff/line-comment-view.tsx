import { useEffect, useRef, useState } from 'preact/hooks'
import type { LineComment } from './comment-texts'
import type { CommentStore } from './line-comments'
import type { CommentPosition } from './view-rows'

/** A comment below its line, until it is sent. */
export function CommentNote({ comment, store }: { comment: LineComment; store: CommentStore }) {
  const [isEditing, setEditing] = useState(false)
  if (isEditing)
    return (
      <CommentEditor
        position={comment}
        text={comment.text}
        onSave={text => {
          store.change(comment.id, text)
          setEditing(false)
        }}
        onClose={() => setEditing(false)}
      />
    )
  return (
    <div class="line-note">
      <p class="grow">{comment.text}</p>
      <button type="button" class="btn quiet" onClick={() => setEditing(true)}>
        Edit
      </button>
      <button type="button" class="btn quiet" onClick={() => store.remove(comment.id)}>
        Remove
      </button>
    </div>
  )
}

export function CommentEditor(props: {
  position: CommentPosition
  text?: string
  onSave(text: string): void
  onClose(): void
}) {
  const { position } = props
  const [text, setText] = useState(props.text ?? '')
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => field.current?.focus({ preventScroll: true }), [])
  const save = (event: Event) => {
    event.preventDefault()
    if (text.trim() !== '') props.onSave(text.trim())
  }
  return (
    <form class="line-note" onSubmit={save}>
      <textarea
        ref={field}
        class="input"
        rows={3}
        dir="auto"
        maxLength={4_000}
        aria-label={`Comment on ${position.file}${position.line === null ? '' : `, line ${position.line}`}`}
        placeholder="What should change here?"
        value={text}
        onInput={event => setText(event.currentTarget.value)}
        onKeyDown={event => {
          if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) save(event)
          if (event.key === 'Escape') props.onClose()
        }}
      />
      <span class="row">
        <button type="button" class="btn" onClick={props.onClose}>
          Back
        </button>
        <button type="submit" class="btn solid" disabled={text.trim() === ''}>
          Add comment
        </button>
      </span>
    </form>
  )
}
