import type { Activity } from '../activity/index.js'
import { PATH_TOOLS, pathInput, toolCandidates } from '../host/index.js'
import { canOpenPaths, openPath, refusalOf, type SandboxPlan } from '../sandbox/index.js'

interface StepPathsOptions {
  plan: SandboxPlan
  pid: number
  /** The step's directory, which is visible in the sandbox. */
  directory: string
  ask(tool: string, input: unknown): Promise<boolean>
  onError(error: unknown): void
}

const MAX_ASKED = 20

/** Paths that the sandbox of a step's agent refuses. What a person allows holds for this step. */
export class StepPaths {
  readonly #options: StepPathsOptions
  readonly #calls = new Map<string, { tool: string; input: unknown }>()
  readonly #known = new Set<string>()
  #opening: Promise<unknown> = Promise.resolve()

  constructor(options: StepPathsOptions) {
    this.#options = options
  }

  take(activity: Activity): void {
    if (activity.type === 'tool_call') this.#calls.set(activity.callId, activity)
    if (activity.type !== 'tool_result') return
    const call = this.#calls.get(activity.callId)
    this.#calls.delete(activity.callId)
    const { tool, input } = call ?? { tool: '', input: null }
    const { candidates, by } = toolCandidates({ tool, input, output: activity.output, isFailed: !activity.ok })
    const { plan, onError } = this.#options
    for (const candidate of candidates) {
      const refusal = refusalOf(candidate, plan.paths, plan.home)
      const key = refusal && `${refusal.access} ${refusal.path}`
      // In a sandbox that cannot be opened, the answer would come too late for this step.
      if (!refusal || this.#known.has(key!) || this.#known.size >= MAX_ASKED || !canOpenPaths(plan.env.PATH)) continue
      this.#known.add(key!)
      this.#opening = this.#opening.then(async () => {
        const { pid, directory, ask } = this.#options
        if (await ask(PATH_TOOLS[refusal.access], pathInput(refusal, by, true))) await openPath(pid, directory, refusal)
      })
      this.#opening = this.#opening.catch(onError)
    }
  }
}
