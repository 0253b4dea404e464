import { spawnSync } from 'node:child_process'
import { createHash, X509Certificate } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { describeNeeding } from '../support/requirements.js'
import { TestHome } from './harness.js'
import { InsideHome } from './inside.js'
import { TmuxTerminal } from './tmux.js'
import { WorkerSite } from './worker-site.js'

let site: WorkerSite
let machine: TestHome
let terminal: TmuxTerminal | null

beforeEach(() => {
  site = new WorkerSite(new TestHome())
  machine = new InsideHome()
  site.machines.push(machine)
  terminal = null
})
afterEach(async () => {
  terminal?.close()
  await site.close()
})

const invited = () => site.server.json<{ link: string; fingerprint: string | null }>(['workers', 'invite', '--json'])
const names = async () => (await site.workers()).map(({ name }) => name)
const joining = (link: string, ...options: string[]) =>
  machine.run(['worker', 'join', link, '--name', 'w1', ...options])

test('without a terminal, a server that nothing vouches for is refused, and its token can still be used', async () => {
  await site.serve()
  const { link, fingerprint } = await invited()
  expect(fingerprint).toBeNull()
  const refused = await joining(link)
  expect(refused).toMatchObject({ code: 4, stderr: expect.stringContaining('no terminal to ask in') })
  expect(refused.stderr).toContain('--yes')
  expect(refused.stdout).toContain('none: the connection is not encrypted')
  expect(await names()).toEqual([])
  const json = await joining(link, '--yes', '--json')
  expect(JSON.parse(json.stdout)).toMatchObject({ name: 'w1', pin: null })
  expect(await names()).toEqual(['w1'])
})

describeNeeding('tmux', 'worker join at a terminal', () => {
  test('shows the server and joins it only when the person agrees', async () => {
    await site.serve()
    const { link } = await invited()
    terminal = new TmuxTerminal(machine, { cols: 140 })
    terminal.run('worker', 'join', link, '--name', 'w1')
    await terminal.see(/server +http:\/\/127\.0\.0\.1:\d+\nfingerprint +none/)
    await terminal.see('Join it? [y/N]')
    terminal.key('Enter')
    await terminal.see('Nothing was joined.')
    expect(await names()).toEqual([])
    terminal.run('worker', 'join', link, '--name', 'w1')
    await terminal.see(/Join it\? \[y\/N\](?!.*Nothing was joined)/s)
    terminal.type('y')
    terminal.key('Enter')
    await terminal.see('Now start it: signalbox worker')
    expect(await names()).toEqual(['w1'])
  })
})

describeNeeding('openssl', 'a server with a certificate of its own', () => {
  let fingerprint: string

  beforeEach(async () => {
    const { server } = site
    const [certFile, keyFile] = [join(server.directory, 'cert.pem'), join(server.directory, 'key.pem')]
    const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-keyout', keyFile]
    const made = spawnSync('openssl', ['req', '-x509', ...key, '-subj', '/CN=localhost', '-nodes', '-out', certFile])
    if (made.status !== 0) throw new Error(String(made.stderr))
    const spki = new X509Certificate(readFileSync(certFile)).publicKey.export({ format: 'der', type: 'spki' })
    fingerprint = createHash('sha256').update(spki).digest('base64url')
    mkdirSync(server.path('config'), { recursive: true })
    writeFileSync(server.path('config', 'config.toml'), `[server]\ntls_cert = "${certFile}"\ntls_key = "${keyFile}"\n`)
    await site.serve()
  })

  test('is joined without a terminal if the link names its fingerprint', async () => {
    const made = await invited()
    expect(made.fingerprint).toBe(`SHA256:${fingerprint}`)
    const joined = await joining(made.link)
    expect(joined).toMatchObject({ code: 0, stdout: expect.stringContaining(`SHA256:${fingerprint} (as in the link)`) })
    expect(await names()).toEqual(['w1'])
    await site.work(machine, 'w1')
  })

  test('does not get the token if the link names another fingerprint, or none', async () => {
    const { link } = await invited()
    const other = createHash('sha256').update('another key').digest('base64url')
    const forged = await joining(link.replace(fingerprint, other), '--yes')
    expect(forged).toMatchObject({
      code: 6,
      stderr: expect.stringContaining(`SHA256:${fingerprint}; expected: SHA256:`),
    })
    const unnamed = await joining(link.replace(`.${fingerprint}`, ''), '--yes')
    expect(unnamed).toMatchObject({ code: 6, stderr: expect.stringContaining('self-signed') })
    expect(await names()).toEqual([])
    expect((await joining(link)).code).toBe(0)
  })
})
