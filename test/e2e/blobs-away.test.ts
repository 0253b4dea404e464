import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { newTestDatabase, type TestDatabase } from '../../src/store/testing/postgres-server.js'
import { describeNeeding } from '../support/requirements.js'
import { GraphHome } from './graph-home.js'
import { type TestHome, waitFor } from './harness.js'
import { killMachine, WorkerSite } from './worker-site.js'

describeNeeding('postgres', 'two servers whose blob store is away', () => {
  let database: TestDatabase
  let first: GraphHome
  let second: GraphHome
  let site: WorkerSite<GraphHome>
  let elsewhere: WorkerSite<GraphHome>
  let place: string

  beforeAll(async () => {
    database = await newTestDatabase()
    first = new GraphHome()
    second = new GraphHome()
    place = join(first.directory, 'mounted')
    mkdirSync(place)
    for (const home of [first, second]) configure(home)
    site = new WorkerSite(first)
    elsewhere = new WorkerSite(second)
    await site.serve()
  })
  afterAll(async () => {
    await elsewhere?.close()
    await site?.close()
    await database?.drop()
  })

  function configure(home: TestHome): void {
    const password = join(home.directory, 'password')
    writeFileSync(password, database.password, { mode: 0o600 })
    mkdirSync(home.path('config'), { recursive: true })
    writeFileSync(
      home.path('config', 'config.toml'),
      `[store]\nurl = "${database.url}"\npassword_file = "${password}"\n[engine]\nkind = "store"\n` +
        `[blobs]\nurl = "${pathToFileURL(place).href}"\n`,
    )
  }

  const unmount = () => renameSync(place, `${place}-gone`)
  const mount = () => renameSync(`${place}-gone`, place)
  const eventsOf = (home: GraphHome, run: string) =>
    home.ndjson<{ type: string; data: { text?: string } }>(['logs', run, '--json'])
  const blobsFinding = async (home: GraphHome) => {
    const findings = JSON.parse((await home.run(['doctor', '--json'])).stdout) as { check: string }[]
    return findings.find(({ check }) => check === 'blobs')
  }

  it('perform steps and lose no files; a run that moves waits for them, and continues when it is back', async () => {
    const [log, gate] = [join(first.directory, 'log'), join(first.directory, 'go')]
    const lines = () => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : [])
    const wait = `while [ ! -e ${gate} ]; do sleep 0.05; done`
    first.write('one.sh', `echo one > one.txt; echo one >> ${log}\n`)
    first.write('two.sh', `echo begun >> ${log}; ${wait}; cat one.txt >> ${log}; echo two > two.txt\n`)
    first.graph(`
      one [shape=parallelogram, tool_command="sh one.sh"];
      two [shape=parallelogram, tool_command="sh two.sh"];
      start -> one -> two -> exit`)
    first.commit('graph')
    const one = await site.joined('one')
    await site.work(one, 'one')
    expect(await blobsFinding(first)).toMatchObject({ level: 'ok' })

    unmount()
    const trust = await first.trust('flow.dot')
    const { run } = await first.json<{ run: string }>([
      'run',
      'flow.dot',
      '--detach',
      '--json',
      ...trust,
      '--on',
      'any',
    ])
    await waitFor('the second step', () => lines().includes('begun'))
    expect(await blobsFinding(first)).toMatchObject({
      level: 'error',
      message: expect.stringMatching(
        /mounted does not work: the directory does not exist; \d+ workspaces? of this server/,
      ),
      next: expect.stringContaining('blobs.url'),
    })
    // What the first step made is saved, on the server that will send it.
    expect((await eventsOf(first, run)).map(({ type }) => type)).toContain('workspace.saved')

    // The files are on a server that is gone, and on a worker that is gone.
    await site.killServer()
    await killMachine(one)
    await elsewhere.serve()
    await elsewhere.work(await elsewhere.joined('two'), 'two')
    await second.ok(['workers', 'lost', 'one'])
    const waits = await waitFor('the step to wait', async () =>
      (await eventsOf(second, run)).find(({ type, data }) => type === 'run.notice' && data.text?.includes('waits')),
    )
    expect(waits.data.text).toContain('the step waits for the files of its run: another server has the files')
    expect((await second.json<{ status: string }>(['show', run, '--json'])).status).toBe('running')
    expect(lines()).toEqual(['one', 'begun'])

    mount()
    await site.serve()
    await waitFor('the second step elsewhere', () => lines().filter(line => line === 'begun').length === 2)
    writeFileSync(gate, '')
    await waitFor('the end', async () => {
      const { status } = await second.json<{ status: string }>(['show', run, '--json'])
      return status === 'completed'
    })
    expect(lines()).toEqual(['one', 'begun', 'begun', 'one'])
    const { cwd } = await first.json<{ cwd: string }>(['show', run, '--json'])
    await waitFor('the files', () => existsSync(join(cwd, 'two.txt')))
    expect(readFileSync(join(cwd, 'one.txt'), 'utf8')).toBe('one\n')
    expect(await blobsFinding(first)).toMatchObject({ level: 'ok', message: expect.not.stringContaining('wait') })
  })
})
