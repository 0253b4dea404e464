import { entriesOf, statFields, textOf } from './proc-files.js'

/** A program that asks a question has fewer processes and threads. */
const PROCESSES_MAX = 200
export const THREADS_MAX = 64

/** The process group of a process, its terminal, and the foreground group of that terminal. */
interface ProcessGroups {
  own: number
  terminal: number
  group: number
}

export function groupsOf(fields: readonly string[]): ProcessGroups {
  return { own: Number(fields[2]), terminal: Number(fields[4]), group: Number(fields[5]) }
}

/**
 * A process and its descendants. Without the kernel's list of children only the process itself and
 * the leader of its group are known.
 */
export function treeOf(pid: number): { pids: number[]; isComplete: boolean } {
  const pids = [pid]
  let isComplete = true
  for (let at = 0; at < pids.length && pids.length < PROCESSES_MAX; at++) {
    for (const thread of (entriesOf(`/proc/${pids[at]}/task`) ?? []).slice(0, THREADS_MAX)) {
      const children = textOf(`/proc/${pids[at]}/task/${thread}/children`)
      if (children === null) isComplete &&= statFields(pids[at]!) === null
      else pids.push(...children.split(' ').filter(Boolean).map(Number))
    }
  }
  const first = groupsOf(statFields(pid) ?? []).group
  if (!pids.includes(first) && first > 0) pids.push(first)
  return { pids, isComplete: isComplete && pids.length < PROCESSES_MAX }
}

/** The processes of a group among these. Those that have ended are left out. */
export function groupMembers(pids: readonly number[], group: number): number[] {
  return pids.filter(pid => {
    const fields = statFields(pid)
    return fields !== null && fields[0] !== 'Z' && groupsOf(fields).own === group
  })
}

/**
 * The processes that own the terminal of a process: the group in its foreground, as far as it
 * descends from the process, parents first.
 */
export function foregroundProcesses(pid: number): number[] {
  const fields = statFields(pid)
  return fields === null ? [] : groupMembers(treeOf(pid).pids, groupsOf(fields).group)
}

/** The processes that a process has started, and those that they have started. */
export function processesBelow(pid: number): number[] {
  return treeOf(pid).pids.slice(1)
}
