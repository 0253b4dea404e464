import { AttributeReader, NODE_ATTRIBUTES } from '../../../graph/index.js'
import { soleJsonObject } from '../../../text/index.js'
import type { Performer, Recovery, StepCall, StepEnd } from '../../workflow.js'
import type { NodeOutcome } from '../graph-run.js'
import { type GraphStep, graphStep } from '../graph-step.js'
import { branchRef } from '../graph-work.js'
import { conflictQuestion, mergeBranch } from '../merge-branch.js'
import { type BranchCandidate, candidatesOf, describeCandidates } from './candidates.js'
import type { PromptExtra } from './codergen-prompt.js'
import { rankingContract } from './report-contract.js'

/** The agent that ranks candidates. */
export interface RankingAgent extends Performer {
  /** Runs a turn whose prompt has this material and this contract for the answer. */
  runWith(call: StepCall, extra: PromptExtra): Promise<StepEnd>
  directory(call: StepCall): string
}

/**
 * Chooses among the results of the branches before it: with an agent if it has a prompt, else by
 * outcome.
 */
export class FanInSteps implements Performer {
  readonly #agent: RankingAgent

  constructor(agent: RankingAgent) {
    this.#agent = agent
  }

  async run(call: StepCall): Promise<StepEnd> {
    const step = graphStep(call)
    const candidates = candidatesOf(step.context)
    if (!candidates.some(isUsable))
      return ended({
        status: 'fail',
        failure_reason: candidates.length === 0 ? 'there are no results to choose from' : 'every branch failed',
        failure_class: 'unknown',
      })
    const isAsked = new AttributeReader(step.node.attributes, NODE_ATTRIBUTES).text('prompt') !== null
    if (!isAsked) return ended(await choose(call, step, bestOf(candidates), ''))
    const usable = candidates.filter(isUsable)
    const end = await this.#agent.runWith(call, {
      material: describeCandidates(usable, this.#agent.directory(call)),
      contract: rankingContract(usable.map(({ id }) => id)),
    })
    const outcome = end.result as NodeOutcome
    if (outcome.status === 'fail') return end
    return { ...end, result: await this.#chosen(call, step, candidates, outcome) }
  }

  async recover(call: StepCall): Promise<Recovery> {
    const step = graphStep(call)
    const isAsked = new AttributeReader(step.node.attributes, NODE_ATTRIBUTES).text('prompt') !== null
    const recovery = isAsked ? await this.#agent.recover?.(call) : undefined
    if (recovery?.verdict !== 'success') return recovery ?? { verdict: 'nothing', evidence: [] }
    const outcome = (recovery.result as NodeOutcome | undefined) ?? { status: 'success', response: recovery.text ?? '' }
    return { ...recovery, result: await this.#chosen(call, step, candidatesOf(step.context), outcome) }
  }

  #chosen(
    call: StepCall,
    step: GraphStep,
    candidates: readonly BranchCandidate[],
    judged: NodeOutcome,
  ): Promise<NodeOutcome> {
    const id = bestId(judged)
    const named = candidates.find(candidate => isUsable(candidate) && (candidate.id === id || candidate.branch === id))
    const note = named ? '' : `the agent named ${JSON.stringify(id ?? 'no branch')}; chosen by outcome instead`
    return choose(call, step, named ?? bestOf(candidates), note, judged)
  }
}

function bestId({ response, context_updates: updates }: NodeOutcome): string | null {
  const updated = updates?.best_id
  if (typeof updated === 'string') return updated
  const found = soleJsonObject(response ?? '')
  const id = 'value' in found ? found.value.best_id : undefined
  return typeof id === 'string' ? id : null
}

const RANK: Readonly<Record<string, number>> = { success: 0, partial_success: 1, retry: 2, fail: 3, skipped: 4 }

/** Orders by outcome, then by score, then by name. */
function bestOf(candidates: readonly BranchCandidate[]): BranchCandidate {
  const score = ({ score: given }: BranchCandidate) =>
    Number.isFinite(Number(given ?? Number.NaN)) ? Number(given) : -Infinity
  const order = (a: BranchCandidate, b: BranchCandidate) =>
    (RANK[a.status] ?? 9) - (RANK[b.status] ?? 9) ||
    (score(a) === score(b) ? 0 : score(b) - score(a)) ||
    (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)
  return [...candidates].sort(order)[0]!
}

function isUsable({ status }: BranchCandidate): boolean {
  return status !== 'fail' && status !== 'skipped'
}

/** Takes over the winner's context updates and merges its work. */
async function choose(
  call: StepCall,
  step: GraphStep,
  winner: BranchCandidate,
  note: string,
  judged?: NodeOutcome,
): Promise<NodeOutcome> {
  const outcome: NodeOutcome = {
    ...judged,
    status: 'success',
    notes: [`${winner.id} was chosen`, note].filter(Boolean).join('; '),
    context_updates: {
      ...winner.context_updates,
      'parallel.fan_in.best_id': winner.id,
      'parallel.fan_in.best_outcome': winner.status,
    },
  }
  if (winner.commit === undefined || step.work.input.workspace.branch === null) return outcome
  const ref = branchRef(step.work.run, winner.branch ?? winner.id)
  const { run, name } = call
  const merged = await mergeBranch(step.cwd, { run, step: name, ref, name: winner.id, answer: step.answer })
  if ('conflict' in merged) return { ...outcome, question: conflictQuestion(winner.id, merged.conflict, step.cwd) }
  return merged.commit === null ? outcome : { ...outcome, commit: merged.commit }
}

function ended(outcome: NodeOutcome): StepEnd {
  return { status: 'ok', result: outcome }
}
