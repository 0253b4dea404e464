import type { NodeOutcome } from './graph-run.js'
import type { Cursor } from './graph-work.js'

/** Folds the end of a step that is one part of a node: a child's graph, a merge. */
export function foldPart(cursor: Cursor, part: string, outcome: NodeOutcome, at: number): void {
  if (part === 'merge') {
    if (cursor.phase !== 'forked') return
    if (outcome.question) {
      cursor.question = outcome.question
      cursor.phase = 'asking'
    } else {
      cursor.merged = outcome
      if (outcome.commit !== undefined) cursor.commit = outcome.commit
    }
    return
  }
  if (cursor.phase !== 'running') return
  const kind = part.replace(/\d+$/, '')
  if (kind === 'source') {
    if (outcome.child) cursor.child = outcome.child
    else end(cursor, outcome)
  } else if (kind === 'look') {
    cursor.cycles++
    cursor.isLooking = false
    cursor.lookedAt = at
    Object.assign(cursor.context, outcome.context_updates)
    // An attached run does not report its end to this run: observing it shows the end.
    if (cursor.child?.attached && outcome.status !== 'retry') end(cursor, outcome)
  } else if (kind === 'steer') cursor.steeredAt = at
  else if (kind === 'stop') end(cursor, { status: 'success', notes: 'the stop condition holds; the child was stopped' })
  else if (kind === 'giveup')
    end(cursor, { status: 'fail', failure_reason: 'Max cycles exceeded', failure_class: 'deterministic' })
}

function end(cursor: Cursor, outcome: NodeOutcome): void {
  cursor.phase = 'ended'
  cursor.outcome = outcome
}
