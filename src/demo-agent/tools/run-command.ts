import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { StringDecoder } from 'node:string_decoder'

export interface RunningCommand {
  pid: number
  ended: Promise<{ exitCode: number }>
  /** Ends the command and all processes that it started. */
  kill(): void
}

/** Variables that would make a test runner or a tool believe that it runs inside ours. */
const UNSET = ['NODE_OPTIONS', 'NODE_TEST_CONTEXT', 'VITEST', 'VITEST_POOL_ID', 'VITEST_WORKER_ID', 'FORCE_COLOR']

/** Starts a command in its own process group: a text through `sh -c`, a list directly. */
export function startCommand(
  command: string | string[],
  cwd: string,
  onOutput: (chunk: string) => void,
): RunningCommand {
  const [file = 'sh', ...args] = Array.isArray(command) ? command : ['sh', '-c', command]
  const env: NodeJS.ProcessEnv = { ...process.env, NO_COLOR: '1', CI: '1' }
  for (const name of UNSET) delete env[name]
  const child = spawn(file, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  for (const pipe of [child.stdout, child.stderr]) {
    const decoder = new StringDecoder('utf8')
    pipe.on('data', (bytes: Buffer) => onOutput(decoder.write(bytes)))
  }
  const ended = new Promise<{ exitCode: number }>(resolve => {
    child.on('error', error => {
      onOutput(`${error.message}\n`)
      resolve({ exitCode: 127 })
    })
    child.on('close', (code, signal) => resolve({ exitCode: code ?? 128 + (signal ? constants.signals[signal] : 0) }))
  })
  const kill = () => {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
    try {
      process.kill(-child.pid, 'SIGTERM')
    } catch {
      child.kill('SIGKILL')
    }
  }
  return { pid: child.pid ?? -1, ended, kill }
}
