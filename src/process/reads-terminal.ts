/*
 * Does the program in the foreground read its terminal? Printing cannot fake this: a program that
 * asks a question must read the answer, and a program that reads is blocked in the kernel at a
 * place that the system shows. `cat` of a file with a question in it, a loop of `echo`, a `sleep`
 * after a drawn menu are blocked somewhere else.
 *
 * The facts are taken at one moment, so `no` means "not now": a program that draws first and reads
 * later gives `yes` at the next check. If the system hides the process (another user's program),
 * the result is `unknown`, never `no`. Then the mode of the terminal, which every process may
 * query, decides where it can: a program that turns the echo off or asks for single keys intends to
 * read.
 */

/** Where a thread is blocked. File numbers: what it waits to read; null if unknown. */
export type ThreadWait =
  | { in: 'read' | 'poll' | 'epoll' | 'ring'; fds: readonly number[] | null }
  | { in: 'elsewhere'; where: string }
  | { in: 'hidden' }

export interface ForegroundProcess {
  pid: number
  name: string
  /** Its open files that are this terminal and readable; null when they are hidden. */
  terminalFds: readonly number[] | null
  threads: readonly ThreadWait[]
}

/** How a terminal passes typed keys on: by lines, by lines without echo, or key by key. */
export type TerminalMode = 'lines' | 'silent' | 'keys'

export interface TerminalFacts {
  /** The programs of the foreground group. */
  processes: readonly ForegroundProcess[]
  /** Null when it is hidden. */
  mode: TerminalMode | null
  /** No process of the group is missing from the list. */
  isComplete: boolean
}

export interface TerminalReadState {
  reads: 'yes' | 'no' | 'unknown'
  /** A sentence for `explain`. */
  how: string
}

export function judgeTerminalRead({ processes, mode, isComplete }: TerminalFacts): TerminalReadState {
  for (const { name, terminalFds, threads } of processes) {
    const found = threads.find(wait => isAtTerminal(wait, terminalFds))
    if (found) return { reads: 'yes', how: `${name} waits in ${found.in} for the terminal` }
  }
  const mayRead = processes.filter(({ terminalFds }) => terminalFds === null || terminalFds.length > 0)
  const hidden = mayRead.find(process => process.threads.some(wait => isHidden(wait, process.terminalFds)))
  if (mode === 'keys' && mayRead[0]) return { reads: 'yes', how: `${mayRead[0].name} reads single keys` }
  if (mode === 'silent' && hidden) return { reads: 'yes', how: `${hidden.name} has turned the echo off` }
  if (hidden) return { reads: 'unknown', how: `what ${hidden.name} waits for is hidden` }
  if (!isComplete || processes.length === 0) return { reads: 'unknown', how: 'the programs are hidden' }
  const waits = processes.map(({ name, threads }) => `${name} ${describeWait(threads[0])}`)
  return { reads: 'no', how: waits.slice(0, 3).join(', ') }
}

function isAtTerminal(wait: ThreadWait, terminalFds: readonly number[] | null): boolean {
  return 'fds' in wait && wait.fds !== null && wait.fds.some(fd => terminalFds?.includes(fd))
}

function isHidden(wait: ThreadWait, terminalFds: readonly number[] | null): boolean {
  return wait.in === 'hidden' || ('fds' in wait && (wait.fds === null || terminalFds === null))
}

function describeWait(wait: ThreadWait | undefined): string {
  if (wait === undefined) return 'has ended'
  return wait.in === 'elsewhere'
    ? wait.where
    : wait.in === 'hidden'
      ? 'is hidden'
      : `waits in ${wait.in} for other things`
}
