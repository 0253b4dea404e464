import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type CommandRun, endQuietly, ROOT, type RunOptions, type SessionInfo, TestHome, waitFor } from './harness.js'

type Main = (argv: readonly string[], context: object) => Promise<number>

let loaded: Promise<Main> | null = null

/**
 * One command line of the built program, run in this process: the same entry point, with its streams, environment and directory given to
 * it. For commands whose own process is not what is tested, which saves the second that a process takes to begin.
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
    json: (value: unknown) => print(`${JSON.stringify(value)}\n`),
    style: (_: string, text: string) => text,
  })
  const bytes = Buffer.concat(said.out)
  return { code, signal: null, stdout: bytes.toString(), stderr: said.err, bytes }
}

/**
 * A home whose commands run in this process. Those that are given an input, or are run through another program, still have one of their
 * own, as has what runs on its own: the daemon, the keeper, agents, hooks.
 */
export class InsideHome extends TestHome {
  override run(args: readonly string[], options: RunOptions = {}): Promise<CommandRun> {
    if (options.input !== undefined || options.through) return super.run(args, options)
    return inside(this, args, options)
  }

  /** For the next test on this home: no session runs, and its project is empty. What the ledger remembers stays. */
  async clear(): Promise<void> {
    const live = await this.json<SessionInfo[]>(['sessions', '--json'])
    for (const { pid } of live) endQuietly(pid)
    await waitFor(
      'every session to be over',
      async () => (await this.json<object[]>(['sessions', '--json'])).length === 0,
    )
    for (const name of readdirSync(this.work)) rmSync(join(this.work, name), { recursive: true, force: true })
  }
}
