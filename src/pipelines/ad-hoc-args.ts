import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { GraphStep, StepCall } from '../engine/index.js'
import { SignalboxError } from '../errors/index.js'
import { type PipelineArgs, type ProfileCopy, pipelineArgs } from './args.js'
import { forgeOfRemote } from './forges/forge-for.js'
import { PipelineGit } from './pipeline-git.js'
import { resolvePlanPath } from './plan/plan-path.js'
import { rangeTarget } from './review/range-target.js'
import type { Issue } from './state.js'
import { issueOfText } from './trackers/file.js'

/** The profile that a run asks for. */
interface ProfileOptions {
  profile: string | undefined
  agent: string | undefined
  model: string | undefined
  endpoint: string | undefined
  apiKeyEnv: string | undefined
  isUnattended: boolean
}

/** Reads a profile from the settings of the person who drives the run. */
export type ReadProfile = (cwd: string, options: ProfileOptions) => Promise<ProfileCopy>

/**
 * The arguments of a pipeline that runs as a graph: its DOT was ejected, or a node of another graph
 * names it. The inputs of the run replace the options of `implement` and `review`
 * (`issue`, `design` and `plan` as a file or as text, `profile`, `range`, `fix`, `pull`); agents,
 * checks and limits come from the profile, and the run has the same workspace as any other graph
 * run.
 */
export async function adHocArgs(
  call: StepCall,
  { work, context }: GraphStep,
  pipeline: string,
  readProfile: ReadProfile,
): Promise<PipelineArgs> {
  const { agent, model, permissions, endpoint, apiKeyEnv, workspace, inputs, isAutoApproved } = work.input
  const profile = await readProfile(workspace.path, {
    profile: inputs.profile,
    agent: agent ?? undefined,
    model: model ?? undefined,
    endpoint,
    apiKeyEnv,
    isUnattended: true,
  })
  if (permissions !== null) profile.roles.developer.permissions = permissions
  const git = new PipelineGit(workspace.path)
  const head = await git.git.head()
  const common = {
    pipeline,
    workflowId: call.run,
    createdAt: new Date(call.startedAt).toISOString(),
    profile,
    tracker: 'file',
    repository: workspace.path,
    workspace: {
      mode: workspace.branch === null ? 'in_place' : 'worktree',
      path: workspace.path,
      branch: workspace.branch,
      base: workspace.base ?? head ?? 'HEAD',
      isNewBranch: false,
      dirtyBefore: workspace.branch === null ? (await git.git.status()).map(({ path }) => path) : [],
    },
    autoApprove: isAutoApproved,
  }
  const issue = issueOf(workspace.path, inputs.issue ?? String(context['graph.goal'] ?? ''))
  if (pipeline === 'pull_request') {
    const number = Number(inputs.pull)
    const forge = await forgeOfRemote(git, 'origin')
    if (!Number.isInteger(number) || forge === null)
      throw new SignalboxError('E_INPUT', 'no pull request was given, or there is no remote "origin"', {
        next: 'signalbox run … --input pull=12',
      })
    return pipelineArgs.parse({ ...common, pull: { forge, number, base: '', follow: 'merged' } })
  }
  if (pipeline === 'review') {
    const target = inputs.range ? await rangeTarget(git, inputs.range) : { kind: 'local' as const }
    const canFix = target.kind === 'local' || target.to === head
    const isFixing = canFix && inputs.fix !== 'false'
    return pipelineArgs.parse({
      ...common,
      issue,
      target,
      reviewMode: isFixing ? 'review_fix' : 'review_only',
      commitsFixes: isFixing && target.kind === 'range',
    })
  }
  if (!issue)
    throw new SignalboxError('E_INPUT', 'no issue was given', { next: 'signalbox run … --input issue=issue.md' })
  const design = textOfInput(workspace.path, inputs.design)
  return pipelineArgs.parse({
    ...common,
    issue,
    design: design === null ? null : { content: design, source: 'file' },
    plan: textOfInput(workspace.path, inputs.plan),
    planPath: resolvePlanPath(profile.planPathPattern, {
      createdAt: call.startedAt,
      issueKey: issue.id,
      run: call.run,
    }),
  })
}

/** A file of the project, or the text itself as a title; null if nothing is given. */
function issueOf(cwd: string, given: string): Issue | null {
  if (given.trim() === '') return null
  const file = fileOf(cwd, given)
  return file === null ? issueOfText(`# ${given}\n`, given) : issueOfText(readFileSync(file, 'utf8'), given)
}

function textOfInput(cwd: string, given: string | undefined): string | null {
  if (given === undefined || given.trim() === '') return null
  const file = fileOf(cwd, given)
  return file === null ? given : readFileSync(file, 'utf8')
}

/** Long texts and texts with several lines are not names of files. */
function fileOf(cwd: string, given: string): string | null {
  if (given.length > 1_000 || given.includes('\n')) return null
  const file = resolve(cwd, given)
  return existsSync(file) ? file : null
}
