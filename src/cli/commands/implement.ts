import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { newId, systemClock } from '../../clock/index.js'
import { createRun, getRun, listRuns, queuePlace } from '../../engine/index.js'
import { EXIT, SignalboxError } from '../../errors/index.js'
import type { Home } from '../../host/home/index.js'
import {
  builtInPipelines,
  fetchIssue,
  type PipelineArgs,
  pipelineArgs,
  pipelineRun,
  readIssueFile,
  resolvePlanPath,
  slugOf,
  trackerServices,
  validatePlan,
} from '../../pipelines/index.js'
import type { EventStore } from '../../store/index.js'
import { plural } from '../../text/index.js'
import type { CommandContext } from '../context.js'
import { DaemonClient } from '../daemon-client.js'
import { drivePipeline } from '../pipelines/drive-pipeline.js'
import { findPlace } from '../pipelines/find-place.js'
import { readProfile } from '../pipelines/read-profile.js'
import { runWish } from '../pipelines/run-wish.js'
import { withStore } from '../runs/open-runs.js'
import { enterWithSettings, requireProjectTrust } from '../runs/require-project-trust.js'
import type { CommandInput } from '../specs/command-spec.js'

export async function run(context: CommandContext, { args, options }: CommandInput): Promise<number> {
  // The daemon itself asks no other one to be there.
  if (options.detach && !options.isDaemon) await DaemonClient.connect(context)
  return withStore(context, async (store, own) => {
    const home = await enterWithSettings(context, store, own, options)
    const id = await create(context, store, home, args.issue as string | undefined, options)
    if (!options.detach && !options.queue) return drivePipeline(context, store, home, id, options)
    const runs = await listRuns(store)
    const ahead = (queuePlace(await getRun(store, id), runs)?.place ?? 1) - 1
    if (options.json) context.json({ run: id, status: 'queued', ahead })
    else {
      context.out(id)
      context.note(
        options.detach
          ? `the daemon drives it; signalbox logs -f ${id} follows, signalbox cancel ${id} ends it`
          : `queued, with ${ahead} before it; start it with: signalbox resume ${id}, or all: signalbox resume --queued`,
      )
    }
    return EXIT.ok
  })
}

async function create(
  context: CommandContext,
  store: EventStore,
  home: Home,
  reference: string | undefined,
  options: Record<string, unknown>,
): Promise<string> {
  const text = (name: string) => (options[name] as string | undefined) ?? null
  const isUnattended = options.autoApprove === true || !context.isInteractive || options.detach === true
  const { profile, settings } = await readProfile(context, home, {
    profile: text('profile'),
    agent: text('agent'),
    model: text('model'),
    isUnattended,
    reviewTypes: null,
    passes: null,
  })
  const plan = options.plan === undefined ? null : readPlan(context, String(options.plan), options.force === true)
  const found = await fetchIssue(trackerServices(context.env, context.cwd), {
    reference: reference ?? null,
    title: text('title') ?? (plan !== null && reference === undefined ? planTitle(plan) : null),
    description: text('description'),
    tracker: settings?.tracker ?? null,
  })
  if (found.warning !== null) context.note(`signalbox: ${found.warning}`)
  const design = text('design')
  const id = newId('run')
  const createdAt = systemClock.now()
  const issueKey = slugOf(found.issue.id)
  const { repository, place, dirty } = await findPlace(context, store, home, {
    run: id,
    issueKey,
    branch: text('branch'),
    base: text('base'),
    isInPlace: options.inPlace === true,
    allowsDirty: options.allowDirty === true,
  })
  if (dirty > 0 && !options.json)
    context.note(
      `${plural(dirty, 'uncommitted change')} ${dirty === 1 ? 'stays' : 'stay'} as ${dirty === 1 ? 'it is' : 'they are'}; the run works on ${place.base.slice(0, 12)}`,
    )
  const revision = place.mode === 'worktree' ? place.base : null
  await requireProjectTrust(context, store, home, { directory: repository, revision }, options)
  const wish: PipelineArgs = pipelineArgs.parse({
    pipeline: 'implementation',
    workflowId: id,
    createdAt: new Date(createdAt).toISOString(),
    profile,
    tracker: found.tracker,
    issue: found.issue,
    design: design === null ? null : { content: readIssueFile(resolve(context.cwd, design), design), source: 'file' },
    plan,
    planPath: resolvePlanPath(profile.planPathPattern, { createdAt, issueKey, run: id }),
    repository,
    place,
    autoApprove: options.autoApprove === true,
    planOnly: options.planOnly === true,
    comment: options.comment === true,
  })
  const created = pipelineRun(builtInPipelines(), wish, {
    title: found.issue.title.slice(0, 200),
    ...runWish(options, settings?.budget ?? null),
  })
  await createRun(store, created, createdAt, id)
  return id
}

function readPlan(context: CommandContext, file: string, isForced: boolean): string {
  const text = file === '-' ? readFileSync(0, 'utf8') : readIssueFile(resolve(context.cwd, file), file)
  const { isValid, issues } = validatePlan(text)
  if (isValid || isForced) return text
  throw new SignalboxError('E_INPUT', `the plan is not valid: ${issues.join(', ')}`, {
    next: 'mend it, or let it reach the gate with --force',
  })
}

function planTitle(plan: string): string | null {
  return validatePlan(plan).goal
}
