import type { Clock } from '../../clock/index.js'
import { SignalboxError } from '../../errors/index.js'
import type { AppendResult, EventStore, NewEvent, StoredDocument, StoredEvent } from '../../store/index.js'
import type { ServerPort } from '../../workers/index.js'

/**
 * A worker's view of the store: its own sessions, the events of its own runs, and nothing else. The
 * server checks every call; a call survives a break of the connection, and is written once.
 */
export function remoteStore(server: Pick<ServerPort, 'call'>, clock: Clock): EventStore {
  const ask = <T>(method: string, params: Record<string, unknown>) =>
    server.call(`store.${method}`, params) as Promise<T>
  /** The newest known version of each stream: the next append is expected there. */
  const versions = new Map<string, number>()
  /** The last append of each stream: the next one waits for it, so that it knows the version. */
  const last = new Map<string, Promise<unknown>>()
  const seen = (stream: string, version: number) => {
    versions.set(stream, Math.max(version, versions.get(stream) ?? 0))
  }
  /** 0 for its notes about itself, which may be repeated. */
  const versionOf = async (stream: string) => {
    const version = versions.get(stream)
    if (version !== undefined || !stream.startsWith('session/')) return version ?? 0
    seen(stream, await ask<number>('streamVersion', { stream }))
    return versions.get(stream)!
  }
  const known: Partial<EventStore> = {
    id: 'remote',
    isShared: true,
    clock,
    append: (stream, expected, events) => {
      // A call may be sent again later: what it says must not change until then.
      const copy = JSON.parse(JSON.stringify(events)) as NewEvent[]
      const write = async () => {
        const after = await versionOf(stream)
        const result = await ask<AppendResult>('append', { stream, expected, events: copy, after })
        seen(stream, result.version)
        return result
      }
      const result = (last.get(stream) ?? Promise.resolve()).then(write, write)
      last.set(stream, result)
      const forget = () => {
        if (last.get(stream) === result) last.delete(stream)
      }
      void result.then(forget, forget)
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
