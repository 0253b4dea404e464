import { relative } from 'node:path'
import type { HeadlessEnd } from '../agents/index.js'
import type { Clock } from '../clock/index.js'
import type { AgentSteps, AgentTurn, Performer, Recovery, SandboxOfStep, StepCall, StepEnd } from '../engine/index.js'
import { Git } from '../git/index.js'
import { runStepCommand } from '../process/index.js'
import type { Redactor } from '../text/index.js'
import { changedPaths, directoryState } from './directory-state.js'
import type { AgentStepResult, OneshotInput } from './oneshot-run.js'
import type { AgentRole, OneshotWork } from './oneshot-workflow.js'
import { auditorPrompt, workerPrompt } from './prompts.js'
import { readVerdict, VERDICT_SCHEMA } from './verdict.js'

export interface OneshotStepsOptions {
  agents: AgentSteps
  clock: Clock
  redactor: Redactor
  environment(cwd: string): Record<string, string>
  /** Puts a check into the sandbox of its run. */
  inSandbox?: SandboxOfStep | undefined
}

const CHECK_TIMEOUT_MS = 600_000
const CHECK_OUTPUT_MAX = 20_000

/** Runs the steps of workers and auditors. */
export class OneshotSteps implements Performer {
  readonly #options: OneshotStepsOptions

  constructor(options: OneshotStepsOptions) {
    this.#options = options
  }

  run(call: StepCall): Promise<StepEnd> {
    const work = call.work() as OneshotWork
    const { role } = call.input as { role: AgentRole }
    return role === 'worker' ? this.#work(call, work) : this.#audit(call, work)
  }

  recover(call: StepCall): Promise<Recovery> {
    return this.#options.agents.recover(call)
  }

  abandon(call: StepCall): Promise<void> {
    return this.#options.agents.abandon(call)
  }

  /** A worker in a terminal outlives its host. */
  async takeOver(call: StepCall): Promise<{ end: Promise<StepEnd> } | null> {
    const { input } = call.work() as OneshotWork
    const { role } = call.input as { role: AgentRole }
    if (!input.isLive || role !== 'worker') return null
    const taken = await this.#options.agents.takeOver(call, { agent: input.worker.agent, thresholds: input })
    return taken && { end: taken.end.then(ended => endOf(ended, {})) }
  }

  /** Ends earlier attempts whose host died before it could end them. */
  async #endEarlier({ run, input }: StepCall): Promise<void> {
    const { role, iteration, attempt } = input as { role: AgentRole; iteration: number; attempt: number }
    for (let earlier = 1; earlier < attempt; earlier++) {
      const step = `${role}@${iteration}#${earlier}`
      await this.#options.agents.abandon({ run, step, name: `${run}/${step}` })
    }
  }

  async #work(call: StepCall, work: OneshotWork): Promise<StepEnd> {
    const { input, cwd, feedback } = work
    const { iteration } = call.input as { iteration: number }
    await this.#endEarlier(call)
    const git = new Git(cwd)
    const left = (await git.root()) ? (await git.status()).map(({ path }) => path) : []
    const prompt = workerPrompt({ input, iteration, cwd, feedback, left })
    const end = await this.#options.agents.run(call, turnOf(call, work, 'worker', prompt))
    return endOf(end, {})
  }

  async #audit(call: StepCall, work: OneshotWork): Promise<StepEnd> {
    const { input, cwd, iteration, feedback, verdictProblem } = work
    await this.#endEarlier(call)
    const result = work.result ?? { step: '', text: '', isRecovered: false, evidence: [], sessionId: null }
    const git = new Git(cwd)
    const isRepository = (await git.root()) !== null && input.base !== null
    const checks = await this.#check(call, input.checks, cwd)
    const prompt = auditorPrompt({
      input,
      iteration,
      result,
      toolDigest: await this.#options.agents.toolDigest(call.run, result.step),
      git: isRepository ? await changesSince(git, input.base!) : null,
      checks,
      earlier: feedback.filter(({ from }) => from === 'auditor'),
      problem: verdictProblem,
    })
    const changes = await watchFiles(cwd, logsOf(input))
    const end = await this.#options.agents.run(call, turnOf(call, work, 'auditor', prompt))
    if (end.status !== 'ok') return endOf(end, {})
    const changed = await changes()
    if (changed !== null) return endOf(end, { verdict: null, complaint: changed })
    const read = readVerdict({ text: end.text, ...(end.structured !== undefined && { structured: end.structured }) })
    if (read.verdict === null) return endOf(end, { verdict: null, complaint: read.problem })
    if (read.extra.length > 0) call.notice('info', `the verdict has unexpected keys: ${read.extra.join(', ')}`)
    return endOf(end, { verdict: read.verdict })
  }

  async #check(call: StepCall, checks: OneshotInput['checks'], cwd: string) {
    const { name: mark, signal } = call
    const { inSandbox } = this.#options
    const results: { command: string; exit: string; output: string }[] = []
    for (const [file, ...args] of checks) {
      if (signal.aborted || file === undefined) break
      const command = [file, ...args].join(' ')
      try {
        const env = this.#options.environment(cwd)
        const done = await runStepCommand(file, args, {
          cwd,
          env,
          mark,
          signal,
          timeoutMs: CHECK_TIMEOUT_MS,
          maxBytes: CHECK_OUTPUT_MAX,
          clock: this.#options.clock,
          inSandbox: inSandbox && (program => inSandbox(call, program)),
        })
        const exit = done.signal ? `killed by ${done.signal}` : `exit ${done.code}`
        const output = this.#options.redactor.redact(`${done.stdout}${done.stderr}`).slice(-CHECK_OUTPUT_MAX)
        results.push({ command, exit, output })
      } catch (error) {
        results.push({ command, exit: 'could not be started', output: (error as Error).message })
      }
    }
    return results
  }
}

