import { useState } from 'preact/hooks'
import type { Setting } from '../api/types'
import { query, setQuery } from '../store/router'
import { Problem, Skeleton } from '../ui/panel'
import { Segments } from '../ui/tabs'
import { ControlLine, Pending, useSettings } from './controls'
import { type Control, TOPICS } from './topics'

const NAMED = new Map<string, Control>(
  TOPICS.flatMap(({ groups }) => groups.flatMap(({ controls }) => controls.map(control => [control.key, control]))),
)

/** What the settings are about, by the first part of their keys. */
const GROUPS: Readonly<Record<string, string>> = {
  terminal: 'Terminals',
  attach: 'Keys of an attached terminal',
  sessions: 'Sessions',
  send: 'Prompts',
  files: 'Files',
  reading: 'Reading screens',
  panes: 'Panes and their status',
  queue: 'Held prompts',
  hooks: 'Reports of agents',
  osc7501: 'Reports of programs',
  heuristics: 'Guesses without a pack',
  approvals: 'Approvals',
  secrets: 'Secrets',
  sandbox: 'Sandbox',
  notify: 'Notifications',
  telegram: 'Telegram',
  webhooks: 'Webhooks of events',
  env: 'Environment of agents',
  projects: 'Projects',
  runs: 'Runs',
  oneshot: 'Oneshot runs',
  server: 'Server',
  mcp: 'MCP',
  store: 'Store',
  blobs: 'Recordings of workers',
  recordings: 'Recordings',
  engine: 'Engine',
  worker: 'Worker on this machine',
  telemetry: 'Traces',
}

/** Every setting, by what it is about; a search also finds it by its name in the settings file. */
export function ValuesTab() {
  const { value, error, reload, save, outcome } = useSettings()
  const [words, setWords] = useState('')
  const which = words === '' && query.value.get('show') !== 'all' ? 'changeable' : 'all'
  if (!value) return error ? <Problem error={error} retry={reload} /> : <Skeleton lines={4} />
  const shown = value.items.filter(
    ({ key, about, editing }) =>
      (which === 'all' || (editing !== 'terminal' && !NAMED.has(key))) &&
      `${key} ${about} ${NAMED.get(key)?.label ?? ''}`.toLowerCase().includes(words.toLowerCase()),
  )
  return (
    <>
      <p class="soft">Settings that few people change. The search finds every setting, also those of other tabs.</p>
      <Pending settings={value} onRestarted={reload} />
      <div class="row wrap settings-tools">
        <input
          class="input"
          type="search"
          aria-label="Search settings"
          placeholder="Search"
          data-search
          value={words}
          onInput={event => setWords(event.currentTarget.value)}
        />
        <Segments
          label="Filter settings"
          value={which}
          choices={[
            { value: 'changeable', label: 'Rarely needed' },
            { value: 'all', label: 'All' },
          ]}
          onChange={value => setQuery({ show: value === 'all' ? 'all' : null })}
        />
      </div>
      {[...groupsOf(shown)].map(([name, settings]) => (
        <section key={name} class="panel" aria-label={name}>
          <header>
            <h2>{name}</h2>
          </header>
          <ul class="controls">
            {settings.map(setting => (
              <ControlLine
                key={`${setting.key} ${setting.shown}`}
                control={controlOf(setting)}
                setting={setting}
                outcome={outcome?.key === setting.key ? outcome : null}
                onSave={wanted => void save(setting.key, wanted)}
              />
            ))}
          </ul>
        </section>
      ))}
    </>
  )
}

/** The sentence that the reference has; after its first part the rest is the hint. */
function controlOf({ key, about }: Setting): Control {
  const named = NAMED.get(key)
  if (named) return named
  const [, first = about, rest = ''] = /^(.+?[^.])[.;:](?:\s+(.+))?$/.exec(about.replaceAll('`', '')) ?? []
  return { key, label: first, ...(rest !== '' && { hint: rest.charAt(0).toUpperCase() + rest.slice(1) }) }
}

function groupsOf(settings: readonly Setting[]): Map<string, Setting[]> {
  const groups = new Map<string, Setting[]>()
  for (const setting of settings) {
    const section = setting.key.split('.')[0]!
    const name = GROUPS[section] ?? section
    groups.set(name, [...(groups.get(name) ?? []), setting])
  }
  return groups
}
