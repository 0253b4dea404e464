import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { runCommand } from '../../src/process/index.js'
import { newTestDatabase, type TestDatabase } from '../../src/store/testing/postgres-server.js'
import { describeNeeding } from '../support/requirements.js'
import { CLI, ROOT, TestHome, waitFor } from './harness.js'

/** The commands of the first `sh` blocks below a heading of a guide, each block by itself. */
function blocksOf(guide: string, heading: string): string[][] {
  const text = readFileSync(join(ROOT, 'docs', 'guides', guide), 'utf8')
  const section = text.slice(text.indexOf(`## ${heading}\n`))
  return [...section.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = '']) =>
    block
      .trim()
      .split('\n')
      .map(line => line.replace(/\s+#\s.*$/, '')),
  )
}

describeNeeding('postgres', 'the guides of clusters and workers, followed in three home directories', () => {
  const homes = ['first', 'second', 'machine'].map(() => new TestHome())
  const [first, second, machine] = homes as [TestHome, TestHome, TestHome]
  let database: TestDatabase
  let programs: string
  let passwordFile: string

  beforeAll(async () => {
    database = await newTestDatabase()
    programs = join(first.directory, 'programs')
    mkdirSync(programs)
    writeFileSync(join(programs, 'signalbox'), `#!/bin/sh\nexec '${process.execPath}' '${CLI}' "$@"\n`)
    chmodSync(join(programs, 'signalbox'), 0o755)
    passwordFile = join(first.directory, 'password')
    writeFileSync(passwordFile, `${database.password}\n`, { mode: 0o600 })
  })
  afterAll(async () => {
    for (const home of homes) await home.close()
    await database.drop()
  })

  /** As a person types it on that machine; all homes are on one, which has each port once. */
  const envOf = (home: TestHome) => ({
    ...home.env,
    PATH: `${programs}:${home.env.PATH}`,
    SIGNALBOX_SERVER_PORT: '0',
    SIGNALBOX_WORKER_MIN_FREE_MB: '0',
  })
  async function type(home: TestHome, line: string): Promise<string> {
    const { code, stdout, stderr } = await runCommand('sh', ['-c', line], { cwd: home.work, env: envOf(home) })
    expect([code, stderr], line).toEqual([0, expect.any(String)])
    return stdout
  }
  /** A command that runs until it is stopped. */
  function leave(home: TestHome, line: string): void {
    expect(line).toMatch(/^signalbox (serve|worker)$/)
    const child = home.start(line.split(' ').slice(1), { env: envOf(home) })
    child.stdout!.resume()
    child.stderr!.resume()
  }

  it('set up two servers of one store and a worker that both use', async () => {
    const [settings] = blocksOf('operations.md', 'Set it up')
    for (const home of [first, second])
      for (const line of settings!.map(named)) line === 'signalbox serve' ? leave(home, line) : await type(home, line)
    const answers = (home: TestHome) =>
      waitFor('the server to answer', async () => JSON.parse(await type(home, 'signalbox status --json')).daemon)
    for (const home of [first, second]) await answers(home)

    const [onServer, onMachine] = blocksOf('workers.md', 'Join a machine')
    expect(onServer![0]).toBe('signalbox serve')
    const invitation = await type(first, onServer![1]!)
    const link = /https?:\/\/[^\s"]+#[^\s"]+/.exec(invitation)?.[0]
    expect(link, invitation).toBeDefined()
    // A server without TLS has no fingerprint, and no person is there to be asked.
    await type(machine, `${onMachine![0]!.replace(/"https:[^"]*"/, `"${link}"`)} --yes`)
    leave(machine, onMachine![1]!)
    for (const home of [first, second])
      await waitFor('the worker at both servers', async () => {
        const { items } = JSON.parse(await type(home, 'signalbox workers --json')) as { items: object[] }
        const [worker] = items as { isConnected: boolean; pool: string; labels: Record<string, string> }[]
        return worker?.isConnected && worker.pool === 'build' && worker.labels.gpu === 'yes'
      })
  })

  function named(line: string): string {
    return line
      .replace('postgres://signalbox@db.example:5432/signalbox', `'${database.url}'`)
      .replace('/etc/signalbox/password', passwordFile)
  }
})
