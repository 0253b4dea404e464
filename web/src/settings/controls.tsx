import { useState } from 'preact/hooks'
import type { Setting, Settings } from '../api/types'
import { isOwner } from '../store/live'
import { isDeveloper } from '../store/prefs'
import { isRestarting, restartServer } from '../store/restart'
import { sentence } from '../store/toasts'
import { getJson, request } from '../transport/request'
import { CopyButton } from '../ui/copy'
import { Problem, Skeleton } from '../ui/panel'
import { withStepUp } from '../ui/step-up'
import { useLoad } from '../ui/use-load'
import { Field, shownValue } from './field'
import { type Control, NAMED, type Topic } from './topics'

const RESTART = 'signalbox serve --restart'

/** What became of the last change, beside its control. */
interface Outcome {
  key: string
  problem?: string
}

/** All settings of the server, and how one of them is saved. */
export function useSettings() {
  const { value, error, reload } = useLoad('settings', signal => getJson<Settings>('/settings', { signal }))
  const [outcome, setOutcome] = useState<Outcome | null>(null)
  const save = async (key: string, wanted: unknown) => {
    const change = () =>
      request('/settings', {
        method: 'PATCH',
        body: { changes: { [key]: wanted } },
        headers: { 'if-match': `"${value?.version}"` },
      })
    try {
      await withStepUp(`change the setting “${NAMED.get(key)?.label ?? key}”`, change)
      setOutcome({ key })
    } catch (thrown) {
      const { name, message } = thrown as Error
      setOutcome(name === 'AbortError' ? null : { key, problem: plainProblem(message) })
    }
    reload()
  }
  return { value, error, reload, save, outcome }
}

/** Beside its control a setting needs no name, and the person sees what they wrote. */
function plainProblem(message: string): string {
  return sentence(`${message.replace(/^`[\w.]+` /, '').replace(/; found .*$/s, '')}.`)
}

/**
 * The settings of one topic as controls; settings that only the terminal may change are listed
 * below them.
 */
export function TopicTab({ topic }: { topic: Topic }) {
  const { value, error, reload, save, outcome } = useSettings()
  if (!value) return error ? <Problem error={error} retry={reload} /> : <Skeleton lines={4} />
  const settings = new Map(value.items.map(setting => [setting.key, setting]))
  return (
    <div class="stack wide">
      <Pending settings={value} onRestarted={reload} />
      {topic.groups.map(({ title, controls }) => {
        const known = controls.filter(({ key }) => settings.has(key))
        if (known.length === 0) return null
        return (
          <section key={title} class="panel" aria-label={title}>
            <header>
              <h2>{title}</h2>
            </header>
            <ul class="controls">
              {known.map(control => (
                <ControlLine
                  key={control.key}
                  control={control}
                  setting={settings.get(control.key)!}
                  outcome={outcome?.key === control.key ? outcome : null}
                  onSave={wanted => void save(control.key, wanted)}
                />
              ))}
            </ul>
          </section>
        )
      })}
    </div>
  )
}

interface ControlLineProps {
  control: Control
  setting: Setting
  outcome: Outcome | null
  onSave(value: unknown): void
}

/** Saved settings that wait for the next start, in one place. */
export function Pending({ settings, onRestarted }: { settings: Settings; onRestarted(): void }) {
  const count = settings.items.filter(({ isPending }) => isPending).length
  if (count === 0) return null
  return (
    <p class="settings-pending small" role="status">
      <span class="grow">
        {isRestarting.value
          ? 'Restarting Signalbox. The page reconnects by itself; agents keep running.'
          : `${count === 1 ? 'One saved setting applies' : `${count} saved settings apply`} after a restart of Signalbox; agents keep running.`}
      </span>
      {settings.canRestart ? (
        <button
          type="button"
          class="btn solid"
          disabled={!isOwner.value || isRestarting.value}
          onClick={() => void restartServer().then(onRestarted)}
        >
          {isRestarting.value ? 'Restarting…' : 'Restart now'}
        </button>
      ) : (
        <>
          <code>{RESTART}</code>
          <CopyButton text={RESTART} label="Copy the command" />
        </>
      )}
    </p>
  )
}

export function ControlLine({ control, setting, outcome, onSave }: ControlLineProps) {
  const id = `set-${setting.key.replaceAll('.', '-')}`
  const { label, hint, look = {} } = control
  const isTerminal = setting.editing === 'terminal' || setting.accepts.type === 'table'
  return (
    <li>
      <div class="grow">
        {isTerminal ? <span>{label}</span> : <label for={id}>{label}</label>}
        {(hint || setting.editing === 'tighten') && (
          <p class="tiny dim">
            {hint}{' '}
            {setting.editing === 'tighten' &&
              (setting.accepts.type === 'boolean'
                ? 'It can only be turned on in a terminal.'
                : 'It can only be loosened in a terminal.')}
          </p>
        )}
        {isDeveloper.value && <code class="tiny dim">{setting.key}</code>}
        <p class={`tiny ${outcome?.problem ? 'field-problem' : 'field-saved'}`} role="status">
          {outcome?.problem ?? (setting.isPending ? 'Saved. It applies after a restart.' : outcome && 'Saved')}
          {outcome &&
            !outcome.problem &&
            setting.origin.source === 'env' &&
            ' A variable of the environment overrides it.'}
        </p>
      </div>
      {isTerminal ? (
        <TerminalOnly setting={setting} look={look} />
      ) : (
        <span class="row wrap control-end">
          {setting.origin.source === 'user' && setting.editing === 'free' && isOwner.value && (
            <button type="button" class="btn quiet small" onClick={() => onSave(null)}>
              Reset<span class="sr"> to the default</span>
            </button>
          )}
          <Field id={id} setting={setting} look={look} isOff={!isOwner.value} onSave={onSave} />
        </span>
      )}
    </li>
  )
}

/** A value that the page shows, with the command that changes it. */
function TerminalOnly({ setting, look }: { setting: Setting; look: Parameters<typeof shownValue>[1] }) {
  return (
    <span class="row terminal-only">
      <span class="strong cut" title={shownValue(setting, look)}>
        {shownValue(setting, look)}
      </span>
      <CopyButton
        class="btn quiet small"
        text={`signalbox config set ${setting.key} `}
        label="Copy the command that changes it in a terminal"
      >
        Copy command
      </CopyButton>
    </span>
  )
}
