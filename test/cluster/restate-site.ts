import { generateKeyPairSync } from 'node:crypto'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { approvalsProjection } from '../../src/approvals/index.js'
import { newId, systemClock } from '../../src/clock/index.js'
import { engineBinary } from '../../src/daemon/engine-binary.js'
import { runsProjection, Servers, serversProjection } from '../../src/engine/index.js'
import { publicKeyOf, RestateEngine, RestateNode, turnEndpoint } from '../../src/engine/restate/index.js'
import { askRestate } from '../../src/engine/restate/restate-client.js'
import type { EngineServer, EngineSite } from '../../src/engine/testing/conformance.js'
import { validateEvent } from '../../src/events/index.js'
import { freePort } from '../../src/process/index.js'
import { EngineEndpoint } from '../../src/server/index.js'
import type { EventStore } from '../../src/store/index.js'
import { openTestStore } from '../../src/store/testing/open-test-store.js'

/** After so many attempts a call is given up; the configuration of the product has 50. */
export const ATTEMPTS = 4

/** A node of Restate for the tests of a file. */
export class TestRestate {
  #directory = ''
  #publicKey = ''
  node!: RestateNode

  async start(): Promise<void> {
    this.#directory = mkdtempSync(join(tmpdir(), 'sbx-restate-'))
    const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    this.#publicKey = publicKeyOf(pem)
    this.node = new RestateNode({
      binary: this.#impatientBinary(),
      cluster: newId('run'),
      node: 'n1',
      nodes: [{ name: 'n1', address: '127.0.0.1:5122' }],
      directory: join(this.#directory, 'engine'),
      identityPem: pem,
      snapshots: null,
      env: process.env,
      clock: systemClock,
      log: () => undefined,
    })
    this.node.start()
    await this.node.ready()
  }

  /** Its process ends, and is started again; with `wipe` without its data. */
  async kill({ wipe }: { wipe: boolean } = { wipe: false }): Promise<void> {
    const pid = this.node.pid!
    process.kill(pid, 'SIGKILL')
    while (this.node.pid === pid) await new Promise(resolve => setTimeout(resolve, 5))
    if (wipe) rmSync(join(this.#directory, 'engine', 'n1'), { recursive: true, force: true })
    await this.node.ready()
  }

  /** Rows of its own tables. */
  async query(sql: string): Promise<Record<string, unknown>[]> {
    const { text } = await askRestate(this.node.admin, {
      method: 'POST',
      path: '/query',
      body: { query: sql },
      timeoutMs: 10_000,
    })
    return (JSON.parse(text) as { rows: Record<string, unknown>[] }).rows
  }

  async close(): Promise<void> {
    await this.node.close()
    rmSync(this.#directory, { recursive: true, force: true })
  }

  /** Servers of another site's store that this node calls, and not the node of that site. */
  siteOn({ store }: RestateSite): RestateSite {
    return new RestateSite(this, store, this.#publicKey, mkdtempSync(join(tmpdir(), 'signalbox-restate-')))
  }

  /** A store with servers that this node calls. */
  async site(): Promise<RestateSite> {
    const directory = mkdtempSync(join(tmpdir(), 'signalbox-restate-'))
    const projections = [runsProjection, approvalsProjection, serversProjection] as never
    const path = join(directory, 'store.db')
    const store = await openTestStore({ path, clock: systemClock, projections, validate: validateEvent })
    return new RestateSite(this, store, this.#publicKey, directory)
  }

  /** Fifty attempts take minutes. */
  #impatientBinary(): string {
    const binary = engineBinary(process.env)
    const script = join(this.#directory, 'restate-server')
    writeFileSync(
      script,
      `#!/bin/sh\nsed -i 's/max-attempts = 50/max-attempts = ${ATTEMPTS}/' "$2"\nexec ${JSON.stringify(binary)} "$@"\n`,
    )
    chmodSync(script, 0o700)
    return script
  }
}

/** The servers of one store; they share a port, as those of one machine do. */
export class RestateSite implements EngineSite {
  readonly clock = systemClock
  readonly timerMs = 1_500
  readonly store: EventStore
  /** The object that Restate calls: each store has its own. */
  readonly object = `run-${newId('run').slice(4).toLowerCase()}`
  /** Calls of Restate, by run. */
  readonly calls: string[] = []
  /** What a call does before the engine gets it. */
  onCall: (run: string) => Promise<void> = async () => undefined
  readonly #restate: TestRestate
  readonly #publicKey: string
  readonly #directory: string
  readonly #port = freePort()

  constructor(restate: TestRestate, store: EventStore, publicKey: string, directory: string) {
    this.#restate = restate
    this.store = store
    this.#publicKey = publicKey
    this.#directory = directory
  }

  passTime(): void {
    // It passes by itself.
  }

  async join(store: EventStore, name: string): Promise<EngineServer> {
    const onError = () => undefined
    const servers = new Servers({ store, clock: systemClock, id: name, engine: 'restate', version: '1', onError })
    await servers.join()
    const { node } = this.#restate
    const endpoint = new EngineEndpoint(this.#port, systemClock)
    return {
      owner: servers.owner,
      isGone: owner => servers.isGone(owner),
      open: port =>
        new RestateEngine({
          ...port,
          servers,
          ingress: node.ingress,
          admin: node.admin,
          endpoint: endpoint.address,
          object: this.object,
          ready: () => node.ready(),
          listen: async look =>
            endpoint.listen(await turnEndpoint(this.#counted(look), [this.#publicKey], this.object)),
          stop: async () => endpoint.close(),
        }),
      close: () => servers.close(),
    }
  }

  async close(): Promise<void> {
    await this.store.close()
    rmSync(this.#directory, { recursive: true, force: true })
  }

  #counted(look: (run: string) => Promise<number | null>) {
    return async (run: string) => {
      this.calls.push(run)
      await this.onCall(run)
      return look(run)
    }
  }
}
