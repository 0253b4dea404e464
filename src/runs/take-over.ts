import { existsSync } from 'node:fs'
import { childrenOf, getRun, graphWorkflow, isEnded, type RunRecord, readRun, runStream } from '../engine/index.js'
import { SignalboxError } from '../errors/index.js'
import { newEvent } from '../events/index.js'
import { ownerState } from '../process/index.js'
import type { EventStore } from '../store/index.js'
import { driverLabel, type StartContext } from './start-context.js'

type RunLink = Pick<RunRecord, 'id' | 'kind' | 'parent'>

/**
 * Makes the daemon drive a run that was started in a terminal, together with the runs that started
 * it and those that it started: one process drives them all, and none does at this moment.
 * @throws SignalboxError `E_STATE` if only a terminal can continue it.
 */
export async function takeOver(
  context: Pick<StartContext, 'store' | 'home'>,
  record: RunLink,
  by: string,
): Promise<void> {
  const { store } = context
  await requireTakeOver(store, record)
  const labels = driverLabel(context, 'daemon')
  const root = await rootOf(store, record)
  for (const { id } of [root, ...(await openDescendants(store, root.id))])
    await store.append(runStream(id), 'any', [newEvent('run.taken-over', { labels, by })])
}

/** @throws SignalboxError `E_STATE` if only a terminal can continue the run. */
export async function requireTakeOver(store: EventStore, record: RunLink): Promise<void> {
  const root = await rootOf(store, record)
  const obstacle = await obstacleOf(store, root)
  if (obstacle !== null)
    throw new SignalboxError('E_STATE', obstacle, {
      next: `continue it in a terminal: signalbox resume ${root.id}`,
    })
}

/** Whether the daemon continues the run once its gate is answered. */
export async function continuesInDaemon(
  { store, home }: Pick<StartContext, 'store' | 'home'>,
  record: RunLink,
): Promise<boolean> {
  if (!home.loaded.config.runs.continue_answered) return false
  return (await obstacleOf(store, await rootOf(store, record))) === null
}

async function obstacleOf(store: EventStore, root: RunLink): Promise<string | null> {
  if (await hasUserModule(store, root)) return 'the run uses a module of your own, which the daemon does not run'
  // Its files are there.
  if (store.isShared && (await isOfOtherMachine(store, root)))
    return 'the run was started in a terminal of another machine'
  return null
}

/** @throws SignalboxError `E_CONFIG` */
export function requireDirectory({ id, cwd }: Pick<RunRecord, 'id' | 'cwd'>): void {
  if (!existsSync(cwd))
    throw new SignalboxError('E_CONFIG', `the directory of run ${id} is gone: ${cwd}`, {
      next: 'restore it, or start a new run',
    })
}

async function hasUserModule(store: EventStore, { id, kind }: RunLink): Promise<boolean> {
  if (kind !== 'graph') return false
  return (await readRun(store, id, graphWorkflow)).run.work.input.handlers !== undefined
}

async function isOfOtherMachine(store: EventStore, { id }: RunLink): Promise<boolean> {
  const started = (await store.readStream(runStream(id))).findLast(({ type }) => type === 'run.started')
  return ownerState(String(started?.data.host)) === 'unknown'
}

async function rootOf(store: EventStore, record: RunLink): Promise<RunLink> {
  const parent = record.parent === null ? null : await getRun(store, record.parent)
  return parent === null || isEnded(parent.status) ? record : rootOf(store, parent)
}

async function openDescendants(store: EventStore, id: string): Promise<RunLink[]> {
  const children = (await childrenOf(store, id)).filter(({ status }) => !isEnded(status))
  return [...children, ...(await Promise.all(children.map(child => openDescendants(store, child.id)))).flat()]
}
