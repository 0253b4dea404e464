import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { loadDriver } from '../../src/store/index.js'
import { newTestDatabase, type TestDatabase } from '../../src/store/testing/postgres-server.js'
import { executableFiles } from '../../src/trust/index.js'
import { BreakingProxy } from '../support/breaking-proxy.js'
import { PartitionProxy } from '../support/partition-proxy.js'
import { describeNeeding } from '../support/requirements.js'
import { TestHome, waitFor } from './harness.js'

const DOT = 'digraph quick { start [shape=Mdiamond]; exit [shape=Msquare]; start -> exit }'

describeNeeding('postgres', 'a home whose events are in PostgreSQL', () => {
  let home: TestHome
  let database: TestDatabase
  let graph: string

  beforeEach(async () => {
    home = new TestHome()
    database = await newTestDatabase()
    graph = join(home.work, 'quick.dot')
    writeFileSync(graph, DOT)
  })
  afterEach(async () => {
    await home.close()
    await database.drop()
  })

  const inDatabase = () => ({ env: { SIGNALBOX_STORE_URL: database.url, PGPASSWORD: database.password } })
  /** A person has approved the file: the test wrote it. */
  const runGraph = async (options: { env?: Record<string, string> } = {}) =>
    home.run(['run', graph, '--trust', (await executableFiles(graph, [])).hash], options)
  const json = async (args: string[], options: { env?: Record<string, string> } = {}) => {
    const { code, stdout, stderr } = await home.run([...args, '--json'], options)
    expect(code, stderr).toBe(0)
    return JSON.parse(stdout)
  }

  it('starts sessions, drives runs, shows the database in doctor, and is the only server of its store', async () => {
    const passwordFile = join(home.directory, 'password')
    writeFileSync(passwordFile, `${database.password}\n`)
    const daemon = home.start(['serve', '--port', '0', '--store', database.url], {
      env: { SIGNALBOX_STORE_PASSWORD_FILE: passwordFile },
    })
    const ended = home.finish(daemon)
    const env = { SIGNALBOX_STORE_URL: database.url, SIGNALBOX_STORE_PASSWORD_FILE: passwordFile }
    await waitFor('the daemon', async () => (await json(['status'], { env })).daemon)
    const started = await json(['start', 'demo', '--name', 'shared'], { env })
    expect((await runGraph({ env })).code).toBe(0)
    const sessions = (await json(['sessions'], { env })) as { id: string }[]
    expect(sessions.map(({ id }) => id)).toContain(started.id)
    expect(await json(['runs'], { env })).toMatchObject([{ status: 'completed' }])
    const [{ count }] = (await database.query(
      "SELECT count(*)::int AS count FROM events WHERE stream LIKE 'session/%'",
    )) as [{ count: number }]
    expect(count).toBeGreaterThan(0)
    const findings = (await json(['doctor'], { env })) as { check: string; level: string; message: string }[]
    expect(findings.find(({ check }) => check === 'store')).toMatchObject({
      level: 'ok',
      message: expect.stringContaining(database.url),
    })
    const second = new TestHome()
    const refused = await second.run(['serve', '--port', '0'], { env })
    expect(refused).toMatchObject({
      code: 6,
      stderr: expect.stringMatching(
        /another server uses this store, and the engine "embedded" is for one[\s\S]*--engine store/,
      ),
    })
    await second.close()
    expect((await json(['status'], { env })).daemon).toBeTruthy()
    expect((await home.run(['serve', '--stop'], { env })).code).toBe(0)
    expect((await ended).code).toBe(0)
  })

  describe('a daemon that loses its database', () => {
    let proxy: BreakingProxy
    beforeEach(async () => {
      proxy = await BreakingProxy.before(database.url)
    })
    afterEach(() => proxy.close())

    const env = () => ({ SIGNALBOX_STORE_URL: proxy.url, PGPASSWORD: database.password })
    const serve = () => home.finish(home.start(['serve', '--port', '0'], { env: env() }))

    it('ends with exit code 1', async () => {
      const ended = serve()
      await waitFor('the daemon', async () => (await json(['status'], { env: env() })).daemon)
      await proxy.close()
      const { code, stderr } = await ended
      expect(stderr).toContain('does not answer')
      expect(code).toBe(1)
    })

    it('ends with exit code 1 if the network drops packets without closing connections', async () => {
      const cut = await PartitionProxy.to(Number(new URL(database.url).port))
      const url = database.url.replace(/:\d+\//, `:${cut.port}/`)
      const cutEnv = { SIGNALBOX_STORE_URL: url, PGPASSWORD: database.password }
      const ended = home.finish(home.start(['serve', '--port', '0'], { env: cutEnv }))
      await waitFor('the daemon', async () => (await json(['status'], { env: cutEnv })).daemon)
      cut.cut()
      const { code, stderr } = await ended
      expect(stderr).toContain('does not answer')
      expect(code).toBe(1)
      await cut.close()
    })

    it('ends with exit code 1 if it loses the database while it starts', async () => {
      let isAway = false
      proxy.onRequest = data => {
        isAway ||= data.includes('host.started')
        return isAway ? 'lose request' : 'pass'
      }
      const { code, stderr } = await serve()
      expect(stderr).toContain('does not answer')
      expect(code).toBe(1)
    })
  })

  it('is not moved if its ledger was changed', async () => {
    expect((await runGraph()).code).toBe(0)
    const driver = await loadDriver()
    const file = new driver(home.path('data', 'signalbox.db'))
    file.exec('UPDATE meta SET value = replace(value, \'"value":"\', \'"value":"f\') WHERE key = \'chain\'')
    file.close()
    const { code, stderr } = await home.run(['store', 'move', '--to', database.url], {
      env: { PGPASSWORD: database.password },
    })
    expect([code, stderr]).toEqual([6, expect.stringContaining('is not moved')])
    expect(await database.query("SELECT to_regclass('events') AS found")).toEqual([{ found: null }])
  })

  it('refuses a password in the URL, and does not repeat it', async () => {
    const url = 'postgres://me:canary@127.0.0.1:1/signalbox'
    for (const args of [
      ['serve', '--store', url],
      ['serve', '--background', '--store', url],
      ['store', 'move', '--to', url],
    ]) {
      const { code, stdout, stderr } = await home.run(args)
      expect(code, args.join(' ')).toBe(2)
      expect(stderr).toContain('store.password_file')
      expect(stdout + stderr).not.toContain('canary')
    }
    const { code, stderr } = await home.run(['runs'], { env: { SIGNALBOX_STORE_URL: url } })
    expect(code).toBe(2)
    expect(stderr).not.toContain('canary')
  })

  it('takes over the events of a SQLite store, which is then marked as moved', async () => {
    expect((await runGraph()).code).toBe(0)
    const before = await json(['runs'])
    const { id, events } = await json(['store'])
    const { env } = inDatabase()
    const moved = await home.run(['store', 'move', '--to', database.url], { env: { PGPASSWORD: database.password } })
    expect(moved.stderr).toBe('')
    expect(moved.code).toBe(0)
    expect(await json(['store'], { env })).toEqual({ store: database.url, id, events })
    expect(await json(['runs'], { env })).toEqual(before)
    expect((await runGraph({ env })).code).toBe(0)
    expect(await json(['runs'], { env })).toHaveLength(2)
    const findings = (await json(['doctor'], { env })) as { check: string; level: string }[]
    for (const check of ['store', 'ledger'])
      expect(findings.find(finding => finding.check === check)).toMatchObject({ level: 'ok' })
    const old = await home.run(['runs'])
    expect(old.code).toBe(6)
    expect(old.stderr).toContain(database.url)
  })

  it('is not moved into a database that has events', async () => {
    expect((await runGraph(inDatabase())).code).toBe(0)
    expect((await runGraph()).code).toBe(0)
    const before = await database.query('SELECT position FROM log_end')
    const { env } = { env: { PGPASSWORD: database.password } }
    const { code, stderr } = await home.run(['store', 'move', '--to', database.url], { env })
    expect([code, stderr]).toEqual([6, expect.stringContaining('already has events')])
    expect(await database.query('SELECT position FROM log_end')).toEqual(before)
    expect((await home.run(['runs'])).code).toBe(0)
  })
})
