/*
 * Does the program in the foreground read its terminal? Printing cannot forge it: whoever asks a person must read the answer, and a program
 * that reads is stopped in the kernel at a place that the system shows. A file with a question in it that `cat` prints, a loop of `echo`, a
 * `sleep` behind a drawn menu are stopped somewhere else.
 *
 * The facts are taken at one moment, so `no` means "not now": a program that draws first and reads later says `yes` at the next look.
 * What cannot be seen (another user's program, a system that hides it) is `unknown`, never `no`; the terminal's own mode, which everybody
 * may ask for, then decides where it can: nobody switches the echo off, or asks for single keys, who does not mean to read.
 */

/** Where a thread of a program is stopped. File numbers are those that it waits to read from; null: nobody tells which. */
export type ThreadWait =
  | { in: 'read' | 'poll' | 'epoll' | 'ring'; fds: readonly number[] | null }
  | { in: 'elsewhere'; where: string }
  | { in: 'hidden' }

export interface ReaderProcess {
  pid: number
  name: string
  /** Files of its own that are this terminal, open for reading; null: not to be seen. */
  terminalFds: readonly number[] | null
  threads: readonly ThreadWait[]
}

/** How a terminal hands on what is typed: by lines, by lines that it does not show, or key by key. */
export type TerminalMode = 'lines' | 'silent' | 'keys'

export interface ReaderFacts {
  /** The programs of the foreground group. */
  processes: readonly ReaderProcess[]
  /** Null: not to be seen. */
  mode: TerminalMode | null
  /** Nobody of the group is missing from the list. */
  isComplete: boolean
}

export interface TerminalReader {
  reads: 'yes' | 'no' | 'unknown'
  /** In words, for `explain`. */
  how: string
}

/** What the facts say. */
export function judgeReader({ processes, mode, isComplete }: ReaderFacts): TerminalReader {
  for (const { name, terminalFds, threads } of processes) {
    const found = threads.find(wait => isAtTerminal(wait, terminalFds))
    if (found) return { reads: 'yes', how: `${name} waits in ${found.in} for the terminal` }
  }
  const mayRead = processes.filter(({ terminalFds }) => terminalFds === null || terminalFds.length > 0)
  const hidden = mayRead.find(process => process.threads.some(wait => isHidden(wait, process.terminalFds)))
  if (mode === 'keys' && mayRead[0]) return { reads: 'yes', how: `${mayRead[0].name} takes single keys` }
  if (mode === 'silent' && hidden) return { reads: 'yes', how: `${hidden.name} has switched the echo off` }
  if (hidden) return { reads: 'unknown', how: `what ${hidden.name} waits for is not to be seen` }
  if (!isComplete || processes.length === 0) return { reads: 'unknown', how: 'the programs are not to be seen' }
  const places = processes.map(({ name, threads }) => `${name} ${whereOf(threads[0])}`)
  return { reads: 'no', how: places.slice(0, 3).join(', ') }
}

function isAtTerminal(wait: ThreadWait, terminalFds: readonly number[] | null): boolean {
  return 'fds' in wait && wait.fds !== null && wait.fds.some(fd => terminalFds?.includes(fd))
}

function isHidden(wait: ThreadWait, terminalFds: readonly number[] | null): boolean {
  return wait.in === 'hidden' || ('fds' in wait && (wait.fds === null || terminalFds === null))
}

function whereOf(wait: ThreadWait | undefined): string {
  if (wait === undefined) return 'has ended'
  return wait.in === 'elsewhere'
    ? wait.where
    : wait.in === 'hidden'
      ? 'is hidden'
      : `waits in ${wait.in} for other things`
}
