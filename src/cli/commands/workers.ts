import { EXIT, SignalboxError } from '../../errors/index.js'
import type { InMilliseconds, Worker, WorkerInvite } from '../../server/index.js'
import { plural } from '../../text/index.js'
import { CLOCK_OFFSET_MAX_MS } from '../../workers/index.js'
import type { CommandContext } from '../context.js'
import { DaemonClient } from '../daemon-client.js'
import { parseDuration, parsePairs } from '../parse-options.js'
import type { InputOf } from '../specs/index.js'

type Input = InputOf<'workers'>
type ListedWorker = InMilliseconds<Worker>

export async function run(context: CommandContext, { args, options }: Input): Promise<number> {
  const { action } = args
  const client = await DaemonClient.connect(context)
  if (action === undefined) return list(context, client, options)
  if (action === 'invite') return invite(context, client, options)
  if (args.worker === undefined)
    throw new SignalboxError('E_INPUT', `workers ${action} needs the name of a worker`, {
      next: 'signalbox workers lists them',
    })
  const path = `/workers/${encodeURIComponent(args.worker)}`
  switch (action) {
    case 'show':
      return show(context, await findWorker(client, args.worker), options)
    case 'drain':
    case 'ready':
      return show(
        context,
        await client.post(`${path}/drain`, {
          isDraining: action === 'drain',
          isMoving: options.move === true,
        }),
        options,
      )
    case 'lost':
      return show(context, await client.post(`${path}/lost`), options)
    case 'remove':
      await client.delete(path)
      if (options.json) context.json({ removed: args.worker })
      else context.out(`removed ${args.worker}`)
      return EXIT.ok
    default:
      throw new SignalboxError('E_INPUT', `unknown action "${action}"`, { next: 'signalbox workers --help' })
  }
}

async function list(context: CommandContext, client: DaemonClient, { json }: Input['options']): Promise<number> {
  const { items } = await client.get<{ items: ListedWorker[] }>('/workers')
  if (json) context.json({ items })
  else if (items.length === 0) context.out('no workers; signalbox workers invite makes a link for one')
  for (const worker of json ? [] : items) context.out(describe(worker))
  return EXIT.ok
}

async function findWorker(client: DaemonClient, word: string): Promise<ListedWorker> {
  const { items } = await client.get<{ items: ListedWorker[] }>('/workers')
  const found = items.find(({ id, name }) => id === word || name === word)
  if (found) return found
  throw new SignalboxError('E_UNKNOWN', `unknown worker "${word}"`, { next: 'signalbox workers lists them' })
}

function show(context: CommandContext, worker: ListedWorker, { json }: Input['options']): number {
  if (json) context.json(worker)
  else {
    context.out(describe(worker))
    for (const id of [...worker.runs, ...worker.sessions]) context.out(`  ${id}`)
  }
  return EXIT.ok
}

function describe(worker: ListedWorker): string {
  const { name, pool, labels, state, isConnected, isDraining, isFull, steps, maxSteps, runs, sessions, maxSessions } =
    worker
  const isSkewed = Math.abs(worker.clockOffsetMs) > CLOCK_OFFSET_MAX_MS
  const off = `${Math.round(worker.clockOffsetMs / 1000)} s`
  const shown = state === 'ready' && !isConnected ? 'away' : state
  const words = [
    `${shown}${isDraining ? ', draining' : ''}${isFull ? ', disk full' : ''}${isSkewed ? `, clock off by ${off}` : ''}`,
    `pool ${pool}`,
    ...Object.entries(labels).map(([key, value]) => `${key}=${value}`),
    `${steps} of ${maxSteps} steps`,
    plural(runs.length, 'run'),
    `${sessions.length} of ${maxSessions} sessions`,
  ]
  return `${name.padEnd(16)} ${words.join(' · ')}`
}

async function invite(
  context: CommandContext,
  client: DaemonClient,
  { pool, label, valid, json }: Input['options'],
): Promise<number> {
  const made = await client.post<InMilliseconds<WorkerInvite>>('/workers/invite', {
    ...(pool !== undefined && { pool }),
    labels: parsePairs('--label', label),
    ...(valid !== undefined && { validMs: parseDuration('--valid', valid) }),
  })
  if (json) context.json(made)
  else {
    context.out(`signalbox worker join "${made.link}"`)
    const compare = 'signalbox worker join shows the fingerprint of the server there: it must be'
    if (made.fingerprint !== null) context.out(context.style('dim', `${compare} ${made.fingerprint}`))
    context.out(context.style('dim', 'The link works once, on the machine that will be the worker.'))
  }
  return EXIT.ok
}
