import { z } from 'zod'
import { defineEvents } from './catalogue.js'

const position = z.int().nonnegative()

export const webhookEvents = defineEvents({
  'webhook.advanced': {
    description:
      'A webhook has received the events that its filter selects up to this position; failed ones are dead letters.',
    data: z.object({ position, delivered: z.int().nonnegative() }),
  },
  'webhook.dead': {
    description: 'A webhook did not accept an event; it is kept as a dead letter.',
    data: z.object({ position, type: z.string(), attempts: z.int().positive(), error: z.string() }),
  },
  'webhook.redelivered': {
    description: 'A webhook accepted a dead letter that was sent again.',
    data: z.object({ position }),
  },
  'webhook.replayed': {
    description: 'A person wants events sent to a webhook again: its dead letters, or all after a position.',
    data: z.object({ person: z.string(), after: position.optional() }),
  },
})
