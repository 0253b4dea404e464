import { newId, systemClock } from '../../clock/index.js'
import { createRun } from '../../engine/index.js'
import { EXIT, SignalboxError } from '../../errors/index.js'
import { builtInPipelines, PipelineGit, pipelineArgs, pipelineRun } from '../../pipelines/index.js'
import { askLine } from '../ask.js'
import type { CommandContext } from '../context.js'
import { DaemonClient } from '../daemon-client.js'
import { drivePipeline } from '../pipelines/drive-pipeline.js'
import { refuseBusy } from '../pipelines/find-place.js'
import { readProfile } from '../pipelines/read-profile.js'
import { type FoundTarget, findTarget } from '../pipelines/review-target.js'
import { runWish } from '../pipelines/run-wish.js'
import { wholeNumber } from '../runs/oneshot-options.js'
import { withStore } from '../runs/open-runs.js'
import { enterWithSettings, requireProjectTrust } from '../runs/require-project-trust.js'
import type { CommandInput } from '../specs/command-spec.js'

export async function run(context: CommandContext, { args, options }: CommandInput): Promise<number> {
  // The daemon itself asks no other one to be there.
  if (options.detach && !options.isDaemon) await DaemonClient.connect(context)
  return withStore(context, async (store, own) => {
    const home = await enterWithSettings(context, store, own, options)
    const text = (name: string) => (options[name] as string | undefined) ?? null
    const { profile, settings } = await readProfile(context, home, {
      profile: text('profile'),
      agent: text('agent'),
      model: text('model'),
      isUnattended: options.autoApprove === true || !context.isInteractive || options.detach === true,
      reviewTypes: (options.type as string[] | undefined) ?? null,
      passes: options.passes === undefined ? null : wholeNumber('--passes', options.passes, 3, 1),
    })
    const id = newId('run')
    const found = await findTarget(context, store, home, id, args.range as string | undefined, options)
    const revision = found.isOwnWorktree ? found.head : null
    await requireProjectTrust(context, store, home, { directory: found.repository, revision }, options)
    const isFixing = await wantsFixes(context, found, options)
    const git = new PipelineGit(found.cwd)
    if (isFixing && !found.isOwnWorktree) await refuseBusy(store, git, found.cwd, 'review without --fix')
    const dirty = (await git.git.status()).map(({ path }) => path)
    const createdAt = systemClock.now()
    const wish = pipelineArgs.parse({
      pipeline: 'review',
      workflowId: id,
      createdAt: new Date(createdAt).toISOString(),
      profile,
      tracker: 'noop',
      issue: found.issue,
      repository: found.repository,
      place: {
        mode: found.isOwnWorktree ? 'worktree' : 'in_place',
        path: found.cwd,
        branch: await git.git.branch(),
        base: found.head,
        isNewBranch: found.isOwnWorktree,
        dirtyBefore: dirty,
      },
      autoApprove: options.autoApprove === true,
      target: found.target,
      reviewMode: isFixing ? 'review_fix' : 'review_only',
      // What was not committed before is the person's to commit.
      commitsFixes:
        isFixing && (options.commit === undefined ? found.target.kind !== 'local' : options.commit === true),
    })
    const created = pipelineRun(builtInPipelines(), wish, {
      title: found.title.slice(0, 200),
      ...runWish(options, settings?.budget ?? null),
    })
    await createRun(store, created, createdAt, id)
    if (!options.detach) return drivePipeline(context, store, home, id, options)
    if (options.json) context.json({ run: id, status: 'queued' })
    else context.out(id)
    return EXIT.ok
  })
}

/** Fixing is asked for, or asked about at a terminal; without one a review only reports. */
async function wantsFixes(
  context: CommandContext,
  found: FoundTarget,
  options: Record<string, unknown>,
): Promise<boolean> {
  if (options.fix === true && !found.canFix)
    throw new SignalboxError(
      'E_INPUT',
      'the end of the range is not checked out here, or files are changed: it cannot be fixed',
      {
        next: 'git switch to it, or leave --fix out',
      },
    )
  if (options.fix !== undefined) return options.fix === true
  if (!found.canFix) return false
  if (!context.isInteractive || options.json || options.ask === false) return false
  return /^y(es)?$/i.test((await askLine('Have items fixed, those that you pick? [y/N] ')).trim())
}
