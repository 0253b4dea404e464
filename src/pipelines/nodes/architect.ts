import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { readSegment, segmentPath } from '../../activity/index.js'
import { newEvent } from '../../events/index.js'
import type { AgentNode, NodeContext, NodeResult } from '../node.js'
import { planFile } from '../plan/plan-path.js'
import { looksLikePlan } from '../plan/validate-plan.js'
import { architectPrompt } from '../prompts/role-prompts.js'
import { playRole, turnFailed, usageOf } from '../role-turn.js'
import { historyUpdate } from './history-update.js'
import { askSpending } from './spending.js'
import { hashOf, readOptional } from './text-file.js'

/** The Architect's answer is kept in the state up to this size. */
const OUTPUT_MAX = 20_000

export const architect: AgentNode = {
  async run(context) {
    const spending = await askSpending(context)
    if (spending) return spending
    await rememberTree(context)
    const end = await playRole(context, { role: 'architect', prompt: architectPrompt(context.state, context.args) })
    if (end.status !== 'ok') return turnFailed(end)
    return { ...(await this.conclude(context, end)), ...usageOf(end) }
  },

  async conclude(context, { text }) {
    const { state, call, cwd } = context
    const path = state.plan_path!
    const undone = await revertOtherFiles(context)
    if (undone.length > 0)
      call.notice(
        'warning',
        `the Architect changed files other than the plan; restored: ${undone.slice(0, 10).join(', ')}`,
      )
    const found = await findPlan(context, text)
    const file = planFile(cwd, path)
    // Saves a plan that was only in the answer to a file.
    if (found && found.source !== 'file') {
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, found.text)
    }
    const plan = found?.text ?? ''
    const hash = hashOf(plan)
    return {
      route: 'plan_validator',
      response: text,
      update: {
        plan_markdown: plan,
        plan_hash: hash,
        raw_architect_output: text.slice(0, OUTPUT_MAX),
        human_approved: null,
        history: historyUpdate(context, 'architect', found ? `wrote ${path}` : 'wrote no plan'),
      },
      events: found
        ? [newEvent('plan.written', { path, hash, revision: context.step.visit, source: found.source })]
        : [],
    } satisfies NodeResult
  },
}

/** The plan file; else the last text written to it; else an answer that looks like one. */
async function findPlan(
  context: NodeContext,
  said: string,
): Promise<{ text: string; source: 'file' | 'activity' | 'text' } | null> {
  const { state, cwd, call, services } = context
  const file = planFile(cwd, state.plan_path!)
  const written = readOptional(file)
  if (written !== null && written.trim() !== '') return { text: written, source: 'file' }
  let last: string | null = null
  for await (const activity of readSegment(segmentPath(services.runDirectory(call.run), call.step))) {
    if (activity.type !== 'tool_call' || activity.kind !== 'write') continue
    const input = (activity.input ?? {}) as Record<string, unknown>
    const path = input.file_path ?? input.path ?? input.filePath
    const text = input.content ?? input.text
    if (typeof path === 'string' && typeof text === 'string' && resolve(cwd, path) === file) last = text
  }
  if (last !== null && last.trim() !== '') return { text: last, source: 'activity' }
  return looksLikePlan(said) ? { text: said, source: 'text' } : null
}

/** Records the tree before the Architect's first attempt, to compare with later. */
async function rememberTree(context: NodeContext): Promise<void> {
  const file = treeFile(context)
  if (!existsSync(file)) writeFileSync(file, await context.git.treeHash(planPaths(context)))
}

async function revertOtherFiles(context: NodeContext): Promise<string[]> {
  const { git, args, call } = context
  const file = treeFile(context)
  if (!existsSync(file)) return []
  const before = readFileSync(file, 'utf8').trim()
  const except = planPaths(context)
  const after = await git.treeHash(except)
  if (after === before) return []
  const changed = await git.changedPaths(before, after)
  // In a person's tree the change may be theirs: keep a copy of what is reverted.
  if (args.workspace.mode === 'in_place') {
    const ref = `refs/signalbox/trash/${call.run}`
    await git.git.saveTree(after, ref, 'changed while the Architect planned')
    call.notice('info', `the reverted changes are kept for 7 days: git checkout ${ref} -- <file>`)
  }
  await git.git.restoreTree(before, except)
  return changed
}

function planPaths({ state, cwd }: NodeContext): string[] {
  const file = join(cwd, state.plan_path!)
  return [file, file.replace(/\.md$/, '.json')]
}

function treeFile({ directory, step }: NodeContext): string {
  return join(directory, `architect-${step.visit}.tree`)
}
