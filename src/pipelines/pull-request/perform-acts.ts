import { newEvent } from '../../events/index.js'
import type { Forge, Pull, PullView } from '../forges/forge.js'
import type { NodeContext } from '../node.js'
import { type Act, actsPayload, answeredKeys, markerOf } from './acts.js'
import { pushBranch } from './push-branch.js'

/**
 * The acts of a request as it was shown: they are read from the ledger, so that nothing else is
 * done than what was decided.
 */
export async function decidedActs({ services, reply }: NodeContext): Promise<Act[]> {
  const record = await services.store.document<{ request: { input: unknown } }>('approvals', reply!.approval)
  return actsPayload.parse(record?.state.request.input).acts
}

/**
 * Performs acts in their order. A step may be repeated after a crash or a rate limit, at any act:
 * what is already there is found and not done again.
 */
export async function performActs(context: NodeContext, forge: Forge, acts: readonly Act[]): Promise<Pull | null> {
  const { state, call } = context
  let pull: Pull | null = null
  let view: PullView | null = null
  const number = () => pull?.number ?? state.pull!.number
  const seen = async () => (view ??= await forge.view(number()))
  const done = (act: Act['act'], on: string, isFound: boolean) =>
    call.record(newEvent('act.performed', { act, on, isFound, step: call.step }))
  for (const act of acts) {
    call.signal.throwIfAborted()
    switch (act.act) {
      case 'push':
        done('push', act.branch, await pushBranch(context, act))
        break
      case 'open': {
        const found = await forge.find(act.branch)
        pull = found?.state === 'open' ? found : await forge.open(act)
        done('open', pull.url, found?.state === 'open')
        break
      }
      case 'comment': {
        const { threads, comments } = await seen()
        const bodies = [...threads.flatMap(thread => thread.comments), ...comments].map(({ body }) => body)
        const isFound = answeredKeys(bodies).has(act.key)
        const body = `${act.body}\n\n${markerOf(call.run, act.key)}`
        if (!isFound && act.thread !== null) await forge.reply(number(), act.thread, body)
        else if (!isFound) await forge.comment(number(), body)
        done('comment', act.key, isFound)
        break
      }
      case 'resolve': {
        const thread = (await seen()).threads.find(({ id }) => id === act.thread)
        const isFound = thread === undefined || thread.isResolved
        if (!isFound) await forge.resolve(number(), act.thread)
        done('resolve', act.thread, isFound)
        break
      }
      case 'merge': {
        const isFound = (await forge.get(number())).state === 'merged'
        if (!isFound) await forge.merge(number(), act.head, act.method)
        done('merge', act.head, isFound)
      }
    }
  }
  return pull
}
