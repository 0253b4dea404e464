import { SignalboxError } from '../errors/index.js'
import { ownProgram, runCommand } from '../process/index.js'
import type { Launch } from '../schedules/index.js'

/** It only starts work; what it starts is driven by the daemon. */
const START_TIMEOUT_MS = 10 * 60_000
const PROBLEM_MAX = 500

/** These commands drive their run themselves unless an option prevents it. */
const DRIVING: readonly string[] = ['oneshot', 'run', 'implement', 'review']

/** Starts the command of a schedule as its person would: with the program of this daemon. */
export function launchScheduled(env: NodeJS.ProcessEnv): Launch {
  return async ({ command, directory }) => {
    const [name = ''] = command
    const isDriving = DRIVING.includes(name) && !command.includes('--detach')
    // Options come before a `--`, which ends them.
    const end = command.includes('--') ? command.indexOf('--') : command.length
    const args = [...command.slice(0, end), ...(isDriving ? ['--detach'] : []), '--json', ...command.slice(end)]
    const { code, stdout, stderr } = await runCommand(process.execPath, [ownProgram('cli'), ...args], {
      cwd: directory,
      env,
      timeoutMs: START_TIMEOUT_MS,
    })
    const printed = firstJson(stdout)
    if (code !== 0) throw new SignalboxError('E_STATE', problemOf(firstJson(stderr) ?? printed, stderr, code))
    const { run, id } = printed ?? {}
    if (typeof run === 'string') return { run }
    return name === 'start' && typeof id === 'string' ? { session: id } : {}
  }
}

function firstJson(text: string): Record<string, unknown> | null {
  for (const line of text.split('\n')) {
    try {
      const value: unknown = JSON.parse(line)
      if (typeof value === 'object' && value !== null) return value as Record<string, unknown>
    } catch {
      // A notice for people.
    }
  }
  return null
}

function problemOf(printed: Record<string, unknown> | null, stderr: string, code: number | null): string {
  const error = printed?.error as { message?: unknown; next?: unknown } | undefined
  const problem = typeof error?.message === 'string' ? error.message : stderr.trim().split('\n').at(-1)
  const next = typeof error?.next === 'string' ? ` – ${error.next}` : ''
  return `${problem || `the command exited with code ${code}`}${next}`.slice(0, PROBLEM_MAX)
}
