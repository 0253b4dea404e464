import type { Config } from '../../config/index.js'
import { SignalboxError } from '../../errors/index.js'
import type { PipelineRunOptions } from '../../pipelines/index.js'
import { wholeNumber } from '../runs/oneshot-options.js'

type Budget = Config['profiles'][string]['budget']

/** What every run of a pipeline is told beside its arguments: budgets, labels, who wants it. @throws SignalboxError `E_INPUT` */
export function runWish(options: Record<string, unknown>, budget: Budget | null): Omit<PipelineRunOptions, 'title'> {
  const labels = Object.fromEntries(((options.label as string[] | undefined) ?? []).map(readLabel))
  return {
    limits: runLimits(options, budget),
    labels: { ...labels, ...(options.detach === true && { host: 'daemon' }) },
    ...(options.person !== undefined && { person: String(options.person) }),
  }
}

function readLabel(pair: string): [string, string] {
  const at = pair.indexOf('=')
  if (at >= 1) return [pair.slice(0, at), pair.slice(at + 1)]
  throw new SignalboxError('E_INPUT', `--label takes key=value, not "${pair}"`, { next: '--label priority=2' })
}

function runLimits(options: Record<string, unknown>, budget: Budget | null): { costUsd?: number; tokens?: number } {
  const cost = options.maxCost === undefined ? (budget?.run_usd ?? null) : Number(options.maxCost)
  if (cost !== null && !(Number.isFinite(cost) && cost > 0))
    throw new SignalboxError('E_INPUT', `--max-cost takes a number above 0, not "${String(options.maxCost)}"`)
  const tokens =
    options.maxTokens === undefined ? (budget?.tokens ?? null) : wholeNumber('--max-tokens', options.maxTokens, 0, 1)
  return { ...(cost !== null && { costUsd: cost }), ...(tokens !== null && { tokens }) }
}
