import { readFileSync } from 'node:fs'
import { isPlainShell, type Job, jobName, shownCommand } from '../panes/index.js'
import { ownProgram, terminalGroups } from '../process/index.js'
import type { Redactor } from '../text/index.js'

export type AgentPrograms = ReadonlyMap<string, string>

/** What runs in the terminal's foreground. `fallback`: the name if nothing is shown. */
export function readJob(
  pid: number,
  fallback: string,
  options: { programs: AgentPrograms; redactor: Redactor; commandMax: number },
): Job {
  const group = terminalGroups(pid)?.foreground ?? -1
  const foreground = group > 0 ? group : pid
  const words = wordsOf(foreground) ?? wordsOf(pid) ?? (fallback === '' ? [] : [fallback])
  const name = jobName(words) ?? (fallback === '' ? null : fallback)
  // An agent may rename its process: the name that the system shows counts as well as its command
  // line.
  const agent = [name, fallback].map(word => (word === null ? undefined : options.programs.get(word))).find(Boolean)
  return {
    name: agent !== undefined && name !== null && !options.programs.has(name) ? fallback : name,
    pid: foreground,
    commandLine: shownCommand(words, options.redactor, options.commandMax),
    isShell: isPlainShell(words),
    agent: agent ?? null,
  }
}

const OWN_PROGRAM = ownProgram('cli')
const OWN_SURFACES: ReadonlySet<string> = new Set(['watch', 'attach'])

/** One of our own surfaces in a person's pane: what it shows is already listed. */
export function isOwnSurface(pid: number): boolean {
  const group = terminalGroups(pid)?.foreground ?? -1
  const words = wordsOf(group > 0 ? group : pid) ?? []
  const at = words.findIndex(word => word === OWN_PROGRAM || /(?:^|\/)signalbox$/.test(word))
  return at >= 0 && OWN_SURFACES.has(words[at + 1] ?? '')
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
