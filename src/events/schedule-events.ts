import { z } from 'zod'
import { actor } from './approval-parts.js'
import { defineEvents } from './catalogue.js'

const dueAt = z.number().nonnegative()

export const scheduleEvents = defineEvents({
  'schedule.added': {
    description: 'A person scheduled a command of Signalbox.',
    data: z.object({
      cron: z.string(),
      /** The words after `signalbox`. */
      command: z.array(z.string()).min(1),
      directory: z.string(),
      /** The home directory whose daemon starts it. */
      home: z.string(),
      name: z.string().max(200).optional(),
      by: actor,
    }),
  },
  'schedule.fired': {
    description:
      'The time of the schedule is reached, or a person started it by hand. Written before the command starts: each time starts it once.',
    data: z.object({ dueAt, by: actor.optional() }),
  },
  'schedule.started': {
    description: 'The command started this run or session.',
    data: z.object({ dueAt, run: z.string().optional(), session: z.string().optional() }),
  },
  'schedule.failed': {
    description: 'The command started nothing.',
    data: z.object({ dueAt, problem: z.string() }),
  },
  'schedule.paused': { description: 'It does not fire until it is resumed.', data: z.object({ by: actor }) },
  'schedule.resumed': {
    description: 'It fires again; times that passed during the pause are skipped.',
    data: z.object({ by: actor }),
  },
  'schedule.removed': { description: 'It never fires again.', data: z.object({ by: actor }) },
})
