import { runStepCommand } from '../../process/index.js'
import type { NodeContext } from '../node.js'
import type { ReviewItem } from '../review-object.js'

export interface CheckResult {
  command: string
  exit: string
  output: string
  isOk: boolean
}

const TIMEOUT_MS = 600_000
const OUTPUT_MAX = 20_000

/** Runs the commands of the profile one after the other, in the worktree. */
export async function runChecks({ args, cwd, services, call }: NodeContext): Promise<CheckResult[]> {
  const results: CheckResult[] = []
  for (const [file, ...rest] of args.profile.checks) {
    if (file === undefined || call.signal.aborted) break
    const command = [file, ...rest].join(' ')
    try {
      const done = await runStepCommand(file, rest, {
        cwd,
        env: services.environment(cwd),
        mark: call.name,
        signal: call.signal,
        timeoutMs: TIMEOUT_MS,
        maxBytes: OUTPUT_MAX,
        clock: services.clock,
        inSandbox: services.inSandbox && (program => services.inSandbox!(call, program)),
      })
      const output = services.redactor.redact(`${done.stdout}${done.stderr}`).slice(-OUTPUT_MAX)
      const exit = done.signal ? `killed by ${done.signal}` : `exit ${done.code}`
      results.push({ command, exit, output, isOk: done.code === 0 })
    } catch (error) {
      results.push({ command, exit: 'could not be started', output: (error as Error).message, isOk: false })
    }
  }
  return results
}

/** A failing check is a finding that no Reviewer can overrule. */
export function findingsOf(checks: readonly CheckResult[]): Omit<ReviewItem, 'number'>[] {
  return checks
    .filter(({ isOk }) => !isOk)
    .map(({ command, exit, output }) => ({
      severity: 'major' as const,
      file: '',
      line: null,
      title: `The check fails: ${command}`,
      issue: `${exit}\n${output.slice(-2_000)}`,
      why: 'The profile requires this command to succeed.',
      fix: 'Make it succeed.',
    }))
}
