import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { approvalsProjection } from '../../approvals/index.js'
import { newId, systemClock } from '../../clock/index.js'
import {
  createRun,
  getRun,
  graphWorkflow,
  NodeSteps,
  RunHost,
  type RunRecord,
  runStream,
  runsProjection,
  StallDetector,
} from '../../engine/index.js'
import { TestGates } from '../../engine/testing/test-gates.js'
import { newEvent, validateEvent } from '../../events/index.js'
import type { EventStore, StoredEvent } from '../../store/index.js'
import { openTestStore } from '../../store/testing/open-test-store.js'
import { createRedactor } from '../../text/index.js'
import { type PipelineArgs, type ProfileCopy, pipelineArgs, profileCopy } from '../args.js'
import { PipelineSteps } from '../pipeline-steps.js'
import { resolvePlanPath } from '../plan/plan-path.js'
import { type PipelineRun, readPipelineRun } from '../read-run.js'
import { builtInPipelines, pipelineRun } from '../registry.js'
import { ScriptedAgents, type ScriptedRole, type TurnScript } from './scripted-agents.js'

export interface FixtureRun {
  id: string
  record: RunRecord
  events: StoredEvent[]
  types: string[]
  path: string[]
  pipeline: PipelineRun
}

const PLAYER = { agent: 'demo', model: null, permissions: 'edits', effort: null }

/** A store, a repository and a host, for pipeline runs with scripted agents. */
export class PipelineFixture {
  readonly directory: string
  readonly repository: string
  agents = this.script({})
  path = process.env.PATH ?? ''
  store!: EventStore

  private constructor(directory: string) {
    this.directory = directory
    this.repository = join(directory, 'repo')
  }

  static async open(): Promise<PipelineFixture> {
    const fixture = await PipelineFixture.at(mkdtempSync(join(tmpdir(), 'signalbox-pipelines-')))
    fixture.newRepository()
    return fixture
  }

  /** The fixture of another process, which owns the directory. */
  static async at(directory: string): Promise<PipelineFixture> {
    const fixture = new PipelineFixture(directory)
    fixture.store = await openTestStore({
      path: join(directory, 'store.db'),
      clock: systemClock,
      projections: [runsProjection, approvalsProjection] as never,
      validate: validateEvent,
    })
    return fixture
  }

  async close(): Promise<void> {
    await this.store.close()
    rmSync(this.directory, { recursive: true, force: true })
  }

  /** Restores the repository to its initial state. */
  newRepository(): void {
    rmSync(this.repository, { recursive: true, force: true })
    const template = join(this.directory, 'template')
    if (!this.#hasTemplate) {
      mkdirSync(template, { recursive: true })
      writeFileSync(join(template, 'a.txt'), 'one\n')
      for (const args of [
        ['init', '-q', '-b', 'main'],
        ['config', 'user.email', 'a@b'],
        ['config', 'user.name', 'a'],
        // Faster: these tests need no durability.
        ['config', 'core.fsync', 'none'],
        ['config', 'gc.auto', '0'],
        ['add', '.'],
        ['commit', '-q', '-m', 'first'],
      ])
        this.#git(template, args)
      this.#hasTemplate = true
    }
    cpSync(template, this.repository, { recursive: true })
  }

  #hasTemplate = false

  git(...args: string[]): string {
    return this.#git(this.repository, args)
  }

