import { useState } from 'preact/hooks'
import type { Health } from '../api/types'
import { startSession } from '../store/actions'
import { canDecide, sessions } from '../store/live'
import { go, query } from '../store/router'
import { getJson } from '../transport/request'
import { useLoad } from '../ui/use-load'
import { DirectoryField, FormProblem } from './fields'

export function SessionForm({ first }: { first: string }) {
  const [agent, setAgent] = useState(query.peek().get('agent') ?? sessions.all.peek()[0]?.agent ?? 'claude')
  const [cwd, setCwd] = useState('')
  const [prompt, setPrompt] = useState('')
  const [label, setLabel] = useState('')
  const [args, setArgs] = useState('')
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<unknown>(null)
  const agents = useLoad('agents', signal => getJson<Health>('/health', { signal }))
  const directory = cwd || first
  const submit = async (event: Event) => {
    event.preventDefault()
    setBusy(true)
    setProblem(null)
    try {
      const session = await startSession({
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
        <summary class="small soft">Extra arguments</summary>
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
          {isBusy ? 'Starting…' : 'Start session'}
        </button>
      </div>
    </form>
  )
}
