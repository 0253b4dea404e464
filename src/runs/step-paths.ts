import type { Activity } from '../activity/index.js'
import { PATH_TOOLS, type PathRequester, pathInput, toolCandidates } from '../host/index.js'
import {
  candidatesIn,
  canOpenPaths,
  openPath,
  type PathCandidate,
  refusalOf,
  type SandboxPlan,
} from '../sandbox/index.js'

interface StepPathsOptions {
  plan: SandboxPlan
  pid: number
  /** The command line of the step's program. */
  command: string
  /** The step's directory, which is visible in the sandbox. */
  directory: string
  ask(tool: string, input: unknown): Promise<boolean>
  /** The text in the log of the run. */
  notice(text: string): void
  onError(error: unknown): void
}

const ASKED_MAX = 20

/**
 * Paths that the sandbox of a step refuses to its agent or its command. A permission of a person
 * holds for this step.
 */
export class StepPaths {
  readonly #options: StepPathsOptions
  readonly #calls = new Map<string, { tool: string; input: unknown }>()
  readonly #known = new Set<string>()
  #opening: Promise<unknown> = Promise.resolve()

  constructor(options: StepPathsOptions) {
    this.#options = options
  }

  activity(activity: Activity): void {
    if (activity.type === 'tool_call') this.#calls.set(activity.callId, activity)
    if (activity.type !== 'tool_result') return
    const call = this.#calls.get(activity.callId)
    this.#calls.delete(activity.callId)
    const { tool, input } = call ?? { tool: '', input: null }
    const { candidates, by } = toolCandidates({ tool, input, output: activity.output, isFailed: !activity.ok })
    for (const candidate of candidates) this.#addCandidate(candidate, by)
  }

  printed(line: string): void {
    for (const candidate of candidatesIn(line)) this.#addCandidate(candidate, { commandLine: this.#options.command })
  }

  #addCandidate(candidate: PathCandidate, by: PathRequester): void {
    const { plan, notice, onError } = this.#options
    const refusal = refusalOf(candidate, plan.paths, plan.home)
    const key = refusal && `${refusal.access} ${refusal.path}`
    if (!refusal || this.#known.has(key!) || this.#known.size >= ASKED_MAX) return
    this.#known.add(key!)
    notice(`the sandbox does not let it ${refusal.access} ${refusal.path}: ${refusal.message}`)
    // In a sandbox that cannot be opened, the answer would come too late for this step.
    if (!canOpenPaths(plan.env.PATH)) return
    this.#opening = this.#opening.then(async () => {
      const { pid, directory, ask } = this.#options
      if (await ask(PATH_TOOLS[refusal.access], pathInput(refusal, by, true))) await openPath(pid, directory, refusal)
    })
    this.#opening = this.#opening.catch(onError)
  }
}
