import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { ApprovalRecord } from '../../src/approvals/index.js'
import type { Host, HostSettings } from '../../src/host/index.js'
import type { Keeper, KeeperPort } from '../../src/keeper/index.js'
import type { LiveSession } from '../../src/sessions/index.js'
import { ROOT, waitFor } from './harness.js'
import { InsideHome } from './inside.js'

/*
 * kill -9 of the host at each append and each write while a decision is applied. The points are
 * generated: a first run without a kill counts them, then one run dies before each and one right
 * after each. A dead host's calls reach neither the store nor the terminal; a new host takes over
 * the same store and the same keeper, as after a real kill. Further below the daemon process is
 * killed after events of the log.
 *
 * The decision denies. The same request follows immediately, with "Yes" selected: one Enter too
 * many would run it.
 */
const { Host: HostClass } = (await import(join(ROOT, 'dist/rooms/host/index.js'))) as { Host: typeof Host }
const { Keeper: KeeperClass } = (await import(join(ROOT, 'dist/rooms/keeper/index.js'))) as { Keeper: typeof Keeper }
const { openHome } = (await import(
  join(ROOT, 'dist/rooms/host/home/index.js')
)) as typeof import('../../src/host/home/index.js')
const { systemClock } = (await import(
  join(ROOT, 'dist/rooms/clock/index.js')
)) as typeof import('../../src/clock/index.js')

/** Removed at the end: a dead host may still create a directory after its own is removed. */
const root = mkdtempSync(join(tmpdir(), 'signalbox-kill-'))
afterAll(() => rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }))

/** Closes a host. A dead one never finishes its open calls, so this does not wait for long. */
function leave(host: Host): Promise<unknown> {
  return Promise.race([host.close().catch(() => undefined), new Promise(resolve => setTimeout(resolve, 300))])
}

/** A call of a host that names it: the same call may come several times. */
interface Point {
  call: string
  /** 1 for the first of its calls. */
  nth: number
}

/** Notes the calls of a host while it is armed, and lets it die at the chosen point. */
class Fate {
  readonly points: Point[] = []
  /** Calls that were carried out. */
  readonly done: string[] = []
  /** It has reached the chosen point: it is dead, or about to die. */
  isDoomed = false
  isDead = false
  isArmed = false
  readonly #dieAt: Point | null
  readonly #when: 'before' | 'after'

  constructor(dieAt: Point | null = null, when: 'before' | 'after' = 'before') {
    this.#dieAt = dieAt
    this.#when = when
  }

  /** A dead host's calls are never answered. */
  async pass<T>(call: string, work: () => Promise<T>): Promise<T> {
    if (this.isDead) return new Promise(() => undefined)
    // Other events of the session are not steps of the decision.
    if (!this.isArmed || !/^write|approval\./.test(call)) return work()
    const nth = this.points.filter(point => point.call === call).length + 1
    this.points.push({ call, nth })
    const isLast = this.#dieAt?.call === call && this.#dieAt.nth === nth
    if (isLast) this.isDoomed = true
    if (isLast && this.#when === 'before') this.isDead = true
    if (this.isDead) return new Promise(() => undefined)
    const result = await work()
    if (!this.isDead) this.done.push(call)
    if (isLast) this.isDead = true
    return this.isDead ? new Promise(() => undefined) : result
  }
}

function mortalKeeper(keeper: Keeper, fate: Fate): KeeperPort {
  return {
    spawn: request => keeper.spawn(request),
    list: () => keeper.list(),
    secret: () => keeper.secret(),
    locate: (id, offset) => keeper.locate(id, offset),
    attach: (id, from, listener) => {
      const alive =
        <A extends unknown[]>(call: (...args: A) => void) =>
        (...args: A) =>
          fate.isDead ? undefined : call(...args)
      return keeper.attach(id, from, {
        output: alive((...args) => listener.output(...args)),
        resized: alive((...args) => listener.resized(...args)),
        exited: alive(exit => listener.exited(exit)),
        lagging: alive(offset => listener.lagging(offset)),
        unrecorded: alive(failure => listener.unrecorded(failure)),
      })
    },
    write: (id, bytes) =>
      fate.pass(`write ${JSON.stringify(Buffer.from(bytes).toString())}`, () => keeper.write(id, bytes)),
    resize: (id, cols, rows) => keeper.resize(id, cols, rows),
    signal: (id, signal) => keeper.signal(id, signal),
    addMarker: (id, label) => keeper.addMarker(id, label),
    setDeadline: deadline => keeper.setDeadline(deadline),
    forget: id => keeper.forget(id),
    close: async () => undefined,
  }
}

function typesOf(args: unknown[]): string {
  return [...JSON.stringify(args).matchAll(/"type":"([a-z.-]+)"/g)].map(([, type]) => type).join('+')
}

const optionOf = ({ request }: ApprovalRecord, meaning: string) =>
  request.options.find(option => option.meaning === meaning)!.key

/** Denies the request. */
async function deny(host: Host, approval: ApprovalRecord): Promise<void> {
  await host.ledger.decide(approval.id, {
    fingerprint: approval.fingerprint,
    option: optionOf(approval, 'deny'),
    seen: { displayHash: approval.display.hash, whole: true },
    actor: { kind: 'person', id: 'ada', name: 'Ada', role: 'owner' },
    surface: 'cli',
    idempotencyKey: 'one',
  })
}

/** One trial with its own directory, keeper and agent: a host, and its successor if it dies. */
class Trial {
  readonly #directory = mkdtempSync(join(root, 'run-'))
  readonly #keeper = new KeeperClass(systemClock)
  readonly #hosts: Host[] = []
  #agentSession = ''

