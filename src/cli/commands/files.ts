import { createWriteStream } from 'node:fs'
import { readFile, rm, stat } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { EXIT, SignalboxError } from '../../errors/index.js'
import type { Uploaded } from '../../server/index.js'
import type { CommandContext } from '../context.js'
import { DaemonClient } from '../daemon-client.js'
import { unknownAction } from '../parse-options.js'
import type { InputOf } from '../specs/index.js'

type Options = InputOf<'files'>['options']

export async function run(context: CommandContext, { args, options }: InputOf<'files'>): Promise<number> {
  const { action, id, paths } = args
  const session = `/sessions/${encodeURIComponent(id)}`
  if (action === 'put') return put(context, session, paths, options)
  if (action === 'get') return get(context, session, paths, options)
  throw unknownAction(action, ['put', 'get'])
}

async function put(
  context: CommandContext,
  session: string,
  paths: readonly string[],
  options: Options,
): Promise<number> {
  const form = new FormData()
  for (const path of paths) form.append('file', new Blob([await readInput(resolve(context.cwd, path))]), basename(path))
  const client = await DaemonClient.connect(context)
  const query = options.silent ? '?notify=false' : ''
  const uploaded = await client.upload<Uploaded>(`${session}/uploads${query}`, form)
  const { files, delivery: message } = uploaded
  const isDelivered = !message || ['delivered', 'queued', 'held'].includes(message.result)
  if (options.json) context.json({ session: uploaded.session, files, delivery: message })
  else for (const { path, bytes, type } of files) context.out(`${path}  ${bytes} bytes, ${type}`)
  if (!isDelivered) context.note(`signalbox: the agent did not get the paths: ${message.detail ?? message.result}`)
  return isDelivered ? EXIT.ok : EXIT.failed
}

async function readInput(path: string): Promise<Uint8Array<ArrayBuffer>> {
  try {
    if (!(await stat(path)).isFile()) throw new SignalboxError('E_INPUT', `${path} is not a file`)
    return new Uint8Array(await readFile(path))
  } catch (error) {
    if (error instanceof SignalboxError) throw error
    throw new SignalboxError('E_INPUT', `cannot read ${path}`, { next: 'give an existing file', cause: error })
  }
}

async function get(
  context: CommandContext,
  session: string,
  paths: readonly string[],
  { output, json }: Options,
): Promise<number> {
  const [path, ...more] = paths
  if (!path || more.length > 0)
    throw new SignalboxError('E_INPUT', 'get takes one file', { next: 'signalbox files get <id> <path>' })
  const client = await DaemonClient.connect(context)
  const body = await client.download(`${session}/files?path=${encodeURIComponent(path)}`)
  if (output === '-') {
    for await (const chunk of body) context.write(chunk as Buffer)
    return EXIT.ok
  }
  const target = resolve(context.cwd, output ?? basename(path))
  // An existing file is replaced only if the person names it.
  const flags = output === undefined ? 'wx' : 'w'
  try {
    await pipeline(body, createWriteStream(target, { flags }))
  } catch (error) {
    body.destroy()
    if ((error as NodeJS.ErrnoException).code === 'EEXIST')
      throw new SignalboxError('E_INPUT', `${target} already exists`, {
        next: 'name the target with --output',
        cause: error,
      })
    if (flags === 'wx') await rm(target, { force: true })
    throw error
  }
  if (json) context.json({ path: target })
  else context.out(target)
  return EXIT.ok
}
