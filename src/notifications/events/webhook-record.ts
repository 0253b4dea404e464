import { type EventData, isEvent } from '../../events/index.js'
import type { Projection } from '../../store/index.js'

type DeadLetter = EventData<'webhook.dead'> & { at: number }

/** What a webhook has received: a projection of its stream `webhook/<name>`. */
export interface WebhookRecord {
  name: string
  /** The next event is after this position of the log. */
  position: number
  delivered: number
  /** Oldest first. */
  dead: readonly DeadLetter[]
  /** Positions of dead letters that a person wants sent again. */
  retries: readonly number[]
}

/** Older dead letters are forgotten; the log still has the events. */
const DEAD_KEPT = 1_000

export const webhookStream = (name: string) => `webhook/${name}`

export const webhooksProjection: Projection<WebhookRecord> = {
  name: 'webhooks',
  version: 1,
  types: ['webhook.advanced', 'webhook.dead', 'webhook.redelivered', 'webhook.replayed'],
  key: event => event.stream.slice('webhook/'.length),
  evolve: (known, event) => {
    const name = event.stream.slice('webhook/'.length)
    const record = known ?? { name, position: 0, delivered: 0, dead: [], retries: [] }
    if (isEvent(event, 'webhook.advanced')) {
      const { position, delivered } = event.data
      return { ...record, position, delivered: record.delivered + delivered }
    }
    if (isEvent(event, 'webhook.dead')) {
      const letter = { ...event.data, at: event.at }
      return {
        ...withoutDeadLetter(record, letter.position),
        dead: [...withoutDeadLetter(record, letter.position).dead, letter].slice(-DEAD_KEPT),
      }
    }
    if (isEvent(event, 'webhook.redelivered')) {
      const { position } = event.data
      return { ...withoutDeadLetter(record, position), delivered: record.delivered + 1 }
    }
    if (isEvent(event, 'webhook.replayed')) {
      const { after } = event.data
      if (after !== undefined) return { ...record, position: after }
      return { ...record, retries: record.dead.map(({ position }) => position) }
    }
    return record
  },
}

function withoutDeadLetter(record: WebhookRecord, position: number): WebhookRecord {
  return {
    ...record,
    dead: record.dead.filter(letter => letter.position !== position),
    retries: record.retries.filter(retry => retry !== position),
  }
}
