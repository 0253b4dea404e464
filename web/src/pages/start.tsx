import { useState } from 'preact/hooks'
import type { Run, Session } from '../api/types'
import { startSession } from '../store/actions'
import { canDecide, runs, sessions } from '../store/live'
import { go, query, setQuery } from '../store/router'
import { sentence } from '../store/toasts'
import { ApiError, getJson, postJson } from '../transport/request'
import { Segments } from '../ui/tabs'
import { useLoad } from '../ui/use-load'
import { draftGraph } from './graphs'

interface Project {
  path: string
  name: string
}

interface Pipeline {
  name: string
  displayName?: string
  description?: string
  inputSchema?: {
    properties?: Record<string, { type?: string; description?: string; title?: string; enum?: string[] }>
    required?: string[]
  }
}

type What = 'session' | 'run'
type Kind = 'oneshot' | 'graph' | 'pipeline'

export function StartPage() {
  const what: What = query.value.get('what') === 'run' ? 'run' : 'session'
  const projects = useLoad('projects', signal => getJson<{ items: Project[] }>('/projects', { signal }))
  return (
    <div class="page start-page">
      <div class="page-head">
        <h1>Start</h1>
        <Segments
          label="What"
          value={what}
          choices={[
            { value: 'session', label: 'A session' },
            { value: 'run', label: 'A run' },
          ]}
          onChange={value => setQuery({ what: value === 'run' ? 'run' : null })}
        />
      </div>
      <datalist id="projects">
        {(projects.value?.items ?? []).map(({ path }) => (
          <option key={path} value={path} />
        ))}
      </datalist>
      {what === 'session' ? (
        <SessionForm first={projects.value?.items[0]?.path ?? ''} />
      ) : (
        <RunForm first={projects.value?.items[0]?.path ?? ''} />
      )}
    </div>
  )
}