/**
 * Notes the files of a directory. The result says what was done about changes of them, or null
 * without changes: git restores them; elsewhere they can only be found.
 */
async function watchFiles(cwd: string, except: readonly string[]): Promise<() => Promise<string | null>> {
  const git = new Git(cwd)
  if ((await git.root()) !== null) {
    const before = await git.treeHash(except)
    return async () => {
      if ((await git.treeHash(except)) === before) return null
      await git.restoreTree(before, except)
      return 'the auditor changed files; they were restored'
    }
  }
  const before = await directoryState(cwd, except)
  return async () => {
    const [first, ...more] = changedPaths(before, await directoryState(cwd, except))
    if (first === undefined) return null
    const others = more.length === 0 ? '' : ` and ${more.length} more`
    return `the auditor changed ${relative(cwd, first)}${others}; without a git repository nothing was restored`
  }
}

function turnOf(
  { costLeftUsd }: StepCall,
  { input, cwd, feedback, asked }: OneshotWork,
  role: AgentRole,
  prompt: string,
): AgentTurn {
  const player = role === 'worker' ? input.worker : input.auditor
  // The work of a dead attempt is continued in the agent's own session.
  const left = feedback.at(-1)
  // An auditor without a verdict is asked again in the same session.
  const resume = role === 'auditor' ? asked : left?.from === 'recovery' ? left.sessionId : null
  return {
    agent: player.agent,
    model: player.model ?? null,
    permissions: player.permissions,
    cwd,
    prompt,
    resume: resume ?? null,
    schema: role === 'auditor' ? VERDICT_SCHEMA : null,
    maxCostUsd: costLeftUsd ?? null,
    ...(player.endpoint !== undefined && { endpoint: player.endpoint }),
    ...(player.apiKeyEnv !== undefined && { apiKeyEnv: player.apiKeyEnv }),
    thresholds: input,
    isLive: role === 'worker' && input.isLive,
    foreignFiles: logsOf(input),
  }
}

/** Log files that the person keeps next to the work are not part of it. */
function logsOf({ logsDir, sessionLog }: OneshotInput): string[] {
  return [logsDir, sessionLog].filter(path => path !== undefined)
}

function endOf(end: HeadlessEnd, judged: Pick<AgentStepResult, 'verdict' | 'complaint'>): StepEnd {
  const result: AgentStepResult = {
    text: end.text,
    sessionId: end.sessionId,
    ...(end.class && { class: end.class }),
    ...judged,
  }
  return { status: end.status, reason: end.reason, result, ...(end.usage && { usage: end.usage }) }
}

async function changesSince(git: Git, base: string) {
  return {
    base,
    stat: await git.diff(base, { stat: true }),
    diff: await git.diff(base),
    untracked: await git.untracked(),
  }
}
