import { z } from 'zod'

const session = z.string().regex(/^ses_\w{1,60}$/)
const run = z.string().regex(/^run_\w{1,60}$/)

/** What a worker has: in its keeper, in its program, and on its disk. */
export const workerInventory = z.object({
  /** Sessions whose terminals its keeper has. */
  sessions: z.array(session).max(10_000),
  /** Steps of runs that have not ended; the key names the attempt. */
  steps: z.array(z.object({ run, step: z.string().max(500), key: z.string().max(600) })).max(10_000),
  /** Sessions of which it has a recording. */
  recordings: z.array(session).max(100_000),
  /** Runs of which it has a workspace. */
  workspaces: z.array(run).max(100_000),
})
export type WorkerInventory = z.output<typeof workerInventory>

/** A session or a run according to the log. */
export interface LoggedItem {
  worker: string | null
  /** It runs, or may continue. */
  isOpen: boolean
}

/** What the log says about a worker, and about everything that the worker named. */
export interface WorkerLog {
  worker: string
  /** Sessions that the worker named, and those that run there. Absent: no event knows it. */
  sessions: ReadonlyMap<string, LoggedItem>
  runs: ReadonlyMap<string, LoggedItem>
  /** The open steps of the runs that the worker should perform now. */
  steps: readonly { run: string; step: string; key: string }[]
}

/** Something that a worker and the log do not agree about. */
export interface WorkerDifference {
  what: 'session' | 'step' | 'recording' | 'workspace'
  /** The id of the session or run; of a step `<run>/<step>`. */
  id: string
  /**
   * What the log says of what the worker has: nothing, that it has ended, or that another machine
   * has it. `missing`: the log has it here, and the worker does not.
   */
  is: 'unknown' | 'ended' | 'elsewhere' | 'missing'
}

/** What a worker has and the log does not, and the reverse. Pure. */
export function differencesOf(inventory: WorkerInventory, log: WorkerLog): WorkerDifference[] {
  const differences: WorkerDifference[] = []
  const add = (what: WorkerDifference['what'], id: string, is: WorkerDifference['is'] | null) => {
    if (is !== null) differences.push({ what, id, is })
  }
  const judge = (item: LoggedItem | undefined): WorkerDifference['is'] | null => {
    if (!item) return 'unknown'
    if (!item.isOpen) return 'ended'
    return item.worker === log.worker ? null : 'elsewhere'
  }
  const here = new Set(inventory.sessions)
  for (const id of here) add('session', id, judge(log.sessions.get(id)))
  for (const [id, { worker, isOpen }] of log.sessions)
    if (isOpen && worker === log.worker && !here.has(id)) add('session', id, 'missing')
  const attempts = new Set(inventory.steps.map(step => `${step.run}/${step.key}`))
  for (const step of inventory.steps) add('step', `${step.run}/${step.step}`, judge(log.runs.get(step.run)))
  for (const step of log.steps)
    if (!attempts.has(`${step.run}/${step.key}`)) add('step', `${step.run}/${step.step}`, 'missing')
  // What is left of something that the log knows is no difference: it can be found by its name.
  for (const id of inventory.recordings) if (!log.sessions.has(id) && !here.has(id)) add('recording', id, 'unknown')
  for (const id of inventory.workspaces) if (!log.runs.has(id)) add('workspace', id, 'unknown')
  return differences
}
