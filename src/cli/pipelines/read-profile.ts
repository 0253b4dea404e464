import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type AgentAdapter, loadAgent, type PermissionLevel } from '../../agents/index.js'
import { SignalboxError } from '../../errors/index.js'
import type { Home } from '../../host/home/index.js'
import {
  type Player,
  type ProfileCopy,
  profileCopy,
  promptHash,
  promptIds,
  ROLES,
  type RoleName,
} from '../../pipelines/index.js'
import { agentPlace } from '../agent-place.js'
import type { CommandContext } from '../context.js'
import { firstAgent, nearestLevel, splitWords } from '../runs/oneshot-options.js'

export interface ProfileWish {
  profile: string | null
  agent: string | null
  model: string | null
  /** Nobody is there to be asked. */
  isUnattended: boolean
  reviewTypes: readonly string[] | null
  passes: number | null
}

type Settings = Home['loaded']['config']['profiles'][string]

/** The profile of a run, whole: settings, flags and prompts of this moment. @throws SignalboxError `E_CONFIG`, `E_AGENT_MISSING` */
export async function readProfile(
  context: CommandContext,
  home: Home,
  wish: ProfileWish,
): Promise<{ profile: ProfileCopy; settings: Settings | null }> {
  const { config } = home.loaded
  const name = wish.profile ?? config.pipelines.profile
  const settings = name === null ? null : (config.profiles[name] ?? null)
  if (name !== null && settings === null)
    throw new SignalboxError('E_CONFIG', `there is no profile "${name}"`, {
      next: `known: ${Object.keys(config.profiles).join(', ') || 'none; [profiles.<name>] in the settings makes one'}`,
    })
  const fallback = wish.agent ?? config.oneshot.agent
  const roles = {} as Record<RoleName, Player>
  for (const role of ROLES) roles[role] = await readPlayer(context, role, settings, fallback, wish)
  const types = wish.reviewTypes ?? settings?.review_types ?? ['general']
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
      dayUsd: settings.budget.day_usd ?? config.runs.day_usd,
    }),
    ...(settings === null && { dayUsd: config.runs.day_usd }),
    ...(wish.passes !== null && { maxReviewPasses: wish.passes }),
    reviewTypes: types,
    prompts,
    guidelines,
  })
  return { profile, settings }
}

async function readPlayer(
  context: CommandContext,
  role: RoleName,
  settings: Settings | null,
  fallback: string | null,
  { model, isUnattended }: ProfileWish,
): Promise<Player> {
  const own = settings?.agents[role]
  const wanted = own?.agent ?? fallback
  const adapter = wanted === null ? await firstAgent(context) : await loadAgent(wanted)
  const { headless } = adapter
  if (!headless)
    throw new SignalboxError('E_INPUT', `${adapter.title} cannot be the ${role}: it does not work without a terminal`)
  const location = adapter.locate(agentPlace(context, adapter.name))
  if (!location.found)
    throw new SignalboxError('E_AGENT_MISSING', `${adapter.title} was not found (looked for ${location.looked})`, {
      next: adapter.install,
    })
  const level = own?.permissions ?? defaultLevel(role, adapter, isUnattended)
  return {
    agent: adapter.name,
    model: headless.takesModel ? (own?.model ?? model) : null,
    permissions: headless.levels.includes(level) ? level : nearestLevel(level, headless.levels),
    effort: own?.effort ?? null,
  }
}

/** Reviewer and Evaluator read; the Architect writes one file; the Developer asks where somebody is there to be asked. */
function defaultLevel(role: RoleName, { headless }: AgentAdapter, isUnattended: boolean): PermissionLevel {
  if (role === 'reviewer' || role === 'evaluator') return 'read'
  return role === 'developer' && headless?.asksByDefault && !isUnattended ? 'ask' : 'edits'
}

/** `prompts/<profile>/<id>.md` before `prompts/<id>.md`, in the directory of the settings. */
function readPrompts(home: Home, profile: string | null, types: readonly string[]) {
  const prompts: Record<string, { text: string; hash: string }> = {}
  const guidelines: Record<string, string> = {}
  const ids = promptIds()
  for (const id of [...new Set([...ids, ...types.map(type => `reviewer.${type}`)])]) {
    const text = readPrompt(home, profile, id)
    if (ids.includes(id)) {
      if (text !== null) prompts[id] = { text, hash: promptHash(text) }
    } else if (text !== null) guidelines[id.slice('reviewer.'.length)] = text
    else
      throw new SignalboxError(
        'E_CONFIG',
        `there are no guidelines for the review type "${id.slice('reviewer.'.length)}"`,
        {
          next: `write them to ${join(promptDirectory(home), `${id}.md`)}`,
        },
      )
  }
  return { prompts, guidelines }
}

export function promptDirectory(home: Home): string {
  return join(home.directories.config, 'prompts')
}

export function readPrompt(home: Home, profile: string | null, id: string): string | null {
  const directory = promptDirectory(home)
  const files = [...(profile === null ? [] : [join(directory, profile, `${id}.md`)]), join(directory, `${id}.md`)]
  const file = files.find(existsSync)
  return file === undefined ? null : readFileSync(file, 'utf8').trim()
}
