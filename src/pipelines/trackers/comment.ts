import { toSignalboxError } from '../../errors/index.js'
import { newEvent } from '../../events/index.js'
import type { NewEvent } from '../../store/index.js'
import type { NodeContext } from '../node.js'
import { makeTracker } from './choose-tracker.js'
import { trackerServices } from './tracker-services.js'

/** Posts the result to the tracker exactly once; a failure does not fail the run. */
export async function postComment(context: NodeContext, text: string, events: NewEvent[]): Promise<void> {
  const { args, call, services } = context
  if (!args.comment || !args.issue) return
  const tracker = makeTracker(trackerServices(services.environment(args.repository), args.repository), args.tracker)
  if (!tracker.comment) return
  const marker = `signalbox ${call.run} finished`
  try {
    const url = await tracker.comment(args.issue, marker, services.redactor.redact(text))
    events.push(newEvent('comment.posted', { on: args.issue.id, marker, ...(url && { url }) }))
  } catch (error) {
    call.notice('warning', `the comment was not posted: ${toSignalboxError(error).message}`)
  }
}
