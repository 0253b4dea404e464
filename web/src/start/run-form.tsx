import { useState } from 'preact/hooks'
import type { PipelineList, Run } from '../api/types'
import { draftGraph } from '../graphs/sample'
import { canDecide, runs } from '../store/live'
import { go, query } from '../store/router'
import { ApiError, getJson, postJson } from '../transport/request'
import { Segments } from '../ui/tabs'
import { useLoad } from '../ui/use-load'
import { useAgents } from './agents'
import { DirectoryField } from './directory-field'
import { FormProblem, type Inputs, SchemaFields } from './fields'

type Kind = 'oneshot' | 'graph' | 'pipeline'

export function RunForm({ first }: { first: string }) {
  const [kind, setKind] = useState<Kind>(query.peek().get('graph') ? 'graph' : 'oneshot')
  const [project, setProject] = useState('')
  const [agent, setAgent] = useState('')
  const [task, setTask] = useState('')
  const [graph, setGraph] = useState(() => draftGraph())
  const [inputs, setInputs] = useState<Inputs>({})
  const [budget, setBudget] = useState('')
  const [pipeline, setPipeline] = useState('')
  const [problem, setProblem] = useState<unknown>(null)
  const [trust, setTrust] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const { installed: agents } = useAgents()
  const directory = project || first
  // A project registers pipelines of its own; without a valid directory there are those that ship.
  const pipelines = useLoad(`pipelines ${directory}`, async signal => {
    const load = (path: string) => getJson<PipelineList>(path, { signal })
    const shipped = () => load('/pipelines').catch((): PipelineList => ({ items: [] }))
    return directory === '' ? shipped() : load(`/pipelines?project=${encodeURIComponent(directory)}`).catch(shipped)
  })
  const chosen = pipelines.value?.items.find(({ name }) => name === pipeline) ?? pipelines.value?.items[0]
  const submit = async (event: Event) => {
    event.preventDefault()
    setBusy(true)
    setProblem(null)
    const shared = {
      project: directory,
      ...(Number(budget) > 0 && { budget: { costUsd: Number(budget) } }),
      ...(trust !== null && trust !== '' && { trust }),
    }
    const chosenAgent = agent === '' ? {} : { agent }
    const body =
      kind === 'oneshot'
        ? { oneshot: { task, ...chosenAgent }, ...shared }
        : kind === 'graph'
          ? { graph, input: inputs, ...chosenAgent, ...shared }
          : { pipeline: chosen?.name ?? '', input: inputs, ...shared }
    try {
      const run = await postJson<Run>('/runs', body)
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
          Select <b>Trust and start</b> to allow this project to run exactly what is listed above (
          <code>{trust.slice(0, 12)}</code>).
        </p>
      )}
      <Segments
        label="Kind of run"
        value={kind}
        choices={[
          { value: 'oneshot', label: 'Task' },
          { value: 'graph', label: 'Graph' },
          ...(pipelines.value?.items.length ? [{ value: 'pipeline' as const, label: 'Pipeline' }] : []),
        ]}
        onChange={value => setKind(value as Kind)}
      />
      {kind === 'oneshot' && (
        <div class="field">
          <label for="task">Task</label>
          <textarea
            id="task"
            class="input"
            rows={6}
            dir="auto"
            placeholder="What should be done, and how do you know that it is done?"
            value={task}
            onInput={event => setTask(event.currentTarget.value)}
          />
          <span class="hint">
            A worker does the task and an auditor checks the result, until the task is done or impossible.
          </span>
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
              Open in the graph editor, with templates
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
              onChange={event => {
                setPipeline(event.currentTarget.value)
                setInputs({})
              }}
            >
              {(pipelines.value?.items ?? []).map(({ name, displayName }) => (
                <option key={name} value={name}>
                  {displayName}
                </option>
              ))}
            </select>
            {chosen && <span class="hint">{chosen.description}</span>}
          </div>
          <SchemaFields pipeline={chosen} values={inputs} agents={agents} onChange={setInputs} />
        </>
      )}
      <DirectoryField value={project} fallback={first} onChange={setProject} />
      <div class="two">
        {kind !== 'pipeline' && (
          <div class="field">
            <label for="run-agent">Agent (optional)</label>
            <select id="run-agent" class="input" value={agent} onChange={event => setAgent(event.currentTarget.value)}>
              <option value="">As set in Settings</option>
              {agents.map(({ name, title }) => (
                <option key={name} value={name}>
                  {title}
                </option>
              ))}
            </select>
          </div>
        )}
        <div class="field">
          <label for="budget">Budget in USD (optional)</label>
          <input
            id="budget"
            class="input"
            inputMode="decimal"
            value={budget}
            onInput={event => setBudget(event.currentTarget.value)}
          />
        </div>
      </div>
      <div class="row wrap" style={{ justifyContent: 'flex-end' }}>
        {!isReady && (
          <span class="small dim grow">
            {directory === '' ? 'Choose a directory to start in.' : kind === 'oneshot' ? 'Describe the task.' : ''}
          </span>
        )}
        <button type="submit" class="btn solid tall" disabled={!canDecide.value || isBusy || !isReady}>
          {isBusy ? 'Starting…' : trust ? 'Trust and start' : 'Start run'}
        </button>
      </div>
    </form>
  )
}
