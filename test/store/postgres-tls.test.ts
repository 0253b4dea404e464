import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { TLSSocket } from 'node:tls'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type CommandRun, TestHome } from '../e2e/harness.js'
import { BreakingProxy } from '../support/breaking-proxy.js'
import { Authority, type Certificate } from '../support/certificates.js'
import { OwnPostgres } from '../support/own-postgres.js'
import { describeNeeding } from '../support/requirements.js'
import { waitFor } from '../support/wait-for.js'

const NAMED_HOST = fileURLToPath(new URL('../support/named-host.mjs', import.meta.url))
/** https://www.postgresql.org/docs/current/protocol-message-formats.html: SSLRequest. */
const SSL_REQUEST = Buffer.from('0000000804d2162f', 'hex')

describeNeeding('openssl', 'a PostgreSQL on another machine', () => {
  describeNeeding('postgres', 'is used over verified TLS only', () => {
    let directory: string
    let home: TestHome
    let database: OwnPostgres
    let own: Authority
    let foreign: Authority
    const right = (): Certificate => own.sign('db.test')

    beforeAll(async () => {
      directory = mkdtempSync(join(tmpdir(), 'signalbox-postgres-tls-'))
      ;[own, foreign] = [new Authority(directory, 'own'), new Authority(directory, 'foreign')]
      home = new TestHome()
      database = new OwnPostgres()
      writeFileSync(join(home.directory, 'password'), database.password)
    })
    afterAll(async () => {
      await home?.close()
      await database?.close()
      rmSync(directory, { recursive: true, force: true })
    })

    /** What a server that reaches the database by this name has in its environment. */
    const envOf = (url: string) => ({
      NODE_OPTIONS: `--import ${NAMED_HOST}`,
      NODE_EXTRA_CA_CERTS: own.file,
      SIGNALBOX_STORE_URL: url.replace('127.0.0.1', 'db.test'),
      SIGNALBOX_STORE_PASSWORD_FILE: join(home.directory, 'password'),
    })

    /** Starts the database with this certificate; what clients send to it is kept. */
    const behindProxy = async (certificate: Certificate | null) => {
      await database.stop()
      await database.start({
        ssl: certificate ? 'on' : 'off',
        ...(certificate && {
          ssl_cert_file: database.secret('server.crt', certificate.cert),
          ssl_key_file: database.secret('server.key', certificate.key),
        }),
      })
      const proxy = await BreakingProxy.before(database.url('postgres'))
      const sent: Buffer[] = []
      proxy.onRequest = data => {
        sent.push(Buffer.from(data, 'latin1'))
        return 'pass'
      }
      return { url: proxy.url, bytes: () => Buffer.concat(sent), close: () => proxy.close() }
    }

    /** A server that is not refused would stay. */
    const serve = (url: string, env: Record<string, string> = {}): Promise<CommandRun> => {
      const child = home.start(['serve', '--port', '0'], { env: { ...envOf(url), ...env } })
      child.stderr!.on('data', chunk => {
        if (String(chunk).includes('listening on')) child.kill('SIGKILL')
      })
      return home.finish(child)
    }

    it('with a certificate of its authority for its name: every connection is encrypted', async () => {
      const { url, bytes, close } = await behindProxy(right())
      const child = home.start(['serve', '--port', '0'], { env: envOf(url) })
      const ended = home.finish(child)
      let said = ''
      child.stderr!.on('data', chunk => {
        said += String(chunk)
      })
      await waitFor('the server', () => said.includes('listening on'))
      const found = await database.query(`SELECT ssl, version FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
        WHERE application_name = 'signalbox'`)
      expect(found.length).toBeGreaterThan(1)
      expect(found).toEqual(found.map(() => ({ ssl: true, version: 'TLSv1.3' })))
      for (const word of ['postgres', 'signalbox', 'events', 'SELECT', 'SCRAM'])
        expect(bytes().includes(word)).toBe(false)
      child.kill('SIGTERM')
      await ended
      await close()
    })

    it.each([
      ['of its authority for another name', () => own.sign('other.test'), /does not match certificate's altnames/],
      ['of another authority for its name', () => foreign.sign('db.test'), /unable to (verify|get)/],
    ])('not with a certificate %s', async (_, certificate, reason) => {
      const { url, bytes, close } = await behindProxy(certificate())
      // The variable turns the check off for connections that do not ask for it.
      for (const env of [{}, { NODE_TLS_REJECT_UNAUTHORIZED: '0' }]) {
        const { code, stderr } = await serve(url, env)
        expect(code).toBe(1)
        expect(stderr).toMatch(/the server of the store postgres:\/\/postgres@db\.test:\d+\/postgres is not trusted/)
        expect(stderr).toMatch(reason)
        expect(stderr).toContain('NODE_EXTRA_CA_CERTS')
      }
      expect(plainTextIn(bytes())).toEqual([])
      await close()
    })

    it('not without TLS', async () => {
      const { url, bytes, close } = await behindProxy(null)
      const { code, stderr } = await serve(url)
      expect([code, stderr]).toEqual([1, expect.stringMatching(/is not trusted: The server does not support SSL/)])
      expect(bytes().equals(SSL_REQUEST)).toBe(true)
      await close()
    })

    it('sends nothing to an impostor, not even encrypted', async () => {
      const read: Buffer[] = []
      const impostor = await impostorOf(foreign.sign('db.test'), data => read.push(data))
      const { port } = impostor.address() as { port: number }
      const { stderr } = await serve(`postgres://ada@127.0.0.1:${port}/team`)
      expect(stderr).toContain('is not trusted')
      expect(Buffer.concat(read).toString()).toBe('')
      await new Promise(resolve => impostor.close(resolve))
    })
  })
})

/** What a client sent outside of TLS records and of the request for TLS, as text. */
function plainTextIn(bytes: Buffer): string[] {
  const plain: string[] = []
  for (let at = 0; at < bytes.length; ) {
    const rest = bytes.subarray(at)
    if (rest.subarray(0, SSL_REQUEST.length).equals(SSL_REQUEST)) {
      at += SSL_REQUEST.length
      continue
    }
    // A record has its type, its version and its length.
    const isRecord = rest.length >= 5 && rest[0]! >= 20 && rest[0]! <= 23 && rest[1] === 3
    if (!isRecord) return [...plain, rest.toString('latin1')]
    at += 5 + rest.readUInt16BE(3)
  }
  return plain
}

/** Speaks TLS as PostgreSQL does, and shows what it could decrypt. */
async function impostorOf({ cert, key }: Certificate, onData: (data: Buffer) => void): Promise<Server> {
  const server = createServer(socket => {
    socket.on('error', () => undefined)
    socket.once('data', () => {
      socket.write('S')
      const secure = new TLSSocket(socket, { isServer: true, cert, key })
      secure.on('data', onData)
      secure.on('error', () => undefined)
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return server
}
