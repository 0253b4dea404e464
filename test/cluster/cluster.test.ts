import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openHome } from '../../src/host/home/index.js'
import { waitFor } from '../e2e/harness.js'
import { describeNeeding } from '../support/requirements.js'
import { SKEWABLE, testClocks } from './clocks.js'
import { ClusterUnderTest } from './cluster-under-test.js'
import { killStorm } from './kill-storm.js'

const KILLS = {
  store: ['server', 'worker', 'postgres'],
  restate: ['engine', 'server', 'worker'],
}

for (const [engine, kills] of Object.entries(KILLS)) describeCluster(engine, kills)

function describeCluster(engine: string, kills: readonly string[]): void {
  const need = engine === 'restate' ? 'restate' : 'postgres'
  describeNeeding(need, `a cluster of three servers and two workers with the engine ${engine}`, () =>
    testCluster(engine, kills),
  )
}

function testCluster(engine: string, kills: readonly string[]): void {
  let cluster: ClusterUnderTest

  beforeAll(async () => {
    cluster = await ClusterUnderTest.start(engine, { env: () => SKEWABLE })
  })
  afterAll(async () => {
    await cluster?.close()
  })

  // `npm run storm:cluster` does the same with 50 runs, 3 workers and 20 rounds.
  test('loses no run or decision and repeats no step while its processes are killed in turn', async () => {
    const size = { runs: 6, steps: 10, pauseS: 0.5, rounds: 1 }
    const { violations, decisions } = await killStorm(cluster, { ...size, kills, say: () => undefined })
    expect(violations).toEqual([])
    expect(decisions).toBe(12)
  })

  // These hold for every engine.
  if (engine === 'store') {
    testMachines(() => cluster)
    testSecrets(() => cluster)
    testClocks(() => cluster)
    testRestore(() => cluster)
  }

  test('refuses an engine for one server in a cluster, and an engine for clusters outside one', async () => {
    const embedded = await cluster.command('server-4', ['serve', '--port', '0', '--engine', 'embedded'])
    expect(embedded).toMatchObject({ code: 6, stderr: expect.stringContaining('the engine "embedded" is for one') })
    const alone = await cluster.command('alone', ['serve', '--port', '0', '--engine', 'store'])
    expect(alone).toMatchObject({ code: 6, stderr: expect.stringContaining('several servers can share') })
  })

  test('shows the same runs on every server, with the worker of each', async () => {
    const lists = await Promise.all(
      cluster.servers.map(async name => {
        const client = await waitFor(`${name} to answer`, () => cluster.client(name))
        return (await client.get<{ items: { id: string }[] }>('/runs?limit=200')).items.map(({ id }) => id)
      }),
    )
    expect(lists[1]).toEqual(lists[0])
    expect(lists[2]).toEqual(lists[0])
    expect((await cluster.runs()).every(({ workerName }) => workerName?.startsWith('worker-'))).toBe(true)
  })
}

function testMachines(cluster: () => ClusterUnderTest): void {
  test('a session that one server starts on a worker can be used at every other server', async () => {
    const [, second, third] = cluster().servers
    const starting = await waitFor('a server', () => cluster().client(second!))
    const cwd = cluster().notes
    const { id } = await starting.post<{ id: string }>('/sessions', { ...SESSION, cwd, env: null, placement: {} })
    const other = await waitFor('another server', () => cluster().client(third!))
    const sent = await waitFor('the message to be taken', async () => {
      const { result } = await other.post<{ result: string }>(`/sessions/${id}/messages`, { text: 'hello' })
      return result === 'delivered' ? result : null
    })
    expect(sent).toBe('delivered')
    await other.post(`/sessions/${id}/stop`, {})
  })

  test('a run in a repository continues on another server, which then has its files', async () => {
    const [, second] = cluster().servers
    const project = await repository(cluster())
    await waitFor(`${second} to answer`, () => cluster().client(second!))
    const gated = `digraph g {
      start [shape=Mdiamond]; done [shape=Msquare]
      one [shape=parallelogram, tool_command="echo one > one.txt"]
      ask [shape=hexagon, label="Go on?"]
      two [shape=parallelogram, tool_command="cat one.txt base.txt > two.txt"]
      start -> one -> ask
      ask -> two [label="[Y] Yes"]
      ask -> done [label="[N] No"]
      two -> done
    }`
    const run = await cluster().startRun(() => gated, { project, server: second! })
    await cluster().gateOf(run)
    cluster().kill(second!)
    await cluster().answerGate(run, 'Y')
    const ended = await waitFor('the run to end', async () =>
      (await cluster().runs()).find(({ id, status }) => id === run && status === 'completed'),
    )
    expect(ended.workerName).toMatch(/^worker-/)
    const worktrees = join(cluster().home(second!), 'data', 'worktrees', basename(project), run)
    await waitFor('the files to be on the server that started it', () => existsSync(join(worktrees, 'two.txt')))
    expect(readFileSync(join(worktrees, 'two.txt'), 'utf8')).toBe('one\nbase\n')
  })
}

