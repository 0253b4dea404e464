import type { NewEvent } from '../../../store/index.js'
import type { StepCall } from '../../workflow.js'
import { type GraphInput, plainInput } from '../graph-run.js'
import type { Cursor } from '../graph-work.js'
import { graphWorkflow } from '../graph-workflow.js'

export interface TestCall extends StepCall {
  notices: string[]
  recorded: NewEvent[]
  abort: AbortController
}

/** A call for node `a` of a graph, as the engine makes it, to test handlers directly. */
export function stepCall(
  directory: string,
  dot: string,
  {
    context = {},
    cursor = {},
    input = {},
  }: {
    context?: Record<string, unknown>
    cursor?: Partial<Cursor>
    input?: Partial<GraphInput>
  } = {},
): TestCall {
  const whole: GraphInput = {
    ...plainInput(`digraph { start [shape=Mdiamond]; exit [shape=Msquare]; ${dot} }`, directory),
    ...input,
  }
  const about = { kind: 'graph', title: '', project: directory, cwd: directory, person: '' }
  const work = graphWorkflow.begin({ ...about, input: whole }, { id: 'run_x', at: 0 })
  const main = work.cursors.get('')!
  Object.assign(main, { node: 'a', visit: 1, attempt: 1, handler: 'codergen', ...cursor })
  Object.assign(main.context, context)
  const notices: string[] = []
  const recorded: NewEvent[] = []
  const abort = new AbortController()
  return {
    run: 'run_x',
    step: 'a@1#1',
    input: { node: 'a', visit: 1, attempt: 1, branch: '' },
    work: () => work,
    name: 'run_x/a@1#1',
    signal: abort.signal,
    startedAt: 0,
    spent: () => undefined,
    notice: (_, text) => void notices.push(text),
    record: event => void recorded.push(event),
    notices,
    recorded,
    abort,
  }
}
