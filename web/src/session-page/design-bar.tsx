import { useState } from 'preact/hooks'
import type { Run, Session } from '../api/types'
import { FormProblem } from '../start/fields'
import { canDecide, runs } from '../store/live'
import { go } from '../store/router'
import { postJson, request } from '../transport/request'

/** Where `signalbox brainstorm` has designs written. */
const DESIGN = /^docs\/plans\/[^/]+-design\.md$/

/** The design that a session wrote, handed over to a run that implements it with one press. */
export function DesignBar({ session, files }: { session: Session; files: readonly { name: string }[] }) {
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<unknown>(null)
  const path = files.find(({ name }) => DESIGN.test(name))?.name
  if (path === undefined) return null
  const implement = async () => {
    setBusy(true)
    setProblem(null)
    try {
      const file = await request(`/sessions/${session.id}/files?path=${encodeURIComponent(path)}`)
      const input = { design: await file.text(), agent: session.agent }
      const run = await postJson<Run>('/runs', { pipeline: 'implementation', input, project: session.cwd })
      runs.put(run)
      go(`/r/${run.id}`)
    } catch (error) {
      setProblem(error)
      setBusy(false)
    }
  }
  return (
    <section class="comment-bar row wrap" aria-label="Design">
      <span class="grow small">
        The design is in <code>{path}</code>.
      </span>
      <button type="button" class="btn solid" disabled={isBusy || !canDecide.value} onClick={() => void implement()}>
        Implement it
      </button>
      {problem !== null && <FormProblem error={problem} />}
    </section>
  )
}
