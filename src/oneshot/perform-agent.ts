import { randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Activity, readSegment, SegmentWriter, segmentPath } from '../activity/index.js'
import { type AgentAdapter, type HeadlessEnd, loadAgent, runStep } from '../agents/index.js'
import type { Clock } from '../clock/index.js'
import { type Performer, type Recovery, readRun, type StepCall, type StepEnd } from '../engine/index.js'
import { newEvent } from '../events/index.js'
import { Git } from '../git/index.js'
import { runCommand } from '../process/index.js'
import type { EventStore } from '../store/index.js'
import type { Redactor } from '../text/index.js'
import type { AgentStepResult, OneshotInput, Role } from './oneshot-run.js'
import { type AgentRole, type OneshotWork, oneshotWorkflow } from './oneshot-workflow.js'
import { auditorPrompt, workerPrompt } from './prompts.js'
import { readVerdict, VERDICT_SCHEMA } from './verdict.js'

export interface PerformAgentOptions {
  store: EventStore
  clock: Clock
  redactor: Redactor
  /** Where the files of a run live. */
  runDirectory(run: string): string
  /** The environment of a step in this directory. */
  environment(cwd: string): Record<string, string>
  onActivity?(run: string, activity: Activity): void
}

/** What was so when a step began, kept beside it: recovery compares. */
interface StepStart {
  tree: string | null
  head: string | null
  startedAt: number
  sessionId: string | null
  pid: number | null
}

const CHECK_TIMEOUT_MS = 600_000
const CHECK_OUTPUT_MAX = 20_000

/** Carries out the steps of workers and auditors. */
export class AgentSteps implements Performer {
  readonly #options: PerformAgentOptions

  constructor(options: PerformAgentOptions) {
    this.#options = options
  }

  async run(call: StepCall): Promise<StepEnd> {
    const { work, cwd } = await this.#look(call.run)
    const { role } = call.input as { role: AgentRole }
    return role === 'worker' ? this.#work(call, work, cwd) : this.#audit(call, work, cwd)
  }

  async recover(call: StepCall): Promise<Recovery> {
    const { work, cwd } = await this.#look(call.run)
    const { role } = call.input as { role: AgentRole }
    const directory = this.#directory(call)
    const start = readStart(directory)
    const agent = await loadAgent(roleOf(work.input, role).agent)
    const evidence: Recovery['evidence'] = []
    const log = await this.#lastWords(call)
    if (log.result?.ok) {
      evidence.push({ source: 'log', at: log.result.at, says: 'the final record of the agent had arrived' })
      return { verdict: 'success', evidence, text: log.result.text, ...(log.sessionId && { sessionId: log.sessionId }) }
    }
    const found = await agent.headless?.examine({
      env: this.#options.environment(cwd),
      cwd,
      directory,
      sessionId: log.sessionId ?? start?.sessionId ?? null,
      startedAt: start?.startedAt ?? call.startedAt,
      pid: start?.pid ?? null,
      prompt: readText(join(directory, 'prompt.md')),
    })
    evidence.push(...(found?.evidence ?? []))
    const changed = await this.#changes(cwd, start)
    if (changed) evidence.push({ source: 'working tree', says: changed })
    const sessionId = found?.sessionId ?? log.sessionId ?? start?.sessionId ?? null
    const text = found?.text ?? (log.text || null)
    const verdict = found?.isComplete ? 'success' : found?.hasWork || changed || log.text ? 'partial' : 'nothing'
    return { verdict, evidence, ...(text !== null && { text }), ...(sessionId !== null && { sessionId }) }
  }

  // — the two roles —

