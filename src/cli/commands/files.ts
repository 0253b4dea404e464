import { createWriteStream } from 'node:fs'
import { readFile, rm, stat } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { EXIT, SignalboxError } from '../../errors/index.js'
import type { Uploaded } from '../../server/index.js'
import type { CommandContext } from '../context.js'
import { DaemonClient } from '../daemon-client.js'
import type { CommandInput } from '../specs/command-spec.js'

export async function run(context: CommandContext, { args, options }: CommandInput): Promise<number> {
  const paths = args.paths as string[]
  const place = `/sessions/${encodeURIComponent(String(args.id))}`
  if (args.action === 'put') return put(context, place, paths, options)
  if (args.action === 'get') return get(context, place, paths, options)
  throw new SignalboxError('E_INPUT', `"${String(args.action)}" is no action of files`, { next: 'put or get' })
}

async function put(
  context: CommandContext,
  place: string,
  paths: readonly string[],
  options: CommandInput['options'],
): Promise<number> {
  const form = new FormData()
  for (const path of paths) form.append('file', new Blob([await readInput(resolve(context.cwd, path))]), basename(path))
  const client = await DaemonClient.connect(context)
  const query = options.silent ? '?tell=false' : ''
  const { session, files, told } = await client.upload<Uploaded>(`${place}/uploads${query}`, form)
  const isTold = !told || ['delivered', 'queued', 'held'].includes(told.result)
  if (options.json) context.json({ session, files, told })
  else for (const { path, bytes, type } of files) context.out(`${path}  ${bytes} bytes, ${type}`)
  if (!isTold) context.note(`signalbox: the agent was not told: ${told.detail ?? told.result}`)
  return isTold ? EXIT.ok : EXIT.failed
}

async function readInput(path: string): Promise<Uint8Array<ArrayBuffer>> {
  try {
    if (!(await stat(path)).isFile()) throw new SignalboxError('E_INPUT', `${path} is no file`)
    return new Uint8Array(await readFile(path))
  } catch (error) {
    if (error instanceof SignalboxError) throw error
    throw new SignalboxError('E_INPUT', `${path} cannot be read`, { next: 'give an existing file', cause: error })
  }
}

async function get(
  context: CommandContext,
  place: string,
  paths: readonly string[],
  options: CommandInput['options'],
): Promise<number> {
  const [path, ...more] = paths
  if (!path || more.length > 0)
    throw new SignalboxError('E_INPUT', 'one file at a time', { next: 'files get <id> <path>' })
  const client = await DaemonClient.connect(context)
  const body = await client.download(`${place}/files?path=${encodeURIComponent(path)}`)
  if (options.output === '-') {
    for await (const chunk of body) context.write(chunk as Buffer)
    return EXIT.ok
  }
  const target = resolve(context.cwd, (options.output as string | undefined) ?? basename(path))
  // An existing file is the person's: it is replaced only where they name it.
  const flags = options.output === undefined ? 'wx' : 'w'
  try {
    await pipeline(body, createWriteStream(target, { flags }))
  } catch (error) {
    body.destroy()
    if ((error as NodeJS.ErrnoException).code === 'EEXIST')
      throw new SignalboxError('E_INPUT', `${target} exists already`, { next: 'say where with --output', cause: error })
    if (flags === 'wx') await rm(target, { force: true })
    throw error
  }
  if (options.json) context.json({ path: target })
  else context.out(target)
  return EXIT.ok
}
