import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { HeadlessAgent, PermissionLevel } from '../../agents/index.js'
import type { Limits } from '../../engine/index.js'
import { SignalboxError } from '../../errors/index.js'
import type { Home } from '../../host/home/index.js'
import {
  PIPELINE_ROLES,
  type ProfileCopy,
  profileCopy,
  promptHash,
  promptIds,
  type ReadProfile,
  type RoleAssignment,
  type RoleName,
} from '../../pipelines/index.js'
import { splitWords } from '../../text/index.js'
import { type AgentSearch, ENDPOINT_HINT, headlessAgent, nearestLevel } from '../choose-agent.js'
import type { RunOptions } from '../start-context.js'

/** The options that both pipelines take. */
export interface PipelineOptions extends RunOptions {
  /** A profile of the settings; `pipelines.profile` by default. */
  profile?: string | undefined
  /** Agent and model of the roles for which the profile names none. */
  agent?: string | undefined
  model?: string | undefined
  /** The URL of the model, and the variable with its key, for the agent `direct`. */
  endpoint?: string | undefined
  apiKeyEnv?: string | undefined
  /** No person is there to answer requests of the agents. */
  isUnattended: boolean
  /** Approves a valid plan, and the items that the Evaluator would implement, without a person. */
  autoApprove?: boolean | undefined
}

interface ReviewSettings {
  reviewTypes?: readonly string[] | undefined
  passes?: number | undefined
}

export type ProfileSettings = Home['loaded']['config']['profiles'][string]

/**
 * The profile of a run and its limits: settings, options and prompts as they are now; the run keeps
 * this copy.
 * @throws SignalboxError `E_CONFIG`, `E_AGENT_MISSING`
 */
export async function readProfile(
  search: AgentSearch,
  options: PipelineOptions & ReviewSettings,
): Promise<{ profile: ProfileCopy; settings: ProfileSettings | null; limits: Limits }> {
  const { home } = search
  const { config } = home.loaded
  const name = options.profile ?? config.pipelines.profile
  const settings = name === null ? null : (config.profiles[name] ?? null)
  if (name !== null && settings === null)
    throw new SignalboxError('E_CONFIG', `there is no profile "${name}"`, {
      next: `known: ${Object.keys(config.profiles).join(', ') || 'none; define one as [profiles.<name>] in the settings'}`,
    })
  const { task_reviewer: taskReviewer, ...own } = settings?.agents ?? {}
  const roles: Partial<ProfileCopy['roles']> = {}
  for (const role of PIPELINE_ROLES) roles[role] = await readRole(search, role, own[role], options)
  if (taskReviewer)
    roles.task_reviewer = await readRole(search, 'reviewer', { ...own.reviewer, ...taskReviewer }, options)
  const types = options.reviewTypes ?? settings?.review_types ?? ['general']
  const { prompts, guidelines } = readPrompts(home, name, types)
  const profile = profileCopy.parse({
    name: name ?? 'default',
    roles,
    ...(settings && {
      planPathPattern: settings.plan_path_pattern ?? undefined,
      commitPlan: settings.commit_plan,
      commitPrefix: settings.commit_prefix,
      maxPlanRevisions: settings.max_plan_revisions,
      maxTaskReviews: settings.max_task_reviews,
      maxReviewPasses: settings.max_review_passes,
      onUnapproved: settings.on_unapproved,
      checks: settings.checks.map(splitWords),
      maxRetries: settings.retry.max_retries,
      retryPolicy: settings.retry.retry_policy,
      worktreeCopy: settings.worktree.copy,
      worktreeSetup: settings.worktree.setup,
      taskUsd: settings.budget.task_usd,
      pull: pullPolicy(settings.pull_request),
    }),
    dayUsd: settings?.budget.day_usd ?? config.runs.day_usd,
    ...(options.passes !== undefined && { maxReviewPasses: options.passes }),
    reviewTypes: types,
    prompts,
    guidelines,
  })
  return { profile, settings, limits: limitsOf(options.limits, settings) }
}

