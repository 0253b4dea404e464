import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LEDGER_STREAMS, ledgerProjections } from '../../src/approvals/index.js'
import { systemClock } from '../../src/clock/index.js'
import { runsProjection } from '../../src/engine/index.js'
import { type EventStore, openStore } from '../../src/store/index.js'
import { compiledChild, TESTS } from '../support/compiled.js'

/*
 * The crash sweep. A first process counts the calls that change files; then, for each of them, one
 * process dies right before it, what was not synced is taken back, another process continues, and
 * the invariants of docs/guarantees.md are checked.
 */

export const KINDS = ['events', 'decisions', 'run'] as const
export type Kind = (typeof KINDS)[number]
/**
 * What a power failure leaves of writes that were not synced. `none` is lost when only the process
 * is killed.
 */
export const LOSSES = ['none', 'all', 'some'] as const
export type Loss = (typeof LOSSES)[number]

export class Sweep {
  readonly #directory = mkdtempSync(join(tmpdir(), 'signalbox-sweep-'))
  readonly #shim = join(this.#directory, 'shim.so')
  readonly #kind: Kind
  /** Also what was acknowledged with normal durability: more than the store promises. */
  readonly #demandsAll: boolean

  constructor(kind: Kind, { demandsAll = false } = {}) {
    this.#kind = kind
    this.#demandsAll = demandsAll
    compileShim(this.#shim)
  }

  close(): void {
    rmSync(this.#directory, { recursive: true, force: true })
  }

  /** How many calls of an undisturbed process change a file. */
  async points(): Promise<number> {
    const place = this.#place()
    const countFile = join(place.root, 'count')
    const { code, said } = await this.#run(place, { at: 0, loss: 'none', seed: 1, countFile })
    if (code !== 0) throw new Error(`the workload failed: ${said.join('\n')}`)
    await this.#check(place, said)
    const count = Number(readFileSync(countFile, 'utf8'))
    rmSync(place.root, { recursive: true })
    return count
  }

  /**
   * Kills at a point, continues, checks. @throws Error that says which invariant is violated, and
   * how to repeat it.
   */
  async trial(at: number, loss: Loss, seed = at): Promise<void> {
    const place = this.#place()
    try {
      const killed = await this.#run(place, { at, loss, seed })
      if (killed.code !== null && killed.said.at(-1) !== 'done')
        throw new Error(`it ended with ${killed.code}: ${killed.said.join('; ')}`)
      await this.#checkAcknowledged(place, killed.said, loss)
      const continued = await this.#run(place, null)
      if (continued.code !== 0) throw new Error(`the next process failed: ${continued.said.join('; ')}`)
      await this.#check(place, [...killed.said, ...continued.said])
    } catch (error) {
      throw new Error(
        `${this.#kind}, killed before call ${at}, losing ${loss} (seed ${seed}): ${(error as Error).message}`,
      )
    } finally {
      rmSync(place.root, { recursive: true, force: true })
    }
  }

  #place(): Place {
    const root = mkdtempSync(join(this.#directory, 'trial-'))
    const home = join(root, 'home')
    mkdirSync(home)
    return { root, home, effects: join(root, 'effects') }
  }

  #run(
    { home, effects }: Place,
    crash: { at: number; loss: Loss; seed: number; countFile?: string } | null,
  ): Promise<{ code: number | null; said: string[] }> {
    const file = compiledChild(join(TESTS, 'crash', 'workload.child.ts'))
    const env = crash
      ? {
          LD_PRELOAD: this.#shim,
          CRASH_DIR: home,
          CRASH_AT: String(crash.at),
          CRASH_LOSE: crash.loss,
          CRASH_SEED: String(crash.seed * 2654435761 + 1),
          ...(crash.countFile && { CRASH_COUNT: crash.countFile }),
        }
      : {}
    const child = spawn(process.execPath, [file, this.#kind, home, effects], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...env },
    })
    let text = ''
    child.stdout.on('data', chunk => {
      text += chunk
    })
    child.stderr.on('data', chunk => {
      text += `\nstderr ${chunk}`
    })
    return new Promise((resolve, reject) => {
      child.on('error', reject)
      child.on('close', code => resolve({ code, said: text.split('\n').filter(Boolean) }))
    })
  }

  /** Right after the crash: the store opens, is whole, and has everything that was acknowledged. */
  async #checkAcknowledged(place: Place, said: readonly string[], loss: Loss): Promise<void> {
    if (!existsSync(join(place.home, 'store.db'))) {
      if (said.length > 0) throw new Error(`the store is gone after ${said.join('; ')}`)
      return
    }
    await withStore(place, async store => {
      const version = await store.streamVersion('count/all')
      // Events of normal durability may be lost with the power, not with the process alone.
      for (const [what, n, durability] of said.map(line => line.split(' ')))
        if (
          what === 'appended' &&
          (durability === 'full' || loss === 'none' || this.#demandsAll) &&
          version < Number(n)
        )
          throw new Error(`append ${n} was acknowledged and is lost`)
    })
  }

  /**
   * At the end: nothing acknowledged is lost, nothing is done twice, nothing is allowed that was
   * not.
   */
  async #check(place: Place, said: readonly string[]): Promise<void> {
    const effects = existsSync(place.effects) ? readFileSync(place.effects, 'utf8').split('\n').filter(Boolean) : []
    const twice = effects.filter((line, index) => effects.indexOf(line) !== index)
    if (twice.length > 0) throw new Error(`done twice: ${twice.join(', ')}`)
    await withStore(place, async store => {
      const problems = [...(await store.check()), ...(await store.checkChain())]
      if (problems.length > 0) throw new Error(problems.map(({ message }) => message).join('; '))
      if (this.#kind === 'decisions') await checkDecisions(store, said, effects)
      if (this.#kind === 'run') await checkRun(store, said, effects)
    })
  }
}

export function compileShim(file: string): void {
  const args = ['-shared', '-fPIC', '-O1', '-o', file, join(TESTS, 'crash', 'shim.c'), '-ldl', '-lpthread']
  const made = spawnSync('cc', args, { encoding: 'utf8' })
  if (made.status !== 0) throw new Error(made.stderr)
}

interface Place {
  root: string
  home: string
  /** Outside the directory whose writes can be lost: the world. */
  effects: string
}

async function withStore(place: Place, work: (store: EventStore) => Promise<void>): Promise<void> {
  const store = await openStore({
    path: join(place.home, 'store.db'),
    clock: systemClock,
    projections: [runsProjection, ...ledgerProjections] as never,
    chained: LEDGER_STREAMS,
  })
  try {
    const problems = await store.check()
    if (problems.length > 0) throw new Error(problems.map(({ message }) => message).join('; '))
    await work(store)
  } finally {
    await store.close()
  }
}

async function checkDecisions(store: EventStore, said: readonly string[], effects: readonly string[]): Promise<void> {
  const events = await store.readAll({ after: 0, limit: 10_000 })
  for (let n = 1; n <= 4; n++) {
    const asked = events.filter(
      ({ type, data }) =>
        type === 'approval.requested' && (data as { source: { requestKey: string } }).source.requestKey === `key-${n}`,
    )
    // A request that was not acknowledged may be asked again by the agent; an acknowledged one
    // never.
    const stream = asked.at(-1)?.stream
    const decided = events.filter(event => event.stream === stream && event.type === 'approval.decided')
    const want = n % 2 === 0 ? 'no' : 'yes'
    if (asked.length !== 1) throw new Error(`request ${n} is ${asked.length} times in the ledger`)
    if (decided.length !== 1) throw new Error(`request ${n} has ${decided.length} decisions`)
    const presses = effects.filter(line => line.startsWith(`press ${n} `))
    if (presses.some(line => line !== `press ${n} ${want}`)) throw new Error(`pressed ${presses}, decided ${want}`)
    const answers = new Set(said.filter(line => line.startsWith(`decided ${n} `)))
    if (answers.size > 1) throw new Error(`request ${n} was acknowledged with ${[...answers].join(', ')}`)
    const closed = said.filter(line => line.startsWith(`closed ${n} `)).at(-1)
    if (closed === `closed ${n} applied` && presses.length !== 1)
      throw new Error(`request ${n} is applied without a key`)
  }
}

async function checkRun(store: EventStore, said: readonly string[], effects: readonly string[]): Promise<void> {
  const runs = (await store.documents<{ id: string; parent: string | null; status: string }>('runs')).map(
    ({ state }) => state,
  )
  if (runs.length !== 2) throw new Error(`there are ${runs.length} runs`)
  for (const { id, status } of runs) if (status !== 'completed') throw new Error(`run ${id} is ${status}`)
  const created = new Set(said.filter(line => line.startsWith('created ')))
  if (created.size !== 1) throw new Error(`the run was created as ${[...created].join(', ')}`)
  const want = ['outer plan', 'outer left', 'outer right', 'inner part', 'outer end']
  if (want.some(line => !effects.includes(line)) || effects.length !== want.length)
    throw new Error(`the steps did ${effects.join(', ')}`)
  for (const { id } of runs) {
    const journal = await store.readStream(`run/${id}`)
    const ends = journal.filter(({ type }) => type === 'step.ended').map(({ data }) => (data as { step: string }).step)
    if (new Set(ends).size !== ends.length) throw new Error(`a step of ${id} has two ends: ${ends.join(', ')}`)
    const answers = journal.filter(({ type }) => type === 'gate.answered')
    if (answers.length > 1) throw new Error('the gate was answered twice')
  }
}
