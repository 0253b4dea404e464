/*
 * Processes of the machine: start a program and its group, end the whole group, find processes by
 * their mark, lock a home directory, and ask the kernel which program runs in a terminal and
 * whether it reads from it.
 *
 * - child-group.ts: programs with their descendants. run-command.ts: a short command with a limit;
 *   command-helper.ts: a small process starts the commands of one with much memory.
 * - step-mark.ts, limit-mark.ts: what identifies the processes of a step after its end.
 * - origin.ts, peer-origin.ts, libc.ts: whether a person's or an agent's process is at the other
 *   end of a connection.
 * - input-wrapper.ts: whether a program runs in a container, a sandbox or on another machine.
 * - detached.ts: starts a process that outlives this one and reports when it is ready.
 * - start-progress.ts: the progress of a starting program, for callers that wait for it.
 * - free-port.ts: a port that nothing listens on.
 * - lock.ts: a lock that the kernel releases with the process. process-owner.ts: which process owns
 *   a resource.
 * - process-info.ts, proc-files.ts: /proc, and ps where it does not exist.
 * - terminal-facts.ts, reads-terminal.ts, thread-wait.ts, wait-calls.ts: whether a program waits
 *   for keys (docs/decisions/0020-printed-menus.md).
 */

export { type ChildGroup, endProcesses, type GroupExit, type GroupLeader, spawnGroup } from './child-group.js'
export { useCommandHelper } from './command-helper.js'
export { type DetachedStart, reportStarted, reportStartFailure, startDetached } from './detached.js'
export { findExecutable } from './find-executable.js'
export { freePort } from './free-port.js'
export { inputWrapper, wrapperIn } from './input-wrapper.js'
export { loadLibc } from './libc.js'
export { isMarked, withLimitMark } from './limit-mark.js'
export { acquireLock, type Lock } from './lock.js'
export { installedPackage, installPackage, packageCache } from './npm-package.js'
export { graceAfter, onAbort } from './on-abort.js'
export type { ProcessOrigin } from './origin.js'
export { buildTime, EXAMPLES_DIRECTORY, ownProgram, PACKAGE_ROOT } from './own-program.js'
export {
  bootTime,
  notePeer,
  type PersonTerminal,
  peerOrigin,
  personTerminals,
  programBehind,
  SESSION_MARK,
  sessionMark,
} from './peer-origin.js'
export { isAlive, processStart, terminalGroups } from './process-info.js'
export { isOwnerGone, ownerState, ownName } from './process-owner.js'
export { foregroundProcesses, processesBelow } from './process-tree.js'
export { type CommandResult, runCommand } from './run-command.js'
export { type ProgramSandbox, runStepCommand, type SandboxObserver, type StepProgram } from './run-step-command.js'
export { noteStartProgress, readStartProgress } from './start-progress.js'
export {
  findMarkedProcesses,
  isOfStep,
  isOfStepOfRun,
  type MarkedProcess,
  markedProcesses,
  STEP_MARK,
} from './step-mark.js'
export { readsTerminal } from './terminal-facts.js'
