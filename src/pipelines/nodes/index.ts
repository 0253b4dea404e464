/*
 * The functions of the pipelines' nodes, by the value of `fn` in their graphs. pull/ has those for
 * pull requests. A node may be repeated after a crash: it looks for its own earlier results first.
 */

import type { AgentNode, PipelineNode } from '../node.js'
import { architect } from './architect.js'
import { checks } from './checks.js'
import { collect } from './collect.js'
import { commitTask } from './commit-task.js'
import { developer } from './developer.js'
import { evaluator } from './evaluator.js'
import { finish } from './finish.js'
import { humanApproval } from './human-approval.js'
import { items } from './items.js'
import { nextTask } from './next-task.js'
import { objections } from './objections.js'
import { planValidator } from './plan-validator.js'
import { prepare } from './prepare.js'
import { answer } from './pull/answer.js'
import { merge } from './pull/merge.js'
import { observe } from './pull/observe.js'
import { publish } from './pull/publish.js'
import { triage } from './pull/triage.js'
import { reviewer } from './reviewer.js'

type Nodes = Readonly<Record<string, PipelineNode | AgentNode>>

/** By the value of `fn` in the graph. */
const IMPLEMENTATION: Nodes = {
  prepare,
  architect,
  plan_validator: planValidator,
  human_approval: humanApproval,
  developer,
  reviewer,
  commit_task: commitTask,
  next_task: nextTask,
  objections,
  publish,
  observe,
  triage,
  items,
  checks,
  answer,
  merge,
  finish,
}

const PULL_REQUEST: Nodes = { prepare, publish, observe, triage, items, developer, checks, answer, merge, finish }

const REVIEW: Nodes = { collect, reviewer, evaluator, items, developer, checks, finish }

const NODES: Readonly<Record<string, Nodes>> = {
  implementation: IMPLEMENTATION,
  review: REVIEW,
  pull_request: PULL_REQUEST,
}

export function pipelineNodes(pipeline: string): Nodes {
  return Object.hasOwn(NODES, pipeline) ? NODES[pipeline]! : {}
}

/** The values that `fn` may have in a graph of this pipeline. */
export function pipelineFunctions(pipeline: string | null): string[] {
  return pipeline === null ? [] : Object.keys(pipelineNodes(pipeline))
}
