import { Component, type ComponentChildren } from 'preact'
import { isDeveloper } from '../store/prefs'
import { sentence } from '../store/toasts'
import type { ApiError } from '../transport/request'

interface PanelProps {
  title: ComponentChildren
  note?: ComponentChildren
  tools?: ComponentChildren
  children: ComponentChildren
  id?: string
  class?: string
}

export function Panel({ title, note, tools, children, id, class: kind = '' }: PanelProps) {
  return (
    <section class={`panel ${kind}`} id={id}>
      <header>
        <h2>{title}</h2>
        <span class="grow cut">{note}</span>
        {tools}
      </header>
      <ErrorBoundary>{children}</ErrorBoundary>
    </section>
  )
}

interface SectionProps {
  title: string
  of?: ComponentChildren
  tools?: ComponentChildren
  tone?: string
  children: ComponentChildren
}

export function Section({ title, of, tools, tone, children }: SectionProps) {
  return (
    <section class="section" aria-label={title}>
      <div class={`section-head ${tone ? `lit tone-${tone}` : ''}`}>
        <h2>{title}</h2>
        {of !== undefined && <span class="of">{of}</span>}
        {tools && <span class="tools">{tools}</span>}
      </div>
      <ErrorBoundary>{children}</ErrorBoundary>
    </section>
  )
}

export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p class="strong">{title}</p>
      {children}
    </div>
  )
}

export function Problem({ error, retry }: { error: unknown; retry?: (() => void) | undefined }) {
  const { message, next, body } = error as ApiError
  return (
    <div class="empty problem" role="alert">
      <p class="strong">{sentence(message ?? String(error))}</p>
      {next && <NextStep text={next} />}
      {isDeveloper.value && body?.requestId && <p class="tiny dim mono">request {body.requestId}</p>}
      {retry && (
        <button type="button" class="btn" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  )
}

/** What an address names and the server does not have; any other problem is shown as it is. */
export function Missing(props: { error: unknown; what: string; all: string; retry(): void }) {
  const { error, what, all, retry } = props
  if ((error as ApiError).status !== 404) return <Problem error={error} retry={retry} />
  return (
    <Empty title={`This ${what} does not exist`}>
      <p class="small">It may have been removed, or the address is incomplete.</p>
      <a class="btn" href={all}>
        All {what}s
      </a>
    </Empty>
  )
}

const COMMAND = /^(?:signalbox|npm|git|python) /

/** What to do about a problem; a command of a terminal is shown as one. */
export function NextStep({ text }: { text: string }) {
  if (!COMMAND.test(text)) return <p>{sentence(text)}</p>
  const [command, note] = splitCommand(text)
  return (
    <p>
      In a terminal: <code>{command}</code>
      {note && `, ${note}`}
    </p>
  )
}

/** `signalbox sessions --all lists them` is a command and what it does. */
function splitCommand(text: string): [command: string, note: string] {
  const [first = '', ...others] = text.split(/, /)
  const end =
    / (?=(?:lists|shows|prints|starts|ends|makes|resumes|continues|answers)\b)/.exec(first)?.index ?? first.length
  return [
    first.slice(0, end),
    [first.slice(end).trim() && `which ${first.slice(end).trim()}`, ...others].filter(Boolean).join(', '),
  ]
}

export function Skeleton({ lines = 3 }: { lines?: number }) {
  return (
    <div class="stack" role="status" aria-label="Loading">
      {Array.from({ length: lines }, (_, index) => (
        <div key={index} class="skeleton" style={{ height: '44px', opacity: 1 - index * 0.22 }} />
      ))}
    </div>
  )
}

/** An error boundary: an error in a part of the page does not break the rest. */
export class ErrorBoundary extends Component<{ children: ComponentChildren }, { error: unknown }> {
  override state = { error: null as unknown }

  static override getDerivedStateFromError(error: unknown) {
    return { error }
  }

  override componentDidCatch(error: unknown): void {
    console.error(error)
  }

  override render() {
    const { error } = this.state
    if (error === null) return this.props.children
    return <Problem error={error} retry={() => this.setState({ error: null })} />
  }
}
