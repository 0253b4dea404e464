import { chmodSync, cpSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { engineBinary } from '../../src/daemon/engine-binary.js'
import { freePort, packageCache } from '../../src/process/index.js'
import { waitFor } from '../e2e/harness.js'
import { PartitionProxy } from '../support/partition-proxy.js'
import type { ClusterUnderTest, Cuttable } from './cluster-under-test.js'

/**
 * The program of Restate for the servers of a cluster, with a shell script before it: a node whose
 * file `down-<node>` is there does not start, and one with a file `port-<node>` listens on the port
 * in it, behind a proxy at its own address.
 */
export function wrappedEngine(root: string): { XDG_CACHE_HOME: string } {
  const [from, to] = [packageCache(process.env), join(root, 'cache', 'signalbox')]
  const binary = engineBinary(process.env)
  const [wrapped] = relative(from, binary).split(sep)
  mkdirSync(to, { recursive: true })
  for (const name of readdirSync(from)) if (name !== wrapped) symlinkSync(join(from, name), join(to, name))
  const script = join(to, relative(from, binary))
  mkdirSync(dirname(script), { recursive: true })
  cpSync(join(dirname(binary), '..', 'package.json'), join(dirname(script), '..', 'package.json'))
  const lines = [
    '#!/bin/sh',
    `node=$(sed -n 's/^node-name = "\\(.*\\)"$/\\1/p' "$2")`,
    `[ -e "${root}/down-$node" ] && exit 1`,
    `[ -e "${root}/port-$node" ] && sed -i "s/^bind-address = .*/bind-address = \\"127.0.0.1:$(cat "${root}/port-$node")\\"/" "$2"`,
    `exec "${binary}" "$@"`,
  ]
  writeFileSync(script, `${lines.join('\n')}\n`)
  chmodSync(script, 0o755)
  return { XDG_CACHE_HOME: join(root, 'cache') }
}

/** The nodes of Restate of a cluster that was started with `wrappedEngine`. */
export class EngineNodes {
  readonly #cluster: ClusterUnderTest
  readonly #proxies = new Map<string, PartitionProxy>()

  private constructor(cluster: ClusterUnderTest) {
    this.#cluster = cluster
  }

  /** Puts a proxy before each node, as the others reach it. All nodes are restarted for that. */
  static async behindProxies(cluster: ClusterUnderTest): Promise<EngineNodes> {
    const nodes = new EngineNodes(cluster)
    for (const engine of nodes.names) nodes.takeDown(engine)
    for (const engine of nodes.names) {
      const port = freePort()
      const address = Number(cluster.engineAddress(engine).split(':').at(-1))
      const proxy = () => PartitionProxy.to(port, address).catch(() => null)
      nodes.#proxies.set(engine, await waitFor(`${engine} to leave its port`, proxy))
      writeFileSync(join(cluster.root, `port-${nodes.#nodeOf(engine)}`), String(port))
    }
    for (const engine of nodes.names) nodes.bringBack(engine)
    return nodes
  }

  get names(): string[] {
    return this.#cluster.named('engine')
  }

  /** Killed, and not started again: its machine is gone, its server is not. */
  takeDown(engine: string): void {
    writeFileSync(this.#downFile(engine), '')
    this.#cluster.kill(engine)
  }

  bringBack(engine: string): void {
    rmSync(this.#downFile(engine))
  }

  /** The network between this node and the others, in both directions; its server reaches it. */
  networkOf(engine: string): Cuttable {
    const others = this.names.filter(name => name !== engine).map(name => this.#proxies.get(name)!)
    const own = this.#proxies.get(engine)!
    return {
      cut: () => {
        const pid = this.#cluster.enginePid(engine)
        const [into, from] = [own.cutExcept(pid), others.map(proxy => proxy.cutFrom(pid))]
        if (into === 0 || from.includes(0)) throw new Error(`${engine} was not connected to the other nodes`)
      },
      heal: () => {
        for (const proxy of [own, ...others]) proxy.heal()
      },
    }
  }

  async close(): Promise<void> {
    for (const proxy of this.#proxies.values()) await proxy.close()
  }

  #nodeOf(engine: string): string {
    return engine.replace('engine', 'node')
  }

  #downFile(engine: string): string {
    return join(this.#cluster.root, `down-${this.#nodeOf(engine)}`)
  }
}
