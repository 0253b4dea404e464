import { SignalboxError } from '../../errors/index.js'
import { isEvent } from '../../events/index.js'
import { readPipeline } from '../../runs/index.js'
import { type Route, route } from '../route.js'
import { answer } from '../schemas/common.js'
import { runPull } from '../schemas/pulls.js'
import { journalOf, redacted } from './run-details.js'

/** The pull request that a run opened or follows. */
export const runPullRoutes: readonly Route[] = [
  route({
    id: 'runs.pull',
    method: 'GET',
    path: '/runs/:id/pull',
    summary: 'The pull request of a run: state, checks, and its rounds with the verdict on each item.',
    access: 'viewer',
    answers: { 200: answer('as the run last saw it', runPull) },
    handle: async call => {
      const { store, settings } = call.host
      const { record, events } = await journalOf(call)
      const read = await readPipeline(store, settings.dataDirectory, record).catch(() => null)
      const pull = read?.state.pull
      if (!read || !pull)
        throw new SignalboxError('E_UNKNOWN', `run ${record.id} has no pull request`, { next: 'GET /api/v1/runs' })
      const seen = events.findLast(({ type }) => type === 'pull.observed' || type === 'pull.opened')
      return call.json(
        redacted(call, {
          forge: pull.forge,
          number: pull.number,
          url: pull.url,
          title: pull.title,
          state: pull.state,
          base: pull.base,
          branch: pull.branch,
          head: pull.head,
          checks: pull.checks,
          follow: read.args.pull?.follow ?? 'no',
          roundLimit: pull.round_limit,
          readAt: seen?.at ?? null,
          // What the round that has not ended yet is about.
          open: pull.items.map(({ key: _, is_bot: isBot, ...item }) => ({
            ...item,
            isBot,
            isFixed: false,
            isSelected: read.state.approved_items.includes(item.number),
          })),
          rounds: events.flatMap(event => (isEvent(event, 'pull.answered') ? [{ ...event.data, at: event.at }] : [])),
        }),
      )
    },
  }),
]
