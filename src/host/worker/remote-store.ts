import type { Clock } from '../../clock/index.js'
import { SignalboxError } from '../../errors/index.js'
import type { AppendResult, EventStore, StoredDocument, StoredEvent } from '../../store/index.js'
import type { ServerPort } from '../../workers/index.js'

/**
 * A worker's view of the store: its own sessions, the events of its own runs, and nothing else. The
 * server checks every call; a call survives a break of the connection, and is written once.
 */
export function remoteStore(server: Pick<ServerPort, 'call'>, clock: Clock): EventStore {
  const ask = <T>(method: string, params: Record<string, unknown>) =>
    server.call(`store.${method}`, params) as Promise<T>
  /** The newest known version of each stream: a repeated append is searched after it. */
  const versions = new Map<string, number>()
  const seen = (stream: string, version: number) => {
    versions.set(stream, Math.max(version, versions.get(stream) ?? 0))
  }
  const known: Partial<EventStore> = {
    id: 'remote',
    isShared: true,
    clock,
    append: async (stream, expected, events) => {
      const after = versions.get(stream) ?? 0
      const result = await ask<AppendResult>('append', { stream, expected, events, after })
      seen(stream, result.version)
      return result
    },
    readStream: async (stream, { fromVersion = 1, limit } = {}) => {
      if (stream.startsWith('run/')) {
        const events = (await server.call('run.events', { run: stream.slice('run/'.length) })) as StoredEvent[]
        return events.filter(({ version }) => version >= fromVersion).slice(0, limit)
      }
      const events = await ask<StoredEvent[]>('readStream', { stream, fromVersion, limit })
      for (const { version } of events.slice(-1)) seen(stream, version)
      return events
    },
    streamVersion: stream => ask<number>('streamVersion', { stream }),
    document: <T>(projection: string, key: string) => ask<StoredDocument<T> | null>('document', { projection, key }),
    documents: <T>(projection: string) => ask<StoredDocument<T>[]>('documents', { projection }),
    now: () => ask<number>('now', {}),
    close: async () => undefined,
  }
  return new Proxy(known as EventStore, {
    get(target, name: keyof EventStore) {
      // A promise that resolves with the store asks for `then`.
      if (name in target || (name as string) === 'then') return target[name]
      return () => Promise.reject(refused(`call ${name}`))
    },
  })
}

function refused(what: string): SignalboxError {
  return new SignalboxError('E_ROLE', `a worker cannot ${what}`, { next: 'run it on the server' })
}
