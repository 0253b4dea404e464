import type { RunStatus } from '../engine/index.js'

/** What is known about a worktree. */
export interface WorktreeFacts {
  /** The status of the run that created it; null if that run is unknown. */
  runStatus: RunStatus | null
  isThere: boolean
  /** Files that are not committed. */
  dirty: number
  /** Commits of the run on its branch, and whether the project's checkout contains them. */
  ahead: number
  isMerged: boolean
  /** Time since a file in it was last used. */
  idleMs: number
}

export type WorktreeFate = 'busy' | 'gone' | 'needless' | 'forgotten' | 'kept' | 'dirty'

/** A failed run can be resumed and continues with the files it left. */
const CAN_CONTINUE: readonly (RunStatus | null)[] = ['queued', 'running', 'waiting', 'paused', 'failed']

interface FateRule {
  fate: WorktreeFate
  /** When the rule holds, and the outcome: part of the reference page. */
  when: string
  outcome: string
  holds(facts: WorktreeFacts, keepMs: number): boolean
}

export const WORKTREE_FATE_RULES: readonly FateRule[] = [
  {
    fate: 'gone',
    when: 'the directory is missing',
    outcome: 'The entry is removed; the branch stays.',
    holds: ({ isThere }) => !isThere,
  },
  {
    fate: 'busy',
    when: 'a run works in it or can continue in it',
    outcome: 'It is never touched.',
    holds: ({ runStatus }) => CAN_CONTINUE.includes(runStatus),
  },
  {
    fate: 'dirty',
    when: 'it has uncommitted files',
    outcome: 'Only a person removes it, after its files were saved.',
    holds: ({ dirty }) => dirty > 0,
  },
  {
    fate: 'needless',
    when: 'its commits are merged, or it has none',
    outcome: 'It is removed.',
    holds: ({ isMerged, ahead }) => isMerged || ahead === 0,
  },
  {
    fate: 'forgotten',
    when: 'it was not used for the `cleanup_days` of the profiles',
    outcome: 'Its removal is suggested; the branch stays.',
    holds: ({ idleMs }, keepMs) => idleMs >= keepMs,
  },
  { fate: 'kept', when: 'otherwise', outcome: 'It is listed.', holds: () => true },
]

export function fateOf(facts: WorktreeFacts, keepMs: number): WorktreeFate {
  return WORKTREE_FATE_RULES.find(({ holds }) => holds(facts, keepMs))!.fate
}
