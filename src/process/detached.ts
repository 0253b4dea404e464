import { spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'

export interface DetachedStart {
  readonly pid: number
  /**
   * Resolves when the program ends while this process still runs: with the value of
   * `reportStartFailure`, or null without one. It stays pending while the program runs.
   */
  readonly ended: Promise<unknown>
}

/**
 * Starts one of our own programs so that it outlives this process: own session, no terminal, output
 * to a log file (0600). Commands inside of a session or a step do not call it: what they start
 * would carry the mark of an agent.
 */
export function startDetached(
  script: string,
  args: readonly string[],
  options: { logFile: string; cwd: string; env: NodeJS.ProcessEnv },
): DetachedStart {
  const log = openSync(options.logFile, 'a', 0o600)
  try {
    const child = spawn(process.execPath, [script, ...args], {
      cwd: options.cwd,
      env: options.env,
      detached: true,
      stdio: ['ignore', log, log, 'ipc'],
    })
    const ended = new Promise<unknown>(resolve => {
      let failure: unknown = null
      child.on('message', message => {
        failure = message
      })
      child.on('error', error => resolve({ message: error.message }))
      child.on('exit', () => resolve(failure))
    })
    child.unref()
    child.channel?.unref()
    return { pid: child.pid ?? -1, ended }
  } finally {
    closeSync(log)
  }
}

/**
 * In a program started by `startDetached`: reports why it ends before it was ready. Without a
 * listener it does nothing.
 */
export async function reportStartFailure(failure: object): Promise<void> {
  if (!process.send) return
  await new Promise<void>(resolve => process.send!(failure, undefined, undefined, () => resolve()))
  process.disconnect?.()
}

/** In a program started by `startDetached`: it is ready and no longer needs its starter. */
export function reportStarted(): void {
  if (process.connected) process.disconnect()
}