  #git(cwd: string, args: readonly string[]): string {
    const { status, stdout, stderr } = spawnSync('git', args, { cwd, encoding: 'utf8' })
    if (status !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`)
    return stdout.trim()
  }

  script(parts: Partial<Record<ScriptedRole, TurnScript[]>>): ScriptedAgents {
    this.agents = new ScriptedAgents(parts, run => this.runDirectory(run))
    return this.agents
  }

  runDirectory(run: string): string {
    const directory = join(this.directory, 'runs', run)
    mkdirSync(directory, { recursive: true })
    return directory
  }

  profile(extra: Partial<ProfileCopy> = {}): ProfileCopy {
    const roles = {
      architect: PLAYER,
      developer: PLAYER,
      reviewer: { ...PLAYER, permissions: 'read' },
      evaluator: { ...PLAYER, permissions: 'read' },
    }
    return profileCopy.parse({ name: 'default', roles, maxRetries: 0, retryPolicy: 'none', ...extra })
  }

  /** Creates a run without starting it. */
  async create(
    extra: Partial<PipelineArgs> & { profile?: ProfileCopy } = {},
    createdAt = systemClock.now(),
  ): Promise<string> {
    const id = newId('run')
    const isReview = extra.pipeline === 'review'
    const base = this.git('rev-parse', 'HEAD')
    const inPlace = { mode: 'in_place', path: this.repository, branch: 'main', base, isNewBranch: false }
    const worktree = {
      mode: 'worktree',
      path: join(this.directory, 'worktrees', id),
      branch: 'signalbox/lamp',
      base,
      isNewBranch: true,
    }
    const args = pipelineArgs.parse({
      pipeline: 'implementation',
      workflowId: id,
      createdAt: new Date(createdAt).toISOString(),
      profile: this.profile(),
      issue: { id: 'lamp', title: 'A lamp', description: 'It shines.', status: 'open' },
      planPath: isReview
        ? null
        : resolvePlanPath('docs/plans/{date}-{issue_key}.md', { createdAt, issueKey: 'lamp', run: id }),
      repository: this.repository,
      workspace: isReview ? inPlace : worktree,
      ...(isReview && { target: { kind: 'local' }, issue: null }),
      ...extra,
    })
    const created = pipelineRun(builtInPipelines(), args, { title: 'A lamp', limits: {}, labels: {} })
    return createRun(this.store, created, createdAt, id)
  }

  /** Drives until the run ends or waits for a person, in a new host for each call. */
  async drive(id: string, store = this.store): Promise<FixtureRun> {
    const clock = systemClock
    const stallDetector = new StallDetector(clock)
    const steps = new PipelineSteps(
      {
        agents: this.agents,
        store,
        clock,
        redactor: createRedactor({ secretValues: [] }),
        environment: () => ({ PATH: this.path }),
        runDirectory: run => this.runDirectory(run),
        readProfile: () => Promise.reject(new Error('every run of the fixture has its arguments')),
      },
      builtInPipelines(),
    )
    const host = new RunHost({
      store,
      clock,
      owner: `fixture ${Math.random()}`,
      isGone: () => true,
      workflows: [graphWorkflow] as never,
      performers: {
        'graph.code': new NodeSteps(steps, { clock, runDirectory: run => this.runDirectory(run) }, stallDetector),
      },
      maxRuns: 1,
      durability: 'normal',
      gates: new TestGates(store),
      onError: () => undefined,
    })
    try {
      await host.driveHere(await getRun(this.store, id), { park: true })
    } finally {
      await host.close()
    }
    return this.readRun(id)
  }

  async readRun(id: string): Promise<FixtureRun> {
    const record = await getRun(this.store, id)
    const events = await this.store.readStream(runStream(id))
    return {
      id,
      record,
      events,
      types: events.map(({ type }) => type),
      path: events.filter(({ type }) => type === 'node.started').map(({ data }) => String(data.node)),
      pipeline: await readPipelineRun(this.store, record, {
        registry: builtInPipelines(),
        runDirectory: run => this.runDirectory(run),
      }),
    }
  }

  async implement(extra: Parameters<PipelineFixture['create']>[0] = {}): Promise<FixtureRun> {
    return this.drive(await this.create({ autoApprove: true, ...extra }))
  }

  async review(extra: Parameters<PipelineFixture['create']>[0] = {}): Promise<FixtureRun> {
    return this.drive(await this.create({ pipeline: 'review', ...extra }))
  }

  /** Answers the gate at which the run waits, as a surface would, and continues. */
  async answer(id: string, option: string, extra: object = {}): Promise<FixtureRun> {
    const [[gate, approval] = []] = Object.entries((await getRun(this.store, id)).gates)
    if (gate === undefined || approval === undefined) throw new Error('there is no gate')
    const data = { gate, approval, option, by: 'someone', ...extra }
    await this.store.append(runStream(id), 'any', [newEvent('gate.answered', data)])
    return this.drive(id)
  }

  /** The request of the gate at which the run waits. */
  async asked(id: string): Promise<{ input: Record<string, unknown>; text: string; options: string[]; kind: string }> {
    const [approval] = Object.values((await getRun(this.store, id)).gates)
    const record = (await this.store.document<{
      kind: string
      request: { input: Record<string, unknown>; text: string; options: { key: string }[] }
    }>('approvals', approval!))!.state
    return {
      kind: record.kind,
      input: record.request.input,
      text: record.request.text,
      options: record.request.options.map(({ key }) => key),
    }
  }

  commits(branch = 'signalbox/lamp'): { subject: string; body: string }[] {
    const text = this.git('log', '--reverse', '--format=%s%x1f%b%x1e', `main..${branch}`)
    return text
      .split('\x1e')
      .filter(part => part.trim() !== '')
      .map(part => ({ subject: part.trim().split('\x1f')[0]!, body: part.split('\x1f')[1]! }))
  }

  gitIn(cwd: string, ...args: string[]): string {
    return this.#git(cwd, args)
  }

  write(path: string, text: string): void {
    this.writeIn(this.repository, path, text)
  }

  writeIn(cwd: string, path: string, text: string): void {
    mkdirSync(dirname(join(cwd, path)), { recursive: true })
    writeFileSync(join(cwd, path), text)
  }

  read(...path: string[]): string {
    return this.readAt(join(this.repository, ...path))
  }

  readAt(path: string): string {
    return readFileSync(path, 'utf8')
  }
}