/** For pipelines that run as graphs: the profile as `implement` and `review` read it. */
export function profileReader(search: Pick<AgentSearch, 'home' | 'env'>): ReadProfile {
  return async (cwd, wanted) => (await readProfile({ ...search, cwd }, wanted)).profile
}

function pullPolicy(settings: ProfileSettings['pull_request']) {
  const { people, bots, max_rounds: maxRounds, poll: pollS, allow, merge, merge_method: mergeMethod } = settings
  const { answer_bots: answersBots, fix_nits: fixesNits } = settings
  return { people, bots, answersBots, fixesNits, maxRounds, pollS, allow, merge, mergeMethod }
}

function limitsOf(given: Limits = {}, settings: ProfileSettings | null): Limits {
  const costUsd = given.costUsd ?? settings?.budget.run_usd ?? null
  const tokens = given.tokens ?? settings?.budget.tokens ?? null
  return { ...given, ...(costUsd !== null && { costUsd }), ...(tokens !== null && { tokens }) }
}

async function readRole(
  search: AgentSearch,
  role: RoleName,
  own: ProfileSettings['agents'][string] | undefined,
  { agent, model, endpoint, apiKeyEnv, isUnattended }: PipelineOptions,
): Promise<RoleAssignment> {
  const wanted = own?.agent ?? agent ?? search.home.loaded.config.oneshot.agent
  const { adapter, headless } = await headlessAgent(search, wanted, role)
  if (headless.needsEndpoint && endpoint === undefined && !search.home.settings.endpoint)
    throw new SignalboxError('E_INPUT', `${adapter.name} needs an address`, { next: ENDPOINT_HINT })
  const level = own?.permissions ?? defaultLevel(role, headless, isUnattended)
  return {
    agent: adapter.name,
    model: headless.takesModel ? (own?.model ?? model ?? null) : null,
    permissions: headless.levels.includes(level) ? level : nearestLevel(level, headless.levels),
    effort: own?.effort ?? null,
    ...(headless.needsEndpoint && endpoint !== undefined && { endpoint }),
    ...(headless.needsEndpoint && apiKeyEnv !== undefined && { apiKeyEnv }),
  }
}

/** Reviewer and Evaluator read, the Architect plans, the Developer asks a person. */
function defaultLevel(role: RoleName, { asksByDefault }: HeadlessAgent, isUnattended: boolean): PermissionLevel {
  if (role === 'reviewer' || role === 'evaluator') return 'read'
  return role === 'developer' && asksByDefault && !isUnattended ? 'ask' : 'edits'
}

function readPrompts(home: Home, profile: string | null, types: readonly string[]) {
  const prompts: Record<string, { text: string; hash: string }> = {}
  const guidelines: Record<string, string> = {}
  const ids = promptIds()
  for (const id of new Set([...ids, ...types.map(type => `reviewer.${type}`)])) {
    const text = readPrompt(home, profile, id)
    const type = id.slice('reviewer.'.length)
    if (ids.includes(id)) {
      if (text !== null) prompts[id] = { text, hash: promptHash(text) }
    } else if (text !== null) guidelines[type] = text
    else
      throw new SignalboxError('E_CONFIG', `there are no guidelines for the review type "${type}"`, {
        next: `write them to ${join(promptDirectory(home), `${id}.md`)}`,
      })
  }
  return { prompts, guidelines }
}

/** Where a person's own prompts lie: `<profile>/<id>.md` before `<id>.md`. */
export function promptDirectory(home: Home): string {
  return join(home.directories.config, 'prompts')
}

export function readPrompt(home: Home, profile: string | null, id: string): string | null {
  const directory = promptDirectory(home)
  const files = [...(profile === null ? [] : [join(directory, profile, `${id}.md`)]), join(directory, `${id}.md`)]
  const file = files.find(existsSync)
  return file === undefined ? null : readFileSync(file, 'utf8').trim()
}
