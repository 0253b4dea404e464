import { useState } from 'preact/hooks'
import { baseName } from '../api/format'
import type { Schedule, ScheduleList } from '../api/types'
import { useAgents } from '../start/agents'
import { DirectoryField } from '../start/directory-field'
import { FormProblem } from '../start/fields'
import { canDecide, me } from '../store/live'
import { attempt, toast } from '../store/toasts'
import { getJson, postJson } from '../transport/request'
import { askFirst } from '../ui/confirm'
import { Dialog } from '../ui/dialog'
import { Menu } from '../ui/menu'
import { Section } from '../ui/panel'
import { StatusBadge } from '../ui/status'
import { isCancelled, withStepUp } from '../ui/step-up'
import { TimeSince } from '../ui/time'
import { useLoad } from '../ui/use-load'

const MINUTE_MS = 60_000

/** What starts by itself: when it starts next, and what it started last. */
export function Schedules() {
  // A start changes the list at its time, without an event of the page's own records.
  const minute = Math.floor(Date.now() / MINUTE_MS)
  const { value, reload } = useLoad(`schedules/${minute}`, signal => getJson<ScheduleList>('/schedules', { signal }))
  const [isAdding, setAdding] = useState(false)
  const items = value?.items ?? []
  return (
    <div class="after-table">
      <Section
        title="Scheduled"
        of={items.length || undefined}
        tools={
          <button
            type="button"
            class="btn"
            disabled={!canDecide.value || me.value?.person.role !== 'owner'}
            onClick={() => setAdding(true)}
          >
            Schedule a task…
          </button>
        }
      >
        {value === null ? null : items.length === 0 ? (
          <p class="small soft">
            Nothing is scheduled. Let a task start every night, or use <code>signalbox schedule</code> for any run.
          </p>
        ) : (
          <ul class="list">
            {items.map(schedule => (
              <ScheduleLine key={schedule.id} schedule={schedule} onChange={reload} />
            ))}
          </ul>
        )}
        {isAdding && (
          <ScheduleDialog
            onClose={() => setAdding(false)}
            onAdded={() => {
              setAdding(false)
              reload()
            }}
          />
        )}
      </Section>
    </div>
  )
}

/** `Wed 02:00`: near enough for every day and every week. */
function nextText(at: string): string {
  return new Date(at).toLocaleString([], { weekday: 'short', hour: 'numeric', minute: '2-digit' })
}

function ScheduleLine({ schedule, onChange }: { schedule: Schedule; onChange(): void }) {
  const { id, name, command, directory, cron, isPaused, nextAt, last } = schedule
  const title = name ?? titleOf(command)
  const act = (action: string, done: string) => async () => {
    await attempt(() => postJson(`/schedules/${id}/${action}`), done)
    onChange()
  }
  const remove = async () => {
    const text = `“${title}” does not start again. What it has started continues.`
    if (await askFirst({ title: 'Remove this schedule?', text, action: 'Remove' })) await act('remove', 'Removed')()
  }
  return (
    <li class="line-item">
      <StatusBadge
        badge={
          isPaused
            ? { word: 'Paused', tone: 'muted', shape: 'bars' }
            : last?.outcome === 'failed'
              ? { word: 'Not started', tone: 'danger', shape: 'square' }
              : { word: 'Scheduled', tone: 'done', shape: 'ring' }
        }
      />
      <div class="what">
        <span class="cut strong block" title={`signalbox ${command.join(' ')}`}>
          {title}
        </span>
        <span class="small soft cut block">
          {whenText(cron)} · <span title={directory}>{baseName(directory)}</span>
          {last && (
            <>
              {' · '}
              {last.run ? (
                <a class="link" href={`/r/${last.run}`}>
                  last run
                </a>
              ) : last.session ? (
                <a class="link" href={`/s/${last.session}`}>
                  last session
                </a>
              ) : (
                (last.problem ?? 'started')
              )}{' '}
              <TimeSince at={last.at} suffix=" ago" />
            </>
          )}
        </span>
      </div>
      <span class="meta" style={{ alignItems: 'center' }}>
        {nextAt && <span title={new Date(nextAt).toLocaleString()}>next {nextText(nextAt)}</span>}
        <Menu label={`Actions for ${title}`}>
          <button type="button" disabled={!canDecide.value} onClick={() => void act('start', 'Started')()}>
            Start now
          </button>
          <button
            type="button"
            disabled={!canDecide.value}
            onClick={() => void act(isPaused ? 'resume' : 'pause', isPaused ? 'Resumed' : 'Paused')()}
          >
            {isPaused ? 'Resume' : 'Pause'}
          </button>
          <button type="button" class="danger" disabled={!canDecide.value} onClick={() => void remove()}>
            Remove…
          </button>
        </Menu>
      </span>
    </li>
  )
}

