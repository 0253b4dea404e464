import { isEvent } from '../events/index.js'
import type { ProjectedEvent, Projection } from '../store/index.js'

/**
 * A server of a shared store, as its last start announced it. Its lease says whether it is alive.
 */
export interface ServerRecord {
  id: string
  /** Counts its starts. */
  epoch: number
  engine: string
  version: string
  startedAt: number
  /** Where workers reach it; null while it does not listen. */
  address: string | null
  pin: string | null
}

export function serverStream(id: string): string {
  return `server/${id}`
}

export const serversProjection: Projection<ServerRecord> = {
  name: 'servers',
  version: 1,
  types: ['server.started', 'server.listening'],
  key: event => event.stream.slice('server/'.length),
  evolve,
}

function evolve(record: ServerRecord | null, event: ProjectedEvent): ServerRecord | null {
  if (isEvent(event, 'server.started')) {
    const id = event.stream.slice('server/'.length)
    return { id, ...event.data, startedAt: event.at, address: null, pin: null }
  }
  if (!record || !isEvent(event, 'server.listening') || event.data.epoch !== record.epoch) return record
  return { ...record, address: event.data.address, pin: event.data.pin ?? null }
}
