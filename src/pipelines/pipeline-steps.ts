import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import {
  Artifacts,
  type GraphStep,
  graphStep,
  type NodeOutcome,
  type Performer,
  type Recovery,
  type StepCall,
  type StepEnd,
} from '../engine/index.js'
import { toSignalboxError } from '../errors/index.js'
import { newEvent } from '../events/index.js'
import { textOf } from '../graph/index.js'
import { adHocArgs } from './ad-hoc-args.js'
import { ARGS_INPUT, type PipelineArgs } from './args.js'
import type { AgentNode, NodeContext, NodeResult, PipelineNode, PipelineServices } from './node.js'
import { pipelineNodes } from './nodes/index.js'
import { restorePlan, restoreWorkspace } from './nodes/prepare.js'
import { PipelineGit } from './pipeline-git.js'
import type { PipelineRegistry } from './registry.js'
import { reduceState } from './state.js'
import { argsOfRun, readArgs, readState, storedFields } from './stored-state.js'

/**
 * Runs the nodes of pipelines (`type=code`, `fn=…`): reads the state from the run, calls the node's
 * function, and writes its changes. An update that does not fit the schema fails the node and
 * changes nothing.
 */
export class PipelineSteps implements Performer {
  readonly #services: PipelineServices
  readonly #registry: PipelineRegistry

  constructor(services: PipelineServices, registry: PipelineRegistry) {
    this.#services = services
    this.#registry = registry
  }

  async run(call: StepCall): Promise<StepEnd> {
    const opened = await this.#open(call)
    if ('problem' in opened) return structural(opened.problem)
    const { node, context } = opened
    const limit = visitLimit(context)
    if (context.step.visit > limit)
      return structural(`"${context.step.node.id}" was visited ${limit} times, which is its limit`)
    const result = await ('run' in node ? node.run(context) : node(context))
    return { ...this.#endOf(context, result), ...(result.usage && { usage: result.usage }) }
  }

  async recover(call: StepCall): Promise<Recovery> {
    const opened = await this.#open(call)
    if ('problem' in opened || !('run' in opened.node))
      return {
        verdict: 'nothing',
        evidence: [{ source: 'step', says: 'the node checks for its earlier results when it runs again' }],
      }
    const found = await this.#services.agents.recover(call)
    if (found.verdict !== 'success') return found
    const { node, context } = opened
    const result = await node.conclude(context, { text: found.text ?? '', sessionId: found.sessionId ?? null })
    return { ...found, result: this.#endOf(context, result).result }
  }

  abandon(call: StepCall): Promise<void> {
    return this.#services.agents.abandon(call)
  }

  async #open(call: StepCall): Promise<{ node: PipelineNode | AgentNode; context: NodeContext } | { problem: string }> {
    const step = graphStep(call)
    const fn = textOf(step.node.attributes, 'fn') ?? ''
    const type = textOf(step.graph.attributes, 'pipeline_type')
    const stored = readArgs(step.context) ?? (await adHocArgs(call, step, type ?? '', this.#services.readProfile))
    const args = argsOfRun(stored, call.run, step.work.input.workspace)
    const isFork = args !== stored
    try {
      // The state says which pipeline it is, not the command that resumes the run.
      this.#registry.getPipeline(args.pipeline)
    } catch (error) {
      return { problem: toSignalboxError(error).message }
    }
    const node = pipelineNodes(args.pipeline)[fn]
    if (!node) return { problem: `the pipeline "${args.pipeline}" has no function "${fn}"` }
    const directory = this.#services.runDirectory(call.run)
    const own = join(directory, 'pipeline')
    mkdirSync(own, { recursive: true, mode: 0o700 })
    const state = readState(step.context, args, new Artifacts(join(directory, 'artifacts')), isFork)
    const cwd = placeOf(step, args)
    const open = (git: PipelineGit): NodeContext => ({
      call,
      step,
      state,
      args,
      services: this.#services,
      git,
      cwd,
      reply: step.reply,
      directory: own,
    })
    if (existsSync(cwd)) {
      const context = open(new PipelineGit(cwd, { mark: call.name }))
      if (isFork) restorePlan(context)
      return { node, context }
    }
    if (fn !== 'prepare') await restoreWorkspace(open(new PipelineGit(args.repository, { mark: call.name })))
    return { node, context: open(new PipelineGit(existsSync(cwd) ? cwd : args.repository, { mark: call.name })) }
  }

  #endOf({ state, args, step }: NodeContext, result: NodeResult): StepEnd {
    if (result.failed) return { status: 'ok', result: result.failed }
    if (result.question) return { status: 'ok', result: { status: 'success', question: result.question } }
    const reduced = reduceState(state, result.update ?? {})
    if ('problem' in reduced)
      return structural(`the update of "${step.node.id}" does not fit the state: ${reduced.problem}`)
    const { verdict } = result
    const isFirst = readArgs(step.context) === null
    const stopped = result.end?.status === 'failed' ? result.end : null
    const outcome: NodeOutcome = {
      status: stopped ? 'fail' : 'success',
      // A run that was stopped here can be resumed here: the node runs again, and asks again.
      ...(stopped && { failure_reason: stopped.text ?? stopped.reason, failure_class: 'canceled' as const }),
      ...(result.route !== undefined && { next_node: result.route }),
      context_updates: {
        ...storedFields(reduced.state, reduced.changed),
        ...(isFirst && { [ARGS_INPUT]: JSON.stringify(args) }),
        ...(verdict && { 'run.outcome': verdict.outcome, 'run.objections': verdict.objections }),
      },
      events: [
        ...(result.events ?? []),
        ...(result.update?.history ?? []).map(entry => newEvent('history.added', entry)),
      ],
      ...(result.end && { end: result.end }),
      ...(result.commit !== undefined && { commit: result.commit }),
      ...(result.response !== undefined && { notes: result.response.split('\n')[0]!.slice(0, 200) }),
    }
    return { status: 'ok', result: outcome }
  }
}

/** The worktree of the run; an ejected graph works where its run works. */
function placeOf(step: GraphStep, args: PipelineArgs): string {
  return args.workspace.path || step.cwd
}

/**
 * A loop with more rounds than tasks and reviews allow is a defect. A pull request may be looked at
 * for weeks; its rounds have a limit of their own.
 */
function visitLimit({ state, args }: NodeContext): number {
  if (state.pull !== null) return Number.POSITIVE_INFINITY
  const reviews = Math.max(state.task_review_limit ?? 0, args.profile.maxTaskReviews)
  return (
    (state.total_tasks ?? 1) * (reviews + 1) + state.human_rejections.length * (args.profile.maxPlanRevisions + 1) + 10
  )
}

function structural(reason: string): StepEnd {
  const result: NodeOutcome = { status: 'fail', failure_reason: reason, failure_class: 'structural' }
  return { status: 'ok', result, reason }
}
