import { useState } from 'preact/hooks'
import { distinctNames } from '../api/distinct-names'
import type { Project } from '../api/types'
import { startSession } from '../store/actions'
import { canDecide, sessions } from '../store/live'
import { type SessionTemplate, sessionTemplates } from '../store/prefs'
import { go, query } from '../store/router'
import { sessionName } from '../store/session-name'
import { InstallCommand } from '../ui/install'
import { NameDialog } from '../ui/name-dialog'
import { argumentsOf, optionsOf } from './agent-options'
import { useAgents } from './agents'
import { DirectoryField } from './directory-field'
import { FormProblem } from './fields'

const RECENT_MAX = 5

/** Starts a session: from nothing, from a template, or like another session. */
export function SessionForm({ projects }: { projects: readonly Project[] }) {
  const { all: agents, installed, missing, first: real } = useAgents()
  const first = projects[0]?.path ?? ''
  const [form, setForm] = useState<SessionTemplate>(initial)
  const [isBusy, setBusy] = useState(false)
  const [isNaming, setNaming] = useState(false)
  const [problem, setProblem] = useState<unknown>(null)
  const put = (changes: Partial<SessionTemplate>) => setForm(before => ({ ...before, ...changes }))
  const agent = form.agent || real?.name || 'demo'
  const chosen = agents.find(({ name }) => name === agent)
  const { model, mode } = optionsOf(agent)
  const directory = form.cwd || first
  const names = distinctNames(projects.map(({ path }) => path))
  const isScratch = agent === 'demo' && directory === ''
  const submit = async (event: Event) => {
    event.preventDefault()
    setBusy(true)
    setProblem(null)
    try {
      const session = await startSession({
        agent,
        ...(!isScratch && { cwd: directory }),
        args: argumentsOf(agent, form),
        ...(form.prompt.trim() !== '' && { prompt: form.prompt.trim() }),
        ...(form.label.trim() !== '' && { label: form.label.trim() }),
        ...(form.worktree && { worktree: true }),
        ...(Number(form.budget) > 0 && { budget: { usd: Number(form.budget), tokens: null } }),
      })
      go(`/s/${session.id}`)
    } catch (error) {
      setProblem(error)
    } finally {
      setBusy(false)
    }
  }
  const save = (name: string) => {
    setNaming(false)
    const others = sessionTemplates.value.filter(template => template.name !== name)
    sessionTemplates.value = [...others, { ...form, agent, cwd: directory, name }]
  }
  return (
    <form class="panel start-form" onSubmit={submit}>
      <FormProblem error={problem} />
      {sessionTemplates.value.length > 0 && (
        <div class="chips" role="group" aria-label="Templates">
          {sessionTemplates.value.map(template => (
            <button
              key={template.name}
              type="button"
              class="chip"
              aria-pressed={template.name === form.name}
              onClick={() => setForm(template)}
            >
              {template.name}
            </button>
          ))}
          <button
            type="button"
            class="btn quiet"
            onClick={() => (sessionTemplates.value = sessionTemplates.value.filter(({ name }) => name !== form.name))}
            disabled={!form.name}
          >
            Delete the template
          </button>
        </div>
      )}
      <div class="field">
        <label for="prompt">First prompt (optional)</label>
        <textarea
          id="prompt"
          class="input"
          rows={4}
          placeholder="What should the agent do? You can also write it later."
          dir="auto"
          value={form.prompt}
          onInput={event => put({ prompt: event.currentTarget.value })}
        />
      </div>
      <div class="two">
        <div class="field">
          <label for="agent">Agent</label>
          <select
            id="agent"
            class="input"
            value={agent}
            onChange={event => put({ agent: event.currentTarget.value, model: '', mode: '' })}
          >
            {!chosen && <option value={agent}>{agent}</option>}
            {installed.map(({ name, title }) => (
              <option key={name} value={name}>
                {title}
              </option>
            ))}
            {missing.length > 0 && (
              <optgroup label="Not installed">
                {missing.map(({ name, title }) => (
                  <option key={name} value={name}>
                    {title} (not installed)
                  </option>
                ))}
              </optgroup>
            )}
          </select>
        </div>
      </div>
      {chosen && !chosen.isInstalled && (
        <p class="row wrap small">
          {chosen.title} is not installed. Run <InstallCommand title={chosen.title} text={chosen.install} />
        </p>
      )}
      <DirectoryField
        value={form.cwd}
        fallback={first}
        hint={isScratch ? 'Without a directory the demo agent works in a scratch project.' : undefined}
        onChange={cwd => put({ cwd })}
      />
      {projects.length > 1 && (
        <div class="chips" role="group" aria-label="Recent directories">
          {projects.slice(0, RECENT_MAX).map(({ path }) => (
            <button
              key={path}
              type="button"
              class="chip"
              title={path}
              aria-pressed={directory === path}
              onClick={() => put({ cwd: path })}
            >
              {names.get(path)}
            </button>
          ))}
        </div>
      )}
      {(model || mode) && (
        <div class="two">
          {model && (
            <div class="field">
              <label for="model">Model (optional)</label>
              <input
                id="model"
                class="input"
                placeholder={model.hint ?? ''}
                value={form.model}
                onInput={event => put({ model: event.currentTarget.value })}
              />
            </div>
          )}
          {mode?.values && (
            <div class="field">
              <label for="mode">Permissions</label>
              <select
                id="mode"
                class="input"
                value={form.mode}
                onChange={event => put({ mode: event.currentTarget.value })}
              >
                {mode.values.map(({ value, label }) => (
                  <option key={value} value={value}>
                    {label}
                  </option>
                ))}
              </select>
            </div>
          )}
        </div>
      )}
      <label class="row">
        <input
          type="checkbox"
          checked={form.worktree}
          onChange={event => put({ worktree: event.currentTarget.checked })}
        />
        <span>
          In a worktree of its own <span class="small dim">– on a new branch, apart from other work</span>
        </span>
      </label>
      <details open={form.args !== '' || form.label !== '' || Boolean(form.budget)}>
        <summary class="small soft">More options</summary>
        <div class="stack wide more-options">
          <div class="two">
            <div class="field">
              <label for="label">Name (optional)</label>
              <input
                id="label"
                class="input"
                maxLength={200}
                placeholder="from the first prompt"
                value={form.label}
                onInput={event => put({ label: event.currentTarget.value })}
              />
            </div>
            <div class="field">
              <label for="budget">Budget in USD (optional)</label>
              <input
                id="budget"
                class="input"
                inputMode="decimal"
                placeholder="as set in Settings"
                value={form.budget ?? ''}
                onInput={event => put({ budget: event.currentTarget.value })}
              />
              <span class="hint">When it is used up, the session is paused and asks you.</span>
            </div>
          </div>
          <div class="field">
            <label for="args">Extra arguments, separated by spaces</label>
            <input
              id="args"
              class="input code"
              value={form.args}
              onInput={event => put({ args: event.currentTarget.value })}
            />
          </div>
        </div>
      </details>
      <div class="row wrap" style={{ justifyContent: 'flex-end' }}>
        {directory === '' && !isScratch && <span class="small dim grow">Choose a directory to start in.</span>}
        <button type="button" class="btn quiet" onClick={() => setNaming(true)}>
          Save as template…
        </button>
        <button
          type="submit"
          class="btn solid tall"
          disabled={!canDecide.value || isBusy || (directory === '' && !isScratch) || chosen?.isInstalled === false}
        >
          {isBusy ? 'Starting…' : 'Start session'}
        </button>
      </div>
      {isNaming && <NameDialog title="Save as template" label="Name" onName={save} onClose={() => setNaming(false)} />}
    </form>
  )
}

/** From the address: an agent, a directory, or a session to start another one like. */
function initial(): SessionTemplate {
  const empty = {
    name: '',
    agent: '',
    cwd: '',
    prompt: '',
    label: '',
    model: '',
    mode: '',
    args: '',
    budget: '',
    worktree: false,
  }
  const from = sessions.peek(query.peek().get('from') ?? '')
  if (!from) return { ...empty, agent: query.peek().get('agent') ?? '', cwd: query.peek().get('cwd') ?? '' }
  return {
    ...empty,
    agent: from.agent,
    cwd: from.cwd,
    args: from.args.filter(arg => !/^[0-9a-f-]{36}$/.test(arg) && arg !== '--session-id').join(' '),
    label: from.label ? `${sessionName(from)} (copy)` : '',
  }
}
