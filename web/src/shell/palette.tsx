import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { RUN_WORDS, runState } from '../../../src/text/status-word'
import { plural } from '../api/format'
import type { AgentList, SearchResult } from '../api/types'
import { useAgents } from '../start/agents'
import { interruptSession, pauseGrants } from '../store/actions'
import { areGrantsPaused, canDecide, grants, runs, sessions } from '../store/live'
import { openApprovals } from '../store/needs'
import { theme } from '../store/prefs'
import { go, route } from '../store/router'
import { addressOf, searchFor, titleOf, wordOfKind } from '../store/search'
import { sessionName } from '../store/session-name'
import { Dialog } from '../ui/dialog'
import { isHelpOpen, isPaletteOpen } from './keyboard'
import { PAGES } from './nav'

/** What the palette offers: a page, session or run to open, or an action. */
interface Entry {
  key: string
  label: string
  about: string
  run(): void
}

const RESULTS_MAX = 12
const FOUND_MAX = 6
/** A person who types pauses this long between words. */
const TYPING_MS = 150

export function Palette() {
  if (!isPaletteOpen.value) return null
  return <PaletteDialog />
}

function PaletteDialog() {
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const field = useRef<HTMLInputElement>(null)
  useLayoutEffect(() => field.current?.focus(), [])
  const close = () => {
    isPaletteOpen.value = false
  }
  const said = useSaid(text)
  const { all: agents } = useAgents()
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  const known = [...actions(agents), ...destinations()].filter(({ label, about }) =>
    words.every(word => `${label} ${about}`.toLowerCase().includes(word)),
  )
  const found = words.length === 0 ? destinations().slice(0, RESULTS_MAX) : [...known.slice(0, RESULTS_MAX), ...said]
  const open = (entry: Entry | undefined) => {
    if (!entry) return
    close()
    entry.run()
  }
  const onKey = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown') setAt(Math.min(at + 1, found.length - 1))
    else if (event.key === 'ArrowUp') setAt(Math.max(at - 1, 0))
    else if (event.key === 'Enter') open(found[at])
    else return
    event.preventDefault()
  }
  return (
    <Dialog title="Search" onClose={close}>
      <input
        ref={field}
        class="input"
        role="combobox"
        aria-label="Search"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={found[at] ? `palette-${at}` : undefined}
        placeholder="Page, session, action or text"
        value={text}
        onInput={event => {
          setText(event.currentTarget.value)
          setAt(0)
        }}
        onKeyDown={onKey}
      />
      <div id="palette-list" role="listbox" aria-label="Results" class="palette">
        {found.map((entry, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: keys are handled by the field
          <div
            key={entry.key}
            id={`palette-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === at}
            onClick={() => open(entry)}
          >
            <span class="cut" dir="auto">
              {entry.label}
            </span>
            <span class="dim small cut">{entry.about}</span>
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

/** What was said, asked and started with these words, across sessions and time. */
function useSaid(text: string): Entry[] {
  const [found, setFound] = useState<{ words: string; items: readonly SearchResult[] }>({ words: '', items: [] })
  const words = text.trim()
  useEffect(() => {
    if (words.length < 2) return
    const ended = new AbortController()
    const timer = setTimeout(() => {
      searchFor(words, { limit: FOUND_MAX, signal: ended.signal }).then(
        ({ items }) => setFound({ words, items }),
        () => undefined,
      )
    }, TYPING_MS)
    return () => {
      clearTimeout(timer)
      ended.abort()
    }
  }, [words])
  if (words.length < 2) return []
  const all = {
    key: 'search',
    label: `Search everything for “${words}”`,
    about: 'search',
    run: () => go(`/search?q=${encodeURIComponent(words)}`),
  }
  if (found.words !== words) return [all]
  return [
    ...found.items.map(result => ({
      key: `found/${result.id}`,
      label: result.excerpt,
      about: `${wordOfKind(result.kind).toLowerCase()} · ${titleOf(result).slice(0, 40)}`,
      run: () => go(addressOf(result)),
    })),
    all,
  ]
}

function actions(agents: AgentList['items']): Entry[] {
  const here = route.value
  const session = here.page === 'session' ? sessions.peek(here.id) : undefined
  const first = openApprovals.value.find(({ state }) => state === 'pending')
  const hasGrants = grants.all.value.some(({ ended }) => !ended)
  const action = (label: string, run: () => void): Entry => ({ key: label, label, about: 'action', run })
  const start = ({ name, title, isInstalled }: AgentList['items'][number]): Entry => ({
    ...action(`Start ${title}`, () => go(`/start?agent=${name}`)),
    ...(!isInstalled && { about: 'not installed' }),
  })
  return [
    ...(first ? [action('Allow or deny the next request', () => go(`/a/${first.id}`))] : []),
    ...(session && canDecide.value && session.endedAt === undefined
      ? [action(`Interrupt “${sessionName(session)}”`, () => void interruptSession(session.id))]
      : []),
    ...agents.map(start),
    ...(hasGrants && canDecide.value
      ? [
          action(
            areGrantsPaused.value ? 'Resume standing approvals' : 'Pause standing approvals',
            () => void pauseGrants(!areGrantsPaused.value),
          ),
        ]
      : []),
    ...(['dark', 'light', 'system'] as const)
      .filter(name => name !== theme.value)
      .map(name => action(`Use the ${name} theme`, () => (theme.value = name))),
    action('Show keyboard shortcuts', () => (isHelpOpen.value = true)),
  ]
}

function destinations(): Entry[] {
  const entry = (href: string, label: string, about: string): Entry => ({
    key: href,
    label,
    about,
    run: () => go(href),
  })
  const open = openApprovals.value.length
  return [
    ...PAGES.map(({ href, label }) => entry(href, label, href === '/' && open > 0 ? plural(open, 'request') : 'page')),
    entry('/requests', 'History of requests', 'page'),
    entry('/search', 'Search all conversations', 'page'),
    entry('/start', 'Start a session or a run', 'page'),
    entry('/settings/doctor', 'Doctor', 'settings'),
    entry('/settings/people', 'People and devices', 'settings'),
    ...sessions.all.value.map(session => entry(`/s/${session.id}`, sessionName(session), `session ${session.number}`)),
    ...runs.all.value.map(run => entry(`/r/${run.id}`, run.title, `run · ${RUN_WORDS[runState(run)]}`)),
  ]
}
