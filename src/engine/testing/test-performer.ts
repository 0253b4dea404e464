import type { Performer, Recovery, StepCall, StepEnd } from '../workflow.js'

/** Performs the steps of lists as the test says, and counts what was done. */
export class TestPerformer implements Performer {
  /** Attempts that began, in order. */
  readonly started: string[] = []
  /** Work that was done, by run and name of the step. */
  readonly done: string[] = []
  readonly stopped: string[] = []
  /** What the steps of a name do; the default is to end with `ok`. */
  does: Record<string, (call: StepCall) => Promise<StepEnd>> = {}

  async run(call: StepCall): Promise<StepEnd> {
    this.started.push(`${call.run} ${call.step}`)
    const { name } = call.input as { name: string }
    const end = (await this.does[name]?.(call)) ?? { status: 'ok' as const }
    if (!call.signal.aborted && end.status === 'ok') this.done.push(workOf(call))
    return end
  }

  /** Finds what a step did before its process died. */
  async recover(call: StepCall): Promise<Recovery> {
    return { verdict: this.done.includes(workOf(call)) ? 'success' : 'nothing', evidence: [] }
  }

  /** Runs until it is stopped. */
  forever = (call: StepCall): Promise<StepEnd> =>
    new Promise(resolve => {
      call.signal.addEventListener('abort', () => {
        this.stopped.push(call.step)
        resolve({ status: 'failed', reason: 'stopped' })
      })
    })
}

function workOf({ run, step }: StepCall): string {
  return `${run} ${step.replace(/#\d+$/, '')}`
}