/** The task of a command, or the command. */
function titleOf([name = '', ...args]: readonly string[]): string {
  const first = args.find(word => !word.startsWith('-'))
  return first === undefined ? name : name === 'oneshot' ? first : `${name} ${first}`
}

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']

const SHORTHANDS: Readonly<Record<string, string>> = {
  '@hourly': 'every hour',
  '@daily': 'every day at midnight',
  '@weekly': 'every Sunday at midnight',
  '@monthly': 'on the first of every month',
}

/** The common forms in words; every other as it was written. */
function whenText(cron: string): string {
  if (SHORTHANDS[cron]) return SHORTHANDS[cron]
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = cron.split(/\s+/)
  if (!/^\d+$/.test(minute) || day !== '*' || month !== '*') return cron
  if (hour === '*' && weekday === '*') return `every hour at :${minute.padStart(2, '0')}`
  if (!/^\d+$/.test(hour)) return cron
  const at = `at ${hour}:${minute.padStart(2, '0')}`
  if (weekday === '*') return `every day ${at}`
  if (/^(1-5|mon-fri)$/i.test(weekday)) return `on working days ${at}`
  return /^[0-6]$/.test(weekday) ? `every ${DAYS[Number(weekday)]} ${at}` : cron
}

const FORMS = [
  { value: '* * *', label: 'Every day' },
  { value: '* * 1-5', label: 'On working days' },
  ...DAYS.map((label, day) => ({ value: `* * ${day}`, label: `Every ${label}` })),
]

function ScheduleDialog({ onClose, onAdded }: { onClose(): void; onAdded(): void }) {
  const { installed } = useAgents()
  const [task, setTask] = useState('')
  const [agent, setAgent] = useState('')
  const [directory, setDirectory] = useState('')
  const [days, setDays] = useState(FORMS[0]!.value)
  const [time, setTime] = useState('02:00')
  const [problem, setProblem] = useState<unknown>(null)
  const submit = async (event: Event) => {
    event.preventDefault()
    const [hour = '2', minute = '0'] = time.split(':')
    const command = ['oneshot', task.trim(), ...(agent === '' ? [] : ['--agent', agent])]
    const body = { cron: `${Number(minute)} ${Number(hour)} ${days}`, command, directory: directory.trim() }
    try {
      await withStepUp('schedule a task', () => postJson('/schedules', body))
      toast('good', 'Scheduled')
      onAdded()
    } catch (error) {
      if (!isCancelled(error)) setProblem(error)
    }
  }
  return (
    <Dialog title="Schedule a task" onClose={onClose}>
      <form class="stack wide" onSubmit={submit}>
        <label class="field">
          <span class="label">Task</span>
          <textarea
            class="input"
            rows={3}
            dir="auto"
            required
            value={task}
            onInput={event => setTask(event.currentTarget.value)}
          />
        </label>
        <DirectoryField value={directory} fallback="" onChange={setDirectory} />
        <label class="field">
          <span class="label">Agent</span>
          <select class="input" value={agent} onChange={event => setAgent(event.currentTarget.value)}>
            <option value="">As the settings say</option>
            {installed.map(({ name, title }) => (
              <option key={name} value={name}>
                {title}
              </option>
            ))}
          </select>
        </label>
        <div class="row">
          <label class="field grow">
            <span class="label">When</span>
            <select class="input" value={days} onChange={event => setDays(event.currentTarget.value)}>
              {FORMS.map(({ value, label }) => (
                <option key={value} value={value}>
                  {label}
                </option>
              ))}
            </select>
          </label>
          <label class="field">
            <span class="label">At</span>
            <input
              class="input"
              type="time"
              required
              value={time}
              onInput={event => setTime(event.currentTarget.value)}
            />
          </label>
        </div>
        <p class="small soft">In the time zone of the machine that runs Signalbox.</p>
        {problem !== null && <FormProblem error={problem} />}
        <div class="row" style={{ justifyContent: 'flex-end' }}>
          <button type="button" class="btn" onClick={onClose}>
            Back
          </button>
          <button type="submit" class="btn solid" disabled={task.trim() === '' || directory.trim() === ''}>
            Schedule
          </button>
        </div>
      </form>
    </Dialog>
  )
}
