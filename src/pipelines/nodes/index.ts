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
  finish,
}

const REVIEW: Nodes = { collect, reviewer, evaluator, items, developer, checks, finish }

export function pipelineNodes(pipeline: string): Nodes {
  return pipeline === 'review' ? REVIEW : pipeline === 'implementation' ? IMPLEMENTATION : {}
}

/** The values that `fn` may have in a graph of this pipeline. */
export function pipelineFunctions(pipeline: string | null): string[] {
  return pipeline === null ? [] : Object.keys(pipelineNodes(pipeline))
}