  async #work(call: StepCall, work: OneshotWork, cwd: string): Promise<StepEnd> {
    const { iteration } = call.input as { iteration: number }
    const git = new Git(cwd)
    const left = (await git.root()) ? (await git.status()).map(({ path }) => path) : []
    const prompt = workerPrompt({ input: work.input, iteration, cwd, feedback: work.feedback, left })
    const end = await this.#agent(call, work, 'worker', cwd, prompt)
    const result: AgentStepResult = { text: end.text, sessionId: end.sessionId, ...(end.class && { class: end.class }) }
    return { status: end.status, reason: end.reason, result, ...(end.usage && { usage: end.usage }) }
  }

  async #audit(call: StepCall, work: OneshotWork, cwd: string): Promise<StepEnd> {
    const { input } = work
    const result = work.result ?? { step: '', text: '', isRecovered: false, evidence: [], sessionId: null }
    const git = new Git(cwd)
    const isRepository = (await git.root()) !== null && input.base !== null
    const checks = await this.#check(input.checks, cwd, call.signal)
    const prompt = auditorPrompt({
      input,
      iteration: work.iteration,
      result,
      toolDigest: await this.#toolDigest(call.run, result.step),
      git: isRepository ? await changesSince(git, input.base!) : null,
      checks,
      earlier: work.feedback.filter(({ from }) => from === 'auditor'),
      complaint: work.complaint,
    })
    const before = isRepository ? await git.treeHash() : null
    const end = await this.#agent(call, work, 'auditor', cwd, prompt)
    const answer: AgentStepResult = { text: end.text, sessionId: end.sessionId, ...(end.class && { class: end.class }) }
    const done: StepEnd = {
      status: end.status,
      reason: end.reason,
      result: answer,
      ...(end.usage && { usage: end.usage }),
    }
    if (end.status !== 'ok') return done
    if (before !== null && (await git.treeHash()) !== before) {
      await git.restoreTree(before)
      return {
        ...done,
        result: { ...answer, verdict: null, complaint: 'the auditor changed files; they were put back' },
      }
    }
    const read = readVerdict({ text: end.text, ...(end.structured !== undefined && { structured: end.structured }) })
    if (read.verdict === null) return { ...done, result: { ...answer, verdict: null, complaint: read.complaint } }
    if (read.extra.length > 0) call.notice('info', `the verdict has keys nobody asked for: ${read.extra.join(', ')}`)
    return { ...done, result: { ...answer, verdict: read.verdict } }
  }

  async #agent(call: StepCall, work: OneshotWork, role: AgentRole, cwd: string, prompt: string): Promise<HeadlessEnd> {
    const { clock, redactor } = this.#options
    const { input } = work
    const player = roleOf(input, role)
    const adapter = await loadAgent(player.agent)
    const env = this.#options.environment(cwd)
    const located = locate(adapter, env, cwd)
    if ('problem' in located) return notThere(located.problem)
    const directory = this.#directory(call)
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    const promptFile = join(directory, 'prompt.md')
    writeFileSync(promptFile, prompt, { mode: 0o600 })
    const schemaFile = join(directory, 'schema.json')
    if (role === 'auditor') writeFileSync(schemaFile, JSON.stringify(VERDICT_SCHEMA), { mode: 0o600 })
    const git = new Git(cwd)
    const isRepository = (await git.root()) !== null
    const start: StepStart = {
      tree: isRepository ? await git.treeHash() : null,
      head: await git.head(),
      startedAt: clock.now(),
      sessionId: null,
      pid: null,
    }
    writeStart(directory, start)
    const segment = new SegmentWriter(segmentPath(this.#options.runDirectory(call.run), call.step), clock)
    try {
      return await runStep({
        agent: { name: adapter.name, location: located.location, headless: located.headless },
        step: {
          name: call.name,
          cwd,
          env,
          permissions: player.permissions,
          model: player.model ?? null,
          resume: role === 'worker' ? sessionToResume(work) : null,
          newSessionId: randomUUID(),
          directory,
          promptFile,
          schema: role === 'auditor' ? { json: VERDICT_SCHEMA, file: schemaFile } : null,
          maxCostUsd: null,
        },
        clock,
        redactor,
        thresholds: input,
        signal: call.signal,
        isWaitingForPerson: () => false,
        onSpawned: ({ pid, processStart, agentSessionId }) => {
          writeStart(directory, { ...start, pid, sessionId: agentSessionId })
          const agentSession = agentSessionId !== null && { agentSession: agentSessionId }
          call.record(newEvent('step.spawned', { step: call.step, pid, processStart, ...agentSession }))
        },
        log: activity => segment.append(activity),
        onActivity: (activity, progress) => {
          if (activity.type === 'usage' && progress.usage) call.spent(progress.usage)
          this.#options.onActivity?.(call.run, activity)
        },
      })
    } finally {
      await segment.close()
    }
  }

  // — what they need to know —

  async #look(id: string): Promise<{ work: OneshotWork; cwd: string }> {
    const { run } = await readRun(this.#options.store, id, oneshotWorkflow)
    const [created] = await this.#options.store.readStream(`run/${id}`, { limit: 1 })
    return { work: run.work, cwd: String(created!.data.cwd) }
  }

  #directory(call: StepCall): string {
    return join(this.#options.runDirectory(call.run), 'steps', call.step)
  }

  async #check(checks: OneshotInput['checks'], cwd: string, signal: AbortSignal) {
    const results: { command: string; exit: string; output: string }[] = []
    for (const [file, ...args] of checks) {
      if (signal.aborted || file === undefined) break
      const command = [file, ...args].join(' ')
      try {
        const done = await runCommand(file, args, {
          cwd,
          env: this.#options.environment(cwd),
          timeoutMs: CHECK_TIMEOUT_MS,
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

  async #toolDigest(run: string, step: string): Promise<string[]> {
    const calls = new Map<string, string>()
    const lines: string[] = []
    for await (const activity of readSegment(segmentPath(this.#options.runDirectory(run), step))) {
      if (activity.type === 'tool_call') calls.set(activity.callId, `${activity.tool} ${short(activity.input)}`)
      if (activity.type !== 'tool_result') continue
      const how = activity.exitCode === undefined ? (activity.ok ? 'ok' : 'failed') : `exit ${activity.exitCode}`
      lines.push(`${calls.get(activity.callId) ?? activity.callId}: ${how}`)
    }
    return lines.slice(-200)
  }

  /** The end of our own log of a step. */
  async #lastWords(call: StepCall) {
    let result: { ok: boolean; text: string; at: number } | null = null
    let sessionId: string | null = null
    let text = ''
    for await (const activity of readSegment(segmentPath(this.#options.runDirectory(call.run), call.step))) {
      sessionId ??= activity.sessionId ?? null
      if (activity.type === 'result') result = activity
      if (activity.type === 'text' && activity.parent === undefined)
        text = activity.delta ? text + activity.text : activity.text
    }
    return { result, sessionId, text }
  }

  async #changes(cwd: string, start: StepStart | null): Promise<string | null> {
    if (!start?.tree) return null
    const git = new Git(cwd)
    const [tree, head] = [await git.treeHash(), await git.head()]
    const commits = head !== start.head && head !== null ? 'new commits' : null
    const files = tree !== start.tree ? `${(await git.status()).length} files differ from the last commit` : null
    return commits || files ? ['it changed while the step ran', commits, files].filter(Boolean).join('; ') : null
  }
}

function roleOf(input: OneshotInput, role: AgentRole): Role {
  return role === 'worker' ? input.worker : input.auditor
}

/** A partial attempt is gone on with in the agent's own session, where there is one. */
function sessionToResume(_work: OneshotWork): string | null {
  return null
}

function locate(adapter: AgentAdapter, env: Record<string, string>, cwd: string) {
  const location = adapter.locate({ env, cwd, configuredCommand: null })
  if (!location.found)
    return { problem: `${adapter.title} was not found (looked for ${location.looked}); ${adapter.install}` }
  if (!adapter.headless) return { problem: `${adapter.title} cannot work without a terminal` }
  return { location, headless: adapter.headless }
}

function notThere(problem: string): HeadlessEnd {
  return { status: 'failed', reason: problem, class: 'spawn', text: '', sessionId: null, usage: null }
}

async function changesSince(git: Git, base: string) {
  return {
    base,
    stat: await git.diff(base, { stat: true }),
    diff: await git.diff(base),
    untracked: await git.untracked(),
  }
}

function writeStart(directory: string, start: StepStart): void {
  writeFileSync(join(directory, 'start.json'), JSON.stringify(start), { mode: 0o600 })
}

function readStart(directory: string): StepStart | null {
  try {
    return JSON.parse(readFileSync(join(directory, 'start.json'), 'utf8')) as StepStart
  } catch {
    return null
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

function short(input: unknown): string {
  const text = typeof input === 'string' ? input : (JSON.stringify(input) ?? '')
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}