function testSecrets(cluster: () => ClusterUnderTest): void {
  test('a worker has neither the address nor the password of the database, and no key of the servers', () => {
    const { settings } = openHome({ env: { ...process.env, SIGNALBOX_HOME: cluster().home('server-1') } })
    const { url, passwordFile } = settings.sharedStore!
    const tokens = cluster().servers.map(name => join(cluster().home(name), 'state', 'token'))
    const secrets = [readFileSync(passwordFile!, 'utf8'), ...tokens.map(file => readFileSync(file, 'utf8'))]
    const wanted = [`:${new URL(url).port}/`, ...secrets.map(secret => secret.trim())]
    expect(wanted.every(secret => secret.length > 5)).toBe(true)
    const found = (name: string) =>
      filesIn(cluster().home(name)).filter(file => wanted.some(secret => readFileSync(file, 'latin1').includes(secret)))
    expect(found('server-1')).not.toEqual([])
    for (const name of cluster().named('worker')) expect(found(name)).toEqual([])
  })
}

function filesIn(directory: string): string[] {
  return readdirSync(directory, { withFileTypes: true }).flatMap(entry => {
    const path = join(directory, entry.name)
    return entry.isDirectory() ? filesIn(path) : entry.isFile() ? [path] : []
  })
}

/** All tables of the store, in the order in which they are locked. */
const TABLES = ['log_end', 'meta', 'events', 'snapshots', 'projections', 'documents', 'document_fields', 'leases']

function testRestore(cluster: () => ClusterUnderTest): void {
  test('continues from a backup of its database that is restored while it runs', async () => {
    const file = join(cluster().notes, 'restored')
    const step = (name: string) => `${name} [shape=parallelogram, tool_command="echo ${name} >> ${file}"]`
    const graph = `digraph g { start [shape=Mdiamond]; done [shape=Msquare]; ${step('one')}; ${step('two')}
      ask [shape=hexagon, label="Go on?"]; start -> one -> ask; ask -> two [label="[Y] Yes"]; two -> done }`
    const run = await cluster().startRun(() => graph)
    const { id: asked } = await cluster().gateOf(run)
    const copies = TABLES.map(table => `CREATE TABLE backup.${table} AS TABLE signalbox.${table}`)
    await cluster().query(`BEGIN ISOLATION LEVEL REPEATABLE READ; CREATE SCHEMA backup; ${copies.join('; ')}; COMMIT`)
    await cluster().answerGate(run, 'Y')
    const isCompleted = async () =>
      (await cluster().runs()).some(({ id, status }) => id === run && status === 'completed')
    await waitFor('the run to end', isCompleted)

    const back = TABLES.map(
      table => `DELETE FROM signalbox.${table}; INSERT INTO signalbox.${table} TABLE backup.${table}`,
    )
    await cluster().query(`BEGIN; LOCK TABLE ${TABLES.map(table => `signalbox.${table}`).join(', ')}; ${back.join('; ')};
      COMMIT; SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'signalbox'`)
    // Every server ends, and starts from what is there: the gate is open again.
    for (const name of cluster().servers)
      await waitFor(`${name} to notice it`, () => cluster().log(name).includes('was rolled back'))
    const { id: askedAgain } = await cluster().gateOf(run)
    expect(askedAgain).toBe(asked)
    await cluster().answerGate(run, 'Y')
    await waitFor('the run to end again', isCompleted)
    expect(readFileSync(file, 'utf8')).toBe('one\ntwo\ntwo\n')
    const store = await cluster().openStore()
    expect([await store.check(), await store.checkChain()]).toEqual([[], []])
    await store.close()
  })
}

const SESSION = { agent: 'demo', args: [], size: null }

async function repository(cluster: ClusterUnderTest): Promise<string> {
  const project = join(cluster.root, 'repository')
  mkdirSync(project)
  writeFileSync(join(project, 'base.txt'), 'base\n')
  const git = (...args: string[]) => execFileSync('git', ['-C', project, ...args], { stdio: 'ignore' })
  git('init', '--quiet', '--initial-branch=main')
  git('add', '.')
  git('-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', 'commit', '--quiet', '-m', 'base')
  return project
}
