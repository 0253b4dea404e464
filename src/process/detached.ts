import { spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'

/** Starts one of our own programs so that it outlives this process: own session, no terminal, output to a log file (0600). */
export function startDetached(script: string, args: readonly string[], options: { logFile: string; cwd: string; env: NodeJS.ProcessEnv }): number {
  const log = openSync(options.logFile, 'a', 0o600)
  try {
    const child = spawn(process.execPath, [script, ...args], {
      cwd: options.cwd,
      env: options.env,
      detached: true,
      stdio: ['ignore', log, log],
    })
    child.on('error', () => undefined) // the caller notices that nothing answers, and says so with the log's path
    child.unref()
    return child.pid ?? -1
  } finally {
    closeSync(log)
  }
}
