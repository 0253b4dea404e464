import { delay, systemClock } from '../../clock/index.js'
import { runCommand } from '../../process/index.js'
import type { TrackerServices } from './tracker.js'

const TIMEOUT_MS = 30_000

/** Tracker services with real programs, HTTP and time. */
export function trackerServices(env: Readonly<Record<string, string | undefined>>, cwd: string): TrackerServices {
  return {
    env,
    cwd,
    run: (file, args) => runCommand(file, [...args], { cwd, env: env as NodeJS.ProcessEnv, timeoutMs: TIMEOUT_MS }),
    request: async (url, options) => {
      const answer = await fetch(url, { ...options, signal: AbortSignal.timeout(TIMEOUT_MS), redirect: 'error' })
      return { status: answer.status, text: await answer.text() }
    },
    pause: ms => delay(systemClock, ms),
  }
}
