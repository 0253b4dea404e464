import { z } from 'zod'
import { SignalboxError } from '../../errors/index.js'
import type { ScheduleRecord, Schedules } from '../../schedules/index.js'
import { callerFields, callerOf } from '../caller.js'
import { type Call, type Route, route } from '../route.js'
import { answer } from '../schemas/common.js'
import { schedule, scheduleList } from '../schemas/schedules.js'

const addBody = z.strictObject({
  cron: z.string().min(1).max(200).describe('`0 2 * * *`, or @hourly, @daily, @weekly, @monthly'),
  command: z
    .array(z.string().max(100_000))
    .min(1)
    .max(100)
    .describe('the words after `signalbox`: oneshot, run, implement, review, start or send, and their arguments'),
  directory: z.string().min(1).max(4096).describe('where it runs'),
  name: z.string().min(1).max(200).optional(),
  ...callerFields,
})
const callerBody = z.strictObject(callerFields)
const one = answer('the schedule', schedule)

export const scheduleRoutes: readonly Route[] = [
  route({
    id: 'schedules.list',
    method: 'GET',
    path: '/schedules',
    summary: 'Lists what is scheduled, newest first.',
    access: 'viewer',
    answers: { 200: answer('the schedules', scheduleList) },
    handle: async call => {
      const schedules = schedulesOf(call)
      const items = (await schedules.list()).map(record => viewOf(schedules, record))
      return call.json({ items, next: null, position: await call.position() })
    },
  }),
  route({
    id: 'schedules.add',
    method: 'POST',
    path: '/schedules',
    summary: 'Schedules a command that starts work, by a cron expression.',
    access: 'owner',
    needsStepUp: true,
    body: addBody,
    answers: { 201: one },
    handle: async call => {
      const { cron, command, directory, name, ...claimed } = call.body
      const schedules = schedulesOf(call)
      const by = personOf(call, claimed)
      const added = await schedules.add({ cron, command, directory, by, ...(name !== undefined && { name }) })
      return call.json(viewOf(schedules, added), 201)
    },
  }),
  ...(['pause', 'resume', 'start'] as const).map(action =>
    route({
      id: `schedules.${action}`,
      method: 'POST',
      path: `/schedules/:id/${action}`,
      summary: {
        pause: 'Pauses a schedule.',
        resume: 'Resumes a schedule; times that passed meanwhile are skipped.',
        start: 'Starts the command of a schedule now.',
      }[action],
      access: 'approver',
      body: callerBody,
      answers: { 200: one },
      handle: async call => {
        const schedules = schedulesOf(call)
        const by = personOf(call, call.body)
        const found = await schedules.find(call.params.id!)
        const changed =
          action === 'start'
            ? await schedules.startNow(found, by)
            : await schedules.setPaused(found, action === 'pause', by)
        return call.json(viewOf(schedules, changed))
      },
    }),
  ),
  route({
    id: 'schedules.remove',
    method: 'POST',
    path: '/schedules/:id/remove',
    summary: 'Removes a schedule; what it started continues.',
    access: 'approver',
    body: callerBody,
    answers: { 200: one },
    handle: async call => {
      const schedules = schedulesOf(call)
      const found = await schedules.find(call.params.id!)
      await schedules.remove(found, personOf(call, call.body))
      return call.json(viewOf(schedules, found))
    },
  }),
]

function schedulesOf({ parts }: Pick<Call, 'parts'>): Schedules {
  if (parts.schedules) return parts.schedules
  throw new SignalboxError('E_STATE', 'this server has no schedules')
}

/** A schedule of an agent would start outside of its session. */
function personOf(call: Parameters<typeof callerOf>[0], claimed: Parameters<typeof callerOf>[1]) {
  const { actor, insideSession } = callerOf(call, claimed)
  if (insideSession === undefined) return actor
  throw new SignalboxError('E_ROLE', `an agent cannot schedule anything: this shell belongs to ${insideSession}`, {
    next: 'do it from a terminal of your own',
  })
}

function viewOf(schedules: Schedules, record: ScheduleRecord) {
  const { id, version, cron, command, directory, name, by, madeAt, isPaused, last } = record
  return {
    ...{ id, version, cron, command, directory, name: name ?? null, by: by.name, madeAt, isPaused },
    isHere: schedules.isHere(record),
    nextAt: schedules.nextAt(record),
    last: last
      ? {
          at: last.dueAt,
          outcome: last.outcome,
          run: last.run ?? null,
          session: last.session ?? null,
          problem: last.problem ?? null,
        }
      : null,
  }
}
