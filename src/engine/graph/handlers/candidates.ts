import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { valueText } from '../../../graph/index.js'
import type { NodeOutcome } from '../graph-run.js'

/** The result of one branch, as `parallel.results` holds it. */
export interface BranchCandidate {
  /** The name of the branch: its first node. */
  id: string
  /**
   * The branch in the journal and in git; absent in the results of older runs, where `id` is it.
   */
  branch?: string
  status: NodeOutcome['status']
  notes: string
  context_updates: Record<string, unknown>
  score?: unknown
  commit?: string
}

export function candidatesOf(context: Readonly<Record<string, unknown>>): BranchCandidate[] {
  const results = context['parallel.results']
  return Array.isArray(results) ? (results as BranchCandidate[]) : []
}

/** A candidate with more text than this is described by size, with a reference to its file. */
const TEXT_MAX_CHARACTERS = 8_000

/**
 * The candidates as the prompt of a ranking agent shows them: each with everything that it
 * reported, or, if that is long, with the size of each value and the file that has all of it.
 */
export function describeCandidates(candidates: readonly BranchCandidate[], directory: string): string {
  const described = candidates.map(candidate => {
    const { id, status, notes, score, commit } = candidate
    const values = reportedValues(candidate)
    const size = values.reduce((sum, [, text]) => sum + text.length, 0)
    const file = size > TEXT_MAX_CHARACTERS ? writeCandidate(directory, candidate) : null
    return [
      `--- candidate ${JSON.stringify(id)} ---`,
      `outcome: ${status}`,
      notes !== '' && `notes: ${notes}`,
      score !== undefined && `score: ${valueText(score)}`,
      commit !== undefined && `work: commit ${commit} (git show ${commit}, git diff HEAD...${commit})`,
      ...values.map(([key, text]) => (file === null ? `${key}: ${text}` : `${key}: ${text.length} characters`)),
      file !== null && `all of it: ${file}`,
    ]
      .filter(Boolean)
      .join('\n')
  })
  return `The candidates:\n\n${described.join('\n\n')}`
}

/** Values that only repeat the status of the last node say nothing about a candidate. */
function reportedValues({ context_updates: updates }: BranchCandidate): [key: string, text: string][] {
  return Object.entries(updates)
    .filter(([key]) => !['outcome', 'current_node', 'last_stage', 'last_response', 'score'].includes(key))
    .map(([key, value]) => [key, valueText(value)])
}

function writeCandidate(directory: string, candidate: BranchCandidate): string {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const file = join(directory, `candidate-${candidate.id.replace(/[^A-Za-z0-9_.-]/g, '-')}.json`)
  writeFileSync(file, JSON.stringify(candidate, null, 2), { mode: 0o600 })
  return file
}
