import { readFileSync, readlinkSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { isPlainShell, isSpawningWrapper, type Job, jobNames, shownCommand } from '../panes/index.js'
import { foregroundProcesses, ownProgram, processesBelow, terminalGroups } from '../process/index.js'
import type { Redactor } from '../text/index.js'

export type AgentPrograms = ReadonlyMap<string, string>

/** What runs in the terminal's foreground. `fallback`: the name if nothing is shown. */
export function readJob(
  pid: number,
  fallback: string,
  options: { programs: AgentPrograms; redactor: Redactor; commandMax: number },
): Job {
  const { foreground, words: found, wrapper } = programOf(pid)
  const words = found ?? (fallback === '' ? [] : [fallback])
  const names = [...new Set([...jobNames(words), ...jobNames(wrapper)])]
  const name = names[0] ?? (fallback === '' ? null : fallback)
  // An agent may rename its process: the name that the system shows counts as well as its command
  // line.
  const agent = [name, fallback].map(word => (word === null ? undefined : options.programs.get(word))).find(Boolean)
  return {
    name: agent !== undefined && name !== null && !options.programs.has(name) ? fallback : name,
    names,
    pid: foreground,
    commandLine: shownCommand(words, options.redactor, options.commandMax),
    isShell: isPlainShell(words),
    agent: agent ?? null,
  }
}

/**
 * The program that owns the terminal of this process: the leader of the foreground group. If the
 * leader has ended, as the first program of a pipeline may, another member of the group counts. If
 * it only waits for the program that it has started (npx, uv run), that program counts.
 */
function programOf(pid: number): { foreground: number; words: string[] | null; wrapper: string[] } {
  const group = terminalGroups(pid)?.foreground ?? -1
  const leader = group > 0 ? group : pid
  const words = wordsOf(leader)
  if (words !== null && !isSpawningWrapper(words)) return { foreground: leader, words, wrapper: [] }
  const member = foregroundProcesses(pid).find(other => other !== leader && wordsOf(other) !== null)
  if (member !== undefined) return { foreground: member, words: wordsOf(member), wrapper: words ?? [] }
  return { foreground: leader, words: words ?? wordsOf(pid), wrapper: [] }
}

const OWN_PROGRAM = ownProgram('cli')

/**
 * Signalbox itself in a person's pane: the cockpit, an attached session, a question of `approve`.
 * What it shows is already listed, and a dialog in its preview is not asked by this pane. It may
 * run below another program (`bash -c signalbox`, `script`), but a `signalbox` that an agent has
 * started is a tool of that agent, and what runs in the background is not on the screen.
 */
export function isOwnSurface(pid: number, job: Pick<Job, 'isShell' | 'agent'>): boolean {
  const group = terminalGroups(pid)?.foreground ?? -1
  if (isOwnCommand(group > 0 ? group : pid)) return true
  return !job.isShell && job.agent === null && processesBelow(pid).some(each => isOwnCommand(each) && isShown(each))
}

function isOwnCommand(pid: number): boolean {
  const [first = '', second = ''] = wordsOf(pid) ?? []
  return [first, second].some(word => /(?:^|\/)signalbox$/.test(word) || isOwnProgram(pid, word))
}

/** It is in the foreground of its terminal. */
function isShown(pid: number): boolean {
  const groups = terminalGroups(pid)
  return groups !== null && groups.own === groups.foreground
}

/** The script may be named by a path relative to where it was started. */
function isOwnProgram(pid: number, word: string): boolean {
  if (basename(word) !== basename(OWN_PROGRAM)) return false
  try {
    return resolve(readlinkSync(`/proc/${pid}/cwd`), word) === OWN_PROGRAM
  } catch {
    return word === OWN_PROGRAM
  }
}

/** A process's arguments; null if unknown. Renamed programs have one long argument. */
function wordsOf(pid: number): string[] | null {
  try {
    const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
    while (words.at(-1) === '') words.pop()
    return words.length === 0 ? null : words.length === 1 ? words[0]!.trim().split(/\s+/) : words
  } catch {
    return null
  }
}
