import { type ChildProcess, spawn } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { connect } from 'node:http2'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { engineBinary } from '../../src/daemon/engine-binary.js'
import { publicKeyOf } from '../../src/engine/restate/index.js'
import { freePort } from '../../src/process/index.js'
import { TestHome, waitFor } from '../e2e/harness.js'
import { describeNeeding } from '../support/requirements.js'

describeNeeding('restate', 'a server with an external Restate', () => {
  const home = new TestHome()
  let restate: ChildProcess
  let [ingress, admin, port] = [0, 0, 0]
  let key = ''

  beforeAll(async () => {
    ;[ingress, admin, port] = [freePort(), freePort(), freePort()]
    const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    key = publicKeyOf(pem)
    restate = startRestate(home, { ingress, admin, pem })
  })
  afterAll(async () => {
    const exit = new Promise(resolve => restate.once('exit', resolve))
    restate.kill('SIGKILL')
    await exit
    await home.close()
  })

  const settings = () => ({
    SIGNALBOX_ENGINE_PORT: String(port),
    SIGNALBOX_ENGINE_IDENTITY_KEY: key,
    SIGNALBOX_SERVER_PORT: '0',
  })
  const engine = () => `restate+http://127.0.0.1:${ingress}?admin=http://127.0.0.1:${admin}`
  const status = async () => (await home.run(['engine', 'status', '--json'], { env: settings() })).stdout

  test('starts no Restate node, and accepts calls from that Restate only', async () => {
    const started = await home.run(['serve', '--background', '--engine', engine()], { env: settings() })
    expect(started.code).toBe(0)
    await waitFor('Restate to answer', async () => JSON.parse(await status()).isAnswering === true)
    const { services } = (await (await fetch(`http://127.0.0.1:${admin}/services`)).json()) as {
      services: { name: string }[]
    }
    const [name] = services.map(service => service.name)
    expect(name).toMatch(/^signalbox-./)
    // Restate answers when the server has: the run is unknown, so it needs no turn.
    const called = await fetch(`http://127.0.0.1:${ingress}/${name}/run_none/turn`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    })
    expect(called.status).toBe(200)
    expect(await unsignedStatus(port, `/invoke/${name}/turn`)).toBe(401)
  })

  test('is refused without the key that Restate signs with', async () => {
    await home.run(['serve', '--stop'], { env: settings() })
    const { SIGNALBOX_ENGINE_IDENTITY_KEY: _, ...without } = settings()
    const refused = await home.run(['serve', '--engine', engine()], { env: without })
    expect(refused).toMatchObject({ code: 6, stderr: expect.stringContaining('engine.identity_key') })
    const unknown = await home.run(['serve', '--engine', 'temporal'], { env: settings() })
    expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('unknown engine "temporal"') })
  })
})

function startRestate(
  home: TestHome,
  { ingress, admin, pem }: { ingress: number; admin: number; pem: string },
): ChildProcess {
  const file = join(home.directory, 'restate.toml')
  writeFileSync(join(home.directory, 'identity.pem'), pem, { mode: 0o600 })
  writeFileSync(
    file,
    `base-dir = ${JSON.stringify(join(home.directory, 'restate'))}
auto-provision = true
disable-telemetry = true
log-filter = "warn"
listen-mode = "tcp"
bind-address = "127.0.0.1:0"
default-num-partitions = 1

[worker.invoker]
request-identity-private-key-pem-file = ${JSON.stringify(join(home.directory, 'identity.pem'))}

[ingress]
bind-address = "127.0.0.1:${ingress}"

[admin]
bind-address = "127.0.0.1:${admin}"
disable-web-ui = true
`,
  )
  const binary = engineBinary(process.env)
  return spawn(binary, ['--config-file', file], { cwd: home.directory, env: home.env, stdio: 'ignore' })
}

async function unsignedStatus(port: number, path: string): Promise<number> {
  const session = connect(`http://127.0.0.1:${port}`)
  const request = session.request({ ':method': 'POST', ':path': path })
  request.end()
  const status = await new Promise<number>((resolve, reject) => {
    request.once('response', headers => resolve(Number(headers[':status'])))
    request.once('error', reject)
  })
  session.destroy()
  return status
}
