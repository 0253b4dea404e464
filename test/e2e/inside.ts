import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type CommandRun, endQuietly, ROOT, type RunOptions, type SessionInfo, TestHome, waitFor } from './harness.js'

type Main = (argv: readonly string[], context: object) => Promise<number>

let loaded: Promise<Main> | null = null

/**
 * Runs one command line of the built program in this process, through the same entry point, with
 * the given streams, environment and directory. It saves the second that a process takes to start,
 * where the process of the command is not what the test is about.
 */
export async function inside(
  home: TestHome,
  args: readonly string[],
  { env = {}, cwd = home.work }: Pick<RunOptions, 'env' | 'cwd'> = {},
): Promise<CommandRun> {
  loaded ??= import(pathToFileURL(join(ROOT, 'dist', 'cli', 'main.js')).href).then(({ main }) => main as Main)
  const run = await loaded
  for (const stream of [process.stdout, process.stderr]) stream.setMaxListeners(0)
  const said: { out: Buffer[]; err: string } = { out: [], err: '' }
  const print = (text: string | Uint8Array) => void said.out.push(Buffer.from(text))
  const code = await run(args, {
    env: { ...home.env, ...env },
    cwd,
    isInteractive: false,
    isOutputTty: false,
    columns: 80,
    out: (line: string) => print(`${line}\n`),
    write: print,
    note: (line: string) => {
      said.err += `${line}\n`
    },
    progress: () => undefined,
    json: (value: unknown) => print(`${JSON.stringify(value)}\n`),
    style: (_: string, text: string) => text,
  })
  const bytes = Buffer.concat(said.out)
  return { code, signal: null, stdout: bytes.toString(), stderr: said.err, bytes }
}

/**
 * A home whose commands run in this process. Commands with an input and those that another program
 * runs are still separate processes, as are the daemon, the keeper, agents and hooks.
 */
export class InsideHome extends TestHome {
  override run(args: readonly string[], options: RunOptions = {}): Promise<CommandRun> {
    if (options.input !== undefined || options.through) return super.run(args, options)
    return inside(this, args, options)
  }

  /** Ends all sessions and empties the project for the next test. The ledger is not cleared. */
  async clear(): Promise<void> {
    const live = await this.json<SessionInfo[]>(['sessions', '--json'])
    for (const { pid } of live) endQuietly(pid)
    await waitFor('every session to end', async () => (await this.json<object[]>(['sessions', '--json'])).length === 0)
    for (const name of readdirSync(this.work)) rmSync(join(this.work, name), { recursive: true, force: true })
  }
}
