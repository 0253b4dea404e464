import type { Setting } from '../api/types'
import { query, setQuery } from '../store/router'
import { Empty, Problem, Skeleton } from '../ui/panel'
import { Segments } from '../ui/tabs'
import { ControlLine, Pending, useSettings } from './controls'
import { type Control, NAMED } from './topics'

/** What the settings are about, by the first part of their keys. */
const GROUPS: Readonly<Record<string, string>> = {
  terminal: 'Terminals',
  attach: 'Keys of an attached terminal',
  sessions: 'Sessions',
  send: 'Prompts',
  files: 'Files',
  reading: 'Reading screens',
  panes: 'Panes and their status',
  queue: 'Load of supervised panes',
  hooks: 'Reports of agents',
  osc7501: 'Reports of programs',
  heuristics: 'Heuristics for programs without a pack',
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

/** Settings that few people change, in closed groups; all of them with `?show=all`. */
export function AdvancedTab() {
  const isAll = query.value.get('show') === 'all'
  return (
    <>
      <div class="row wrap settings-tools">
        <p class="soft grow">
          {isAll
            ? 'Every setting, by its part of the settings file.'
            : 'Few people change these. The search above finds every setting, also by its name in the settings file.'}
        </p>
        <Segments
          label="Filter settings"
          value={isAll ? 'all' : 'changeable'}
          choices={[
            { value: 'changeable', label: 'Rarely needed' },
            { value: 'all', label: 'All' },
          ]}
          onChange={value => setQuery({ show: value === 'all' ? 'all' : null })}
        />
      </div>
      <Groups
        isOpen={isAll}
        isShown={({ key, editing }) => isAll || (editing !== 'terminal' && !NAMED.has(key))}
        none="No settings"
      />
    </>
  )
}

/** The settings that a search finds, by their words or their name in the settings file. */
export function FoundSettings({ words }: { words: string }) {
  const wanted = words.toLowerCase().split(/\s+/)
  const isShown = (setting: Setting) => {
    const { label, hint = '' } = controlOf(setting)
    const text = `${setting.key} ${setting.about} ${label} ${hint}`.toLowerCase()
    return wanted.every(word => text.includes(word))
  }
  return <Groups isOpen isRanked isShown={isShown} none={`No setting matches “${words}”`} />
}

interface GroupsProps {
  isOpen: boolean
  isShown(setting: Setting): boolean
  none: string
  /** Settings that people change come first. */
  isRanked?: boolean
}

function Groups(props: GroupsProps) {
  const { value, error, reload, save, outcome } = useSettings()
  if (!value) return error ? <Problem error={error} retry={reload} /> : <Skeleton lines={4} />
  const shown = value.items.filter(props.isShown)
  const rank = ({ key, editing }: Setting) => (NAMED.has(key) ? 0 : editing === 'terminal' ? 2 : 1)
  const groups = [...groupsOf(props.isRanked ? shown.sort((a, b) => rank(a) - rank(b)) : shown)]
  if (groups.length === 0) return <Empty title={props.none} />
  return (
    <>
      <Pending settings={value} onRestarted={reload} />
      {groups.map(([name, settings]) => (
        <details key={`${name} ${props.isOpen}`} class="panel settings-group" open={props.isOpen}>
          <summary>
            <h2>{name}</h2>
            <span class="of small dim">{settings.length}</span>
          </summary>
          <ul class="controls">
            {settings.map(setting => (
              <ControlLine
                key={setting.key}
                control={controlOf(setting)}
                setting={setting}
                outcome={outcome?.key === setting.key ? outcome : null}
                onSave={wanted => void save(setting.key, wanted)}
              />
            ))}
          </ul>
        </details>
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
