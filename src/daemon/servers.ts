import type { Clock } from '../clock/index.js'
import { type EngineKind, Servers } from '../engine/index.js'
import { SignalboxError } from '../errors/index.js'
import type { Home } from '../host/home/index.js'
import { homeId } from '../host/index.js'
import type { EventStore } from '../store/index.js'
import type { ServerAddress, WorkerHub } from '../workers/index.js'

export interface JoinServersOptions {
  store: EventStore
  clock: Clock
  home: Home
  version: string
  onError(error: unknown): void
}

/**
 * Announces this server to the others of a shared store; null for a store of its own.
 * @throws SignalboxError for combinations of store, engine and servers that cannot work.
 */
export async function joinServers({
  store,
  clock,
  home,
  version,
  onError,
}: JoinServersOptions): Promise<Servers | null> {
  const engine: EngineKind = home.loaded.config.engine.kind
  if (!store.isShared) {
    if (engine === 'store')
      throw new SignalboxError('E_ENGINE', 'the engine "store" needs a store that several servers can share', {
        next: 'set store.url, or use the engine "embedded"',
      })
    return null
  }
  const servers = new Servers({ store, clock, id: homeId(home.settings.dataDirectory), engine, version, onError })
  await servers.join()
  return servers
}

/** The servers, as workers receive them. */
export function serverAddresses(
  servers: Servers,
  self: string,
): NonNullable<ConstructorParameters<typeof WorkerHub>[0]['servers']> {
  const addresses = (): ServerAddress[] =>
    servers.live.flatMap(({ id, address, pin }) => (address === null ? [] : [{ id, address, pin }]))
  return { self, addresses, onChange: listener => servers.onChange(listener) }
}
