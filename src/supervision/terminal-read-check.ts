import type { Supervisor } from '../panes/index.js'
import { readsTerminal } from '../process/index.js'

export interface WitnessedPane {
  supervisor: Supervisor
  now(): number
  /** Its first process; the terminal is that one's. */
  pid: number
}

/** Looks whether the program in a pane reads its terminal, where its supervisor wants to know; resolves when it has been told. */
export async function askWitness(
  { supervisor, now, pid }: WitnessedPane,
  options: { env: NodeJS.ProcessEnv; onError(error: unknown): void },
): Promise<boolean> {
  if (!supervisor.isReadCheckDue(now())) return false
  const witness = await readsTerminal(pid, options.env).catch((error: unknown) => {
    options.onError(error)
    return { reads: 'unknown', how: 'the look at it failed' } as const
  })
  supervisor.takeReadCheck(witness, now())
  return true
}
