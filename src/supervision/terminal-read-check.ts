import type { Supervisor } from '../panes/index.js'
import { readsTerminal } from '../process/index.js'

export interface CheckedPane {
  supervisor: Supervisor
  now(): number
  /** Its first process, which owns the terminal. */
  pid: number
}

/** Checks whether a pane's program reads its terminal, if its supervisor asks for it. */
export async function checkTerminalReads(
  { supervisor, now, pid }: CheckedPane,
  options: { env: NodeJS.ProcessEnv; onError(error: unknown): void },
): Promise<boolean> {
  if (!supervisor.isReadCheckDue(now())) return false
  const result = await readsTerminal(pid, options.env).catch((error: unknown) => {
    options.onError(error)
    return { reads: 'unknown', how: 'the check failed' } as const
  })
  supervisor.applyReadCheck(result, now())
  return true
}
