import { graphStep, type Performer, type StepCall } from '../engine/index.js'
import { textOf } from '../graph/index.js'

/** Nodes of `type=code`: of a pipeline where the graph says which (`pipeline_type`), else the person's own functions. */
export function codeStepsOf(pipelines: Performer, own: Performer): Performer {
  const chosen = (call: StepCall): Performer =>
    textOf(graphStep(call).graph.attributes, 'pipeline_type') === null ? own : pipelines
  return {
    run: call => chosen(call).run(call),
    recover: async call =>
      (await chosen(call).recover?.(call)) ?? {
        verdict: 'nothing',
        evidence: [{ source: 'step', says: 'it leaves nothing' }],
      },
    adopt: async call => (await chosen(call).adopt?.(call)) ?? null,
    abandon: async call => chosen(call).abandon?.(call),
  }
}