  /** Decides the request. If the host dies, a new one takes over. */
  async run(fate: Fate): Promise<Ending> {
    const host = await this.#openHost(fate)
    const { session, approval } = await this.#asked(host)
    this.#agentSession = (await host.record(session)).agentSessionId ?? ''
    fate.isArmed = true
    // The host that may die decides, so that the append of the decision is one of the points.
    const deciding = deny(host, approval).catch(() => undefined)
    const survived = await this.#end(host, session, approval.id, fate)
    if (survived) await deciding
    const { current, live } =
      survived ?? (await this.#end(await this.#openHost(new Fate()), session, approval.id, new Fate()))!
    await live.effectsDone()
    const all = (await current.ledger.list({ isOpenOnly: false })).filter(record => record.subject.session === session)
    const first = all.find(({ id }) => id === approval.id)!
    // The agent draws before it writes.
    if (first.state === 'applied') await waitFor('the result in the transcript', () => this.#results().length > 0)
    return {
      first,
      others: all.filter(({ id }) => id !== approval.id),
      ran: existsSync(join(this.#directory, 'ran.txt')),
      told: this.#results(),
    }
  }

  /**
   * Waits until the decision is settled, and the agent is idle or asks again. Null if the host
   * dies: it may do so after the decision is settled, too. From then on it stays alive.
   */
  async #end(host: Host, session: string, approval: string, fate: Fate): Promise<Survivor | null> {
    const isFirst = this.#hosts[0] === host
    let about: unknown
    const end = await waitFor('the end of the decision, or of the host', async () => {
      const record = await host.ledger.get(approval)
      if (fate.isDoomed) return fate.isDead ? 'dead' : null
      const live = host.local(session) as LiveSession | null
      about = { isFirst, approval: record?.state, ...aboutSession(live) }
      const isSettled = record && record.state !== 'decided' && !(isFirst && record.state === 'pending')
      if (!isSettled || !live || !(live.approval || live.isIdle)) return null
      fate.isArmed = false
      return { current: host, live }
    }).catch((error: Error) => {
      throw new Error(`${error.message}\n${JSON.stringify(about)}`)
    })
    return end === 'dead' ? null : end
  }

  async close(): Promise<void> {
    for (const { id } of await this.#keeper.list()) await this.#keeper.signal(id, 'SIGKILL').catch(() => undefined)
    await Promise.all(this.#hosts.map(leave))
    await this.#keeper.close()
  }

  /**
   * The default settings for this directory. Without a daemon hooks cannot report, so the decision
   * is delivered through the menu, write by write.
   */
  #settings(): HostSettings {
    const context = { env: { SIGNALBOX_HOME: this.#directory, HOME: this.#directory }, cwd: this.#directory }
    const { settings: usual } = openHome(context as never)
    return { ...usual, minFreeMb: 1, size: { cols: 100, rows: 40 }, hooks: { ...usual.hooks, isEnabled: false } }
  }

  async #openHost(fate: Fate): Promise<Host> {
    const host = await HostClass.open({
      settings: this.#settings(),
      clock: systemClock,
      keeper: mortalKeeper(this.#keeper, fate),
      owner: 'daemon',
      version: '0',
      onError: () => undefined,
    })
    this.#hosts.push(host)
    const store = host.store as unknown as Record<'append' | 'appendAll', (...args: never[]) => Promise<unknown>>
    for (const name of ['append', 'appendAll'] as const) {
      const real = store[name].bind(store)
      store[name] = (...args: never[]) => fate.pass(`append ${typesOf(args)}`, () => real(...args))
    }
    return host
  }

  async #asked(host: Host): Promise<{ session: string; approval: ApprovalRecord }> {
    const directory = this.#directory
    const command = `echo ran >> ${directory}/ran.txt`
    const tool = { tool: { name: 'Shell', kind: 'shell', command, permission: true, onDeny: 'continue' } }
    const scenario = join(directory, 'scenario.json')
    writeFileSync(scenario, JSON.stringify({ name: 'twice', turns: [], otherwise: { steps: [tool, tool] } }))
    const { id } = await host.startSession({
      agent: 'demo',
      args: ['--scenario', scenario, '--speed', '0'],
      cwd: directory,
      terminal: { PATH: process.env.PATH ?? '', HOME: directory, SIGNALBOX_DEMO_HOME: join(directory, 'demo') },
      size: { cols: 100, rows: 40 },
      person: 'local',
      label: null,
      resume: null,
    } as never)
    const session = host.local(id)!
    await waitFor('the agent to be idle', () => session.isIdle)
    expect(await session.send('go')).toMatchObject({ result: 'delivered' })
    return { session: id, approval: await waitFor('the request', () => session.approval) }
  }

  /** The tool results in the agent's own transcript. */
  #results(): { declined?: boolean }[] {
    return readFileSync(join(this.#directory, 'demo', 'sessions', `${this.#agentSession}.jsonl`), 'utf8')
      .split('\n')
      .filter(line => line.includes('"tool_result"'))
      .map(line => JSON.parse(line) as { declined?: boolean })
  }
}

interface Ending {
  first: ApprovalRecord
  others: ApprovalRecord[]
  ran: boolean
  told: { declined?: boolean }[]
}

/** The host that has brought the decision to its end, with its session. */
interface Survivor {
  current: Host
  live: LiveSession
}

function aboutSession(live: LiveSession | null): object {
  const look = live?.screen.last
  return {
    phase: live?.phase,
    view: look?.observation.view,
    rows: look?.frame.lines.map(({ text }) => text).slice(-25),
  }
}

/** What must hold whenever the host died. */
function expectTruth({ first, others, ran, told }: Ending, at: string): void {
  expect(ran, `${at}: the tool did not run`).toBe(false)
  expect(told.length, `${at}: at most one answer`).toBeLessThanOrEqual(1)
  if (first.state === 'applied') expect(told, at).toEqual([expect.objectContaining({ declined: true })])
  if (first.state === 'pending') expect(told, at).toEqual([])
  expect(['pending', 'applied', 'stale'], `${at}: ${first.state}`).toContain(first.state)
  // The agent may ask again, but it may not get a second answer.
  for (const other of others) expect([other.state, other.decision], at).toEqual(['pending', undefined])
}

async function ending(fate: Fate, at: string): Promise<Ending> {
  const trial = new Trial()
  try {
    const end = await trial.run(fate)
    expectTruth(end, at)
    return end
  } finally {
    await trial.close()
  }
}

/** Runs `work` for every item, a few at a time. Returns the results in the order of the items. */
async function fewAtATime<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  const left = [...items.entries()]
  const worker = async () => {
    for (let next = left.shift(); next; next = left.shift()) results[next[0]] = await work(next[1])
  }
  await Promise.all(Array.from({ length: 3 }, worker))
  return results
}

describe('kill -9 of the host at each append and each write of a decision (generated points)', () => {
  it('leaves at most one confirmation, for the decided request, and a correct state afterwards', async () => {
    const whole = new Fate()
    const calm = await ending(whole, 'no kill')
    expect(calm.first).toMatchObject({ state: 'applied' })
    const last = whole.points.findIndex(({ call }) => call.includes('approval.applied'))
    const points = whole.points.slice(0, last + 1)
    expect(points.filter(({ call }) => call.startsWith('write')).length).toBeGreaterThanOrEqual(3)
    const kills = points.flatMap(point => (['before', 'after'] as const).map(when => ({ point, when })))
    const ends = await fewAtATime(kills, async ({ point, when }) => {
      const at = `${when} ${point.call} (${point.nth})`
      const fate = new Fate(point, when)
      const { first } = await ending(fate, `killed ${at}`)
      const reason = first.outcome?.reason ? ` ${first.outcome.reason}` : ''
      return { text: `${at}: ${first.state}${reason}`, isLost: first.state === 'stale', fate }
    })
    const report = ends.map(({ text }) => text).join('\n')
    if (process.env.KILL_POINTS) writeFileSync(process.env.KILL_POINTS, report)
    // A decision may be lost only where the next host cannot know whether the agent received it.
    const lost = ends.filter(({ isLost }) => isLost)
    expect(
      lost.every(({ fate }) => fate.done.includes('write "\\r"')),
      report,
    ).toBe(true)
    expect(lost.length, report).toBeLessThanOrEqual(4)
  }, 600_000)
})

describe('kill -9 of the daemon itself while a decision is delivered', () => {
  const EVENTS = ['approval.decided', 'approval.delivering', 'approval.applied']

  it.each((['obeyed', 'ignored'] as const).flatMap(hooks => EVENTS.map(event => [hooks, event] as const)))(
    'hooks %s, after %s: the tool runs once, and the next request stays unanswered',
    async (hooks, event) => {
      const home = new InsideHome()
      try {
        const scenario = join(home.work, 'scenario.json')
        const tool = {
          tool: { name: 'Shell', kind: 'shell', command: `echo ran >> ${home.work}/ran.txt`, permission: true },
        }
        writeFileSync(scenario, JSON.stringify({ name: 'twice', hooks, turns: [], otherwise: { steps: [tool, tool] } }))
        const session = await home.startDemo(['--scenario', scenario], {
          env: { SIGNALBOX_DEMO_HOME: join(home.directory, 'demo') },
        })
        await home.run(['send', session.id, 'go', '--wait', '--timeout', '60'])
        const [approval] = await waitFor('the request', async () => {
          const list = await home.json<{ id: string; fingerprint: string; joined?: unknown[] }[]>([
            'approvals',
            '--json',
          ])
          return list[0]?.joined ? list : null
        })
        const deciding = home.run(['approve', approval!.id, '--fingerprint', approval!.fingerprint])
        await waitFor(`${event} to be in the log`, async () => {
          const files = ['signalbox.db', 'signalbox.db-wal'].map(name => home.path('data', name)).filter(existsSync)
          return files.some(file => readFileSync(file).includes(event))
        })
        await home.kill(home.daemon)
        // The command starts the next daemon, which `approve` waits for.
        await Promise.all([deciding, home.ok(['sessions'])])
        // The event may be in the file without a complete transaction: then it is decided again.
        const { decision } = (
          await home.json<{ id: string; decision?: object }[]>(['approvals', '--all', '--json'])
        ).find(({ id }) => id === approval!.id)!
        if (!decision) await home.run(['approve', approval!.id, '--fingerprint', approval!.fingerprint])
        const list = await waitFor('the decision to be settled and the second request to be pending', async () => {
          const found = await home.json<{ id: string; state: string; decision?: object }[]>([
            'approvals',
            '--all',
            '--json',
          ])
          const first = found.find(({ id }) => id === approval!.id)
          return first && first.state !== 'decided' && found.some(({ state }) => state === 'pending') ? found : null
        })
        expect(list.find(({ id }) => id === approval!.id)!.state).toBe('applied')
        const pending = list.filter(({ state }) => state === 'pending')
        expect(pending).toHaveLength(1)
        expect(readFileSync(join(home.work, 'ran.txt'), 'utf8')).toBe('ran\n')
      } finally {
        await home.close()
      }
    },
  )
})