function SessionForm({ first }: { first: string }) {
  const [agent, setAgent] = useState(query.peek().get('agent') ?? sessions.all.peek()[0]?.agent ?? 'claude')
  const [cwd, setCwd] = useState('')
  const [prompt, setPrompt] = useState('')
  const [label, setLabel] = useState('')
  const [args, setArgs] = useState('')
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<unknown>(null)
  const agents = useLoad('agents', signal => getJson<{ agents: string[] }>('/health', { signal }))
  const directory = cwd || first
  const submit = async (event: Event) => {
    event.preventDefault()
    setBusy(true)
    setProblem(null)
    try {
      const session: Session = await startSession({
        agent,
        cwd: directory,
        args: args.trim() === '' ? [] : args.trim().split(/\s+/),
        ...(prompt.trim() !== '' && { prompt: prompt.trim() }),
        ...(label.trim() !== '' && { label: label.trim() }),
      })
      go(`/s/${session.id}`)
    } catch (error) {
      setProblem(error)
    } finally {
      setBusy(false)
    }
  }
  return (
    <form class="panel start-form" onSubmit={submit}>
      <FormProblem error={problem} />
      <div class="two">
        <div class="field">
          <label for="agent">Agent</label>
          <select id="agent" class="input" value={agent} onChange={event => setAgent(event.currentTarget.value)}>
            {[...new Set([agent, ...(agents.value?.agents ?? [])])].map(name => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </div>
        <div class="field">
          <label for="label">Name (optional)</label>
          <input
            id="label"
            class="input"
            maxLength={200}
            value={label}
            onInput={event => setLabel(event.currentTarget.value)}
          />
        </div>
      </div>
      <DirectoryField value={cwd} placeholder={first} onChange={setCwd} />
      <div class="field">
        <label for="prompt">First prompt (optional)</label>
        <textarea
          id="prompt"
          class="input"
          rows={4}
          value={prompt}
          onInput={event => setPrompt(event.currentTarget.value)}
        />
      </div>
      <details>
        <summary class="small soft">Arguments of the agent</summary>
        <input
          class="input code"
          style={{ marginTop: '8px' }}
          aria-label="Arguments, separated by spaces"
          value={args}
          onInput={event => setArgs(event.currentTarget.value)}
        />
      </details>
      <div class="row" style={{ justifyContent: 'flex-end' }}>
        <button type="submit" class="btn solid tall" disabled={!canDecide.value || isBusy || directory === ''}>
          {isBusy ? 'Starting …' : 'Start the session'}
        </button>
      </div>
    </form>
  )
}

function RunForm({ first }: { first: string }) {
  const [kind, setKind] = useState<Kind>(query.peek().get('graph') ? 'graph' : 'oneshot')
  const [project, setProject] = useState('')
  const [agent, setAgent] = useState('')
  const [task, setTask] = useState('')
  const [graph, setGraph] = useState(() => draftGraph())
  const [inputs, setInputs] = useState<Record<string, string>>({})
  const [budget, setBudget] = useState('')
  const [pipeline, setPipeline] = useState('')
  const [problem, setProblem] = useState<unknown>(null)
  const [trust, setTrust] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const pipelines = useLoad('pipelines', signal =>
    getJson<{ items: Pipeline[] }>('/pipelines', { signal }).catch(() => ({ items: [] as Pipeline[] })),
  )
  const chosen = pipelines.value?.items.find(({ name }) => name === pipeline) ?? pipelines.value?.items[0]
  const directory = project || first
  const submit = async (event: Event) => {
    event.preventDefault()
    setBusy(true)
    setProblem(null)
    const shared = { project: directory, ...(Number(budget) > 0 && { budget: { costUsd: Number(budget) } }) }
    const who = agent === '' ? {} : { agent }
    const wish =
      kind === 'oneshot'
        ? { oneshot: { task, ...who }, ...shared }
        : kind === 'graph'
          ? { graph, input: inputs, ...who, ...(trust !== null && { trust }), ...shared }
          : { pipeline: chosen?.name ?? '', input: inputs, ...shared }
    try {
      const run = await postJson<Run>('/runs', wish)
      runs.put(run)
      go(`/r/${run.id}`)
    } catch (error) {
      setProblem(error)
      if (error instanceof ApiError && error.code === 'E_UNTRUSTED') setTrust(String(error.body.details?.hash ?? ''))
    } finally {
      setBusy(false)
    }
  }
  const isReady =
    directory !== '' &&
    (kind === 'oneshot' ? task.trim() !== '' : kind === 'graph' ? graph.trim() !== '' : chosen !== undefined)
  return (
    <form class="panel start-form" onSubmit={submit}>
      <FormProblem error={problem} />
      {trust !== null && trust !== '' && (
        <p class="small">
          Press <b>Trust and start</b> to let this project run exactly what is named above (
          <code>{trust.slice(0, 12)}</code>).
        </p>
      )}
      <Segments
        label="Kind of run"
        value={kind}
        choices={[
          { value: 'oneshot', label: 'Oneshot' },
          { value: 'graph', label: 'Graph' },
          ...(pipelines.value?.items.length ? [{ value: 'pipeline' as const, label: 'Pipeline' }] : []),
        ]}
        onChange={value => setKind(value as Kind)}
      />
      <DirectoryField value={project} placeholder={first} onChange={setProject} />
      {kind === 'oneshot' && (
        <div class="field">
          <label for="task">Task</label>
          <textarea
            id="task"
            class="input"
            rows={6}
            value={task}
            onInput={event => setTask(event.currentTarget.value)}
          />
          <span class="hint">A worker does it, an auditor looks at the result, until it is done or impossible.</span>
        </div>
      )}
      {kind === 'graph' && (
        <div class="field">
          <label for="graph">Graph</label>
          <textarea
            id="graph"
            class="input code"
            rows={12}
            spellcheck={false}
            value={graph}
            onInput={event => setGraph(event.currentTarget.value)}
          />
          <span class="hint">
            <a class="link" href="/graphs">
              Write it with a drawing beside it
            </a>
          </span>
        </div>
      )}
      {kind === 'pipeline' && (
        <>
          <div class="field">
            <label for="pipeline">Pipeline</label>
            <select
              id="pipeline"
              class="input"
              value={chosen?.name}
              onChange={event => setPipeline(event.currentTarget.value)}
            >
              {(pipelines.value?.items ?? []).map(({ name, displayName }) => (
                <option key={name} value={name}>
                  {displayName ?? name}
                </option>
              ))}
            </select>
            {chosen?.description && <span class="hint">{chosen.description}</span>}
          </div>
          <SchemaFields pipeline={chosen} values={inputs} onChange={setInputs} />
        </>
      )}
      <div class="two">
        {kind !== 'pipeline' && (
          <div class="field">
            <label for="run-agent">Agent (optional)</label>
            <input id="run-agent" class="input" value={agent} onInput={event => setAgent(event.currentTarget.value)} />
          </div>
        )}
        <div class="field">
          <label for="budget">Budget in dollars (optional)</label>
          <input
            id="budget"
            class="input"
            inputMode="decimal"
            value={budget}
            onInput={event => setBudget(event.currentTarget.value)}
          />
        </div>
      </div>
      <div class="row" style={{ justifyContent: 'flex-end' }}>
        <button type="submit" class="btn solid tall" disabled={!canDecide.value || isBusy || !isReady}>
          {isBusy ? 'Starting …' : trust ? 'Trust and start' : 'Start the run'}
        </button>
      </div>
    </form>
  )
}

/** A form from the pipeline's own description of what it takes. */
function SchemaFields(props: {
  pipeline: Pipeline | undefined
  values: Record<string, string>
  onChange(values: Record<string, string>): void
}) {
  const { properties = {}, required = [] } = props.pipeline?.inputSchema ?? {}
  return (
    <>
      {Object.entries(properties).map(([name, field]) => (
        <div class="field" key={name}>
          <label for={`in-${name}`}>
            {field.title ?? name}
            {required.includes(name) ? '' : ' (optional)'}
          </label>
          {field.enum ? (
            <select
              id={`in-${name}`}
              class="input"
              value={props.values[name] ?? ''}
              onChange={event => props.onChange({ ...props.values, [name]: event.currentTarget.value })}
            >
              <option value="">–</option>
              {field.enum.map(value => (
                <option key={value}>{value}</option>
              ))}
            </select>
          ) : (
            <textarea
              id={`in-${name}`}
              class="input"
              rows={2}
              value={props.values[name] ?? ''}
              onInput={event => props.onChange({ ...props.values, [name]: event.currentTarget.value })}
            />
          )}
          {field.description && <span class="hint">{field.description}</span>}
        </div>
      ))}
    </>
  )
}

function DirectoryField(props: { value: string; placeholder: string; onChange(value: string): void }) {
  return (
    <div class="field">
      <label for="cwd">Directory</label>
      <input
        id="cwd"
        class="input code"
        list="projects"
        placeholder={props.placeholder || '/home/you/project'}
        value={props.value}
        onInput={event => props.onChange(event.currentTarget.value)}
      />
    </div>
  )
}

function FormProblem({ error }: { error: unknown }) {
  if (error === null) return null
  const { message, next, body } = error as ApiError
  return (
    <div class="empty problem" role="alert">
      <p class="strong">{sentence(message)}</p>
      {next && <p class="small">{sentence(next)}</p>}
      {body?.fields?.map(field => (
        <p key={field.path} class="small">
          <code>{field.path}</code> {field.message}
        </p>
      ))}
    </div>
  )
}
