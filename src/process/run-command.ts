import { spawn } from 'node:child_process'

export interface CommandResult {
  code: number | null
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
}

/** Runs a program to its end with an argument array, no shell, no input unless given. Rejects only when it could not be started. */
export function runCommand(
  file: string,
  args: readonly string[],
  options: { cwd: string; env?: NodeJS.ProcessEnv; input?: string; timeoutMs?: number; maxBytes?: number } = { cwd: '/' },
): Promise<CommandResult> {
  const maxBytes = options.maxBytes ?? 16 * 1024 * 1024
  return new Promise((resolve, reject) => {
    const child = spawn(file, [...args], {
      cwd: options.cwd,
      env: options.env ?? process.env,
      stdio: [options.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      timeout: options.timeoutMs,
      killSignal: 'SIGKILL',
    })
    const out = collect(child.stdout!, maxBytes)
    const err = collect(child.stderr!, maxBytes)
    child.on('error', reject)
    child.on('close', (code, signal) => resolve({ code, signal, stdout: out(), stderr: err() }))
    if (options.input !== undefined) {
      child.stdin!.on('error', () => undefined) // a program may leave before it has read everything; its exit code tells
      child.stdin!.end(options.input)
    }
  })
}

/** Gathers a stream up to a limit; what lies beyond is read and dropped, so that the program is never blocked. */
function collect(stream: NodeJS.ReadableStream, maxBytes: number): () => string {
  const chunks: Buffer[] = []
  let size = 0
  stream.on('data', (chunk: Buffer) => {
    if (size < maxBytes) chunks.push(chunk.subarray(0, maxBytes - size))
    size += chunk.length
  })
  return () => Buffer.concat(chunks).toString('utf8')
}
