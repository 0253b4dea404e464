import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type CommandRun, ROOT, type RunOptions, type TestHome } from './harness.js'

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
  const said = { out: '', err: '' }
  const code = await run(args, {
    env: { ...home.env, ...env },
    cwd,
    isInteractive: false,
    isOutputTty: false,
    columns: 80,
    out: (line: string) => {
      said.out += `${line}\n`
    },
    write: (text: string | Uint8Array) => {
      said.out += typeof text === 'string' ? text : Buffer.from(text).toString()
    },
    note: (line: string) => {
      said.err += `${line}\n`
    },
    json: (value: unknown) => {
      said.out += `${JSON.stringify(value)}\n`
    },
    style: (_: string, text: string) => text,
  })
  return { code, signal: null, stdout: said.out, stderr: said.err, bytes: Buffer.from(said.out) }
}
