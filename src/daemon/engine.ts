import { join } from 'node:path'
import { type Clock, delay } from '../clock/index.js'
import type { Config } from '../config/index.js'
import type { OpenEngine, Servers } from '../engine/index.js'
import { SignalboxError } from '../errors/index.js'
import type { Home } from '../host/home/index.js'
import { EngineEndpoint } from '../server/index.js'
import type { EventStore } from '../store/index.js'
import { engineBinary } from './engine-binary.js'

/** How often an external engine is asked whether it is up, until it is. */
const POLL_MS = 1_000

export interface EngineOptions {
  home: Home
  store: EventStore
  servers: Servers | null
  env: NodeJS.ProcessEnv
  clock: Clock
  log(line: string): void
}

/**
 * Refuses nodes that cannot work, and a missing program, before anything is opened.
 * @throws SignalboxError `E_ENGINE`, `E_ENGINE_MISSING`
 */
export function checkEngine({ home, env }: Pick<EngineOptions, 'home' | 'env'>): void {
  const { engine } = home.loaded.config
  if (engine.kind !== 'restate' || engine.url !== null) return
  parseNodes(engine)
  engineBinary(env)
}

/**
 * Restate as the engine of this server: a node of its own beside it, or one that the team operates.
 * Undefined for the other engines.
 */
export async function openRestate(options: EngineOptions): Promise<OpenEngine | undefined> {
  const { home, store, servers, env, clock, log } = options
  const { engine } = home.loaded.config
  if (engine.kind !== 'restate') return undefined
  if (engine.url !== null) return openExternal(options, engine.url)
  const nodes = parseNodes(engine)
  const binary = engineBinary(env)
  const { engineIdentity, RestateEngine, RestateNode, turnEndpoint } = await import('../engine/restate/index.js')
  const { pem, publicKey } = await engineIdentity(store)
  const node = new RestateNode({
    binary,
    // One engine for one store.
    cluster: `signalbox-${store.id}`,
    node: engine.node,
    nodes,
    directory: join(home.settings.dataDirectory, 'engine'),
    identityPem: pem,
    snapshots: engine.snapshots === null ? null : parseSnapshots(engine.snapshots),
    env,
    clock,
    log,
  })
  const endpoint = new EngineEndpoint(engine.port, clock)
  return port =>
    new RestateEngine({
      ...port,
      ...(servers && { servers }),
      ingress: node.ingress,
      admin: node.admin,
      endpoint: endpoint.address,
      ready: () => node.ready(),
      listen: async beginTurn => {
        endpoint.listen(await turnEndpoint(beginTurn, [publicKey]))
        node.start()
      },
      stop: async () => {
        endpoint.close()
        await node.close()
      },
    })
}

function refuse(message: string, next: string): never {
  throw new SignalboxError('E_ENGINE', message, { next })
}

/**
 * An engine that other programs, and other stores of Signalbox, may use too: its object has a name
 * of its own. Without a key that signs its requests, every program that reaches the endpoint could
 * request turns.
 */
async function openExternal({ home, store, servers, clock }: EngineOptions, address: string): Promise<OpenEngine> {
  const { engine } = home.loaded.config
  const key = engine.identity_key
  if (key === null)
    return refuse(
      'an external Restate must sign its requests',
      'set engine.identity_key to the public key of its request identity (publickeyv1_…)',
    )
  const { isRestateUp, RestateEngine, turnEndpoint } = await import('../engine/restate/index.js')
  const { ingress, admin } = parseEngineUrl(address)
  const own = engine.endpoint ?? `http://127.0.0.1:${engine.port}`
  const endpoint = new EngineEndpoint(engine.port, clock, { isForOthers: !isLoopback(new URL(own).hostname) })
  const object = `signalbox-${store.id}`
  let isClosed = false
  return port =>
    new RestateEngine({
      ...port,
      ...(servers && { servers }),
      ingress: { url: ingress },
      admin: { url: admin },
      endpoint: own,
      object,
      ready: async () => {
        while (!isClosed && !(await isRestateUp({ url: admin }))) await delay(clock, POLL_MS)
        return !isClosed
      },
      listen: async beginTurn => endpoint.listen(await turnEndpoint(beginTurn, [key], object)),
      stop: async () => {
        isClosed = true
        endpoint.close()
      },
    })
}

/** `restate+http://host:8080`: its ingress; the admin is at port 9070 there, or at `?admin=URL`. */
function parseEngineUrl(text: string): { ingress: string; admin: string } {
  const url = new URL(text.replace(/^restate\+/, ''))
  const admin = url.searchParams.get('admin') ?? `${url.protocol}//${url.hostname}:9070`
  return { ingress: url.origin, admin }
}

function isLoopback(host: string): boolean {
  return /^(127\.\d+\.\d+\.\d+|localhost|\[::1\])$/.test(host)
}

/** @throws SignalboxError `E_ENGINE` for combinations that cannot work. */
function parseNodes({ node, nodes, snapshots, network_is_private: isPrivate }: Config['engine']) {
  const places = nodes.map(text => {
    const [, given, address = ''] = /^(?:([\w.-]+)=)?(.+:\d+)$/.exec(text) ?? []
    if (address === '') refuse(`"${text}" is not a node of the engine`, 'write it as name=host:5122')
    return { name: given ?? address.replace(/:\d+$/, ''), address }
  })
  if (places.length === 0) return [{ name: node, address: '127.0.0.1:5122' }]
  if (places.length === 2) refuse('an engine of two nodes stops when one of them does', 'use one node, or three')
  if (!places.some(({ name }) => name === node))
    refuse(`engine.node is "${node}", which engine.nodes does not have`, 'name this machine in both')
  if (places.length > 1 && snapshots === null)
    refuse('several nodes of the engine need a bucket for snapshots', 'set engine.snapshots to s3://bucket/prefix')
  const open = places.find(({ address }) => !isPrivateAddress(address))
  if (places.length > 1 && open && !isPrivate)
    refuse(
      `the nodes of the engine talk without encryption and login, and ${open.address} may be reachable by others`,
      'use addresses of a private network, or set engine.network_is_private = true',
    )
  return places
}

/** Loopback, and the ranges that are not routed on the internet. */
function isPrivateAddress(address: string): boolean {
  const host = address.replace(/:\d+$/, '').replace(/^\[|\]$/g, '')
  return /^(127\.|10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|::1$|f[cd][0-9a-f]{2}:|localhost$)/i.test(host)
}

function parseSnapshots(text: string) {
  const url = new URL(text)
  const [endpoint, region] = [url.searchParams.get('endpoint'), url.searchParams.get('region') ?? 'us-east-1']
  return { destination: `s3://${url.host}${url.pathname}`, endpoint, region }
}
