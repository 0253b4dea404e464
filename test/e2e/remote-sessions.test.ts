import type { ChildProcess } from 'node:child_process'
import { statSync, writeFileSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { describeNeeding } from '../support/requirements.js'
import { type SessionInfo, type TestHome, waitFor } from './harness.js'
import { InsideHome } from './inside.js'
import { TmuxTerminal } from './tmux.js'
import { kill, killMachine, WorkerSite } from './worker-site.js'

interface Approval {
  id: string
  state: string
  fingerprint: string
  subject: { session: string }
  outcome?: { reason?: string }
}

let site: WorkerSite<InsideHome>
let server: InsideHome
let machine: TestHome
/** The worker's program; null after a test has killed it. */
let working: ChildProcess | null = null

beforeAll(async () => {
  server = new InsideHome()
  site = new WorkerSite(server)
  await site.serve()
  machine = await site.joined('first')
})
beforeEach(async () => {
  working ??= await site.work(machine, 'first')
})
afterEach(async () => {
  const live = await server.json<SessionInfo[]>(['sessions', '--json'])
  for (const { id } of live) await server.ok(['stop', id])
})
afterAll(() => site.close())

async function killWorker(): Promise<void> {
  await kill(working!)
  working = null
}

async function killFirstMachine(): Promise<void> {
  await killMachine(machine)
  working = null
}

/** A demo agent on the worker; it asks for permission after each prompt. */
async function start(...options: string[]): Promise<SessionInfo & { on: string }> {
  const file = join(machine.work, 'asks.json')
  const asks = { tool: { name: 'Shell', kind: 'shell', command: 'touch made', permission: true, onDeny: 'continue' } }
  const steps = [asks, { say: { markdown: 'All done.' } }]
  writeFileSync(file, JSON.stringify({ name: 'asks', turns: [], otherwise: { steps } }))
  const where = ['--on', 'first', '--cwd', machine.work, ...options]
  const args = ['start', 'demo', '--json', ...where, '--', '--scenario', file, '--speed', '5']
  const session = await server.json<SessionInfo & { on: string }>(args)
  await server.ok(['wait', session.id, '--for', 'idle', '--timeout', '60'])
  return session
}

/** The whole recording is in the blobs of the server. */
async function isSaved(session: string): Promise<boolean> {
  const file = join(machine.home, 'data', 'worker', 'recordings', `${session}.cast`)
  const socketPath = server.path('run', 'signalbox.sock')
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get({ socketPath, path: `/api/v1/recordings?session=${session}` }, resolve).on('error', reject)
  })
  const { items } = (await json(response)) as { items: { bytes: number }[] }
  return items[0]?.bytes === statSync(file).size
}

const approvals = () => server.json<Approval[]>(['approvals', '--all', '--json'])

async function asked(session: string): Promise<Approval> {
  const result = await server.run(['send', session, 'go', '--wait', '--timeout', '60'])
  expect(result.code).toBe(4)
  return (await approvals()).find(({ subject, state }) => subject.session === session && state === 'pending')!
}

const decide = ({ id, fingerprint }: Approval) => server.run(['approve', id, '--fingerprint', fingerprint])
const isApplied = ({ id }: Approval) =>
  waitFor('the decision to be applied', async () => (await approvals()).find(a => a.id === id)?.state === 'applied')

it('a session on a worker works like a local one: prompt, request, decision, answer, end', async () => {
  const session = await start('--name', 'far away')
  const idleAt = (Date.now() - session.startedAt) / 1000
  expect(session.on).toBe('first')
  expect((await server.ok(['sessions'])).stdout).toMatch(/demo .* idle .* far away/)
  expect((await site.worker('first'))!.sessions).toEqual([session.id])
  const request = await asked(session.id)
  expect(await decide(request)).toMatchObject({ code: 0, stdout: expect.stringContaining('applied') })
  await server.ok(['wait', session.id, '--for', 'idle', '--timeout', '60'])
  expect((await server.ok(['read', session.id])).stdout).toContain('All done.')
  expect((await server.ok(['read', session.id, '--screen'])).stdout).toContain('All done.')
  const explained = await server.ndjson<{ type: string; view?: string; authority?: string }>(['explain', session.id])
  expect(explained[0]).toMatchObject({ view: 'idle_prompt' })
  // Its agent reports to the worker by hooks, and the worker has its files.
  expect(explained).toContainEqual(expect.objectContaining({ type: 'evidence', authority: 'hook' }))
  writeFileSync(join(machine.work, 'note.txt'), 'on the worker\n')
  expect((await server.ok(['files', 'get', session.id, 'note.txt', '-o', '-'])).stdout).toBe('on the worker\n')
  await server.ok(['stop', session.id])
  await waitFor('its end', async () => (await server.session(session.id)).state === 'ended')
  expect((await site.worker('first'))!.sessions).toEqual([])
  // Its recording outlives the machine.
  await waitFor('its recording', async () => isSaved(session.id))
  await killFirstMachine()
  const replayed = await server.ok(['replay', session.id, '--markdown'])
  expect(replayed.stdout).toContain('All done.')
  expect((await server.ok(['explain', session.id, '--at', idleAt.toFixed(1)])).stdout).toContain('idle_prompt')
})

it('a session survives its worker’s program and its server; later decisions are applied', async () => {
  const session = await start()
  const request = await asked(session.id)
  await killWorker()
  await waitFor('the server to notice', async () => !(await site.worker('first'))!.isConnected)
  const away = await server.run(['interrupt', session.id], { timeoutMs: 60_000 })
  expect(away).toMatchObject({ code: 5, stderr: expect.stringContaining('worker first is away since 20') })
  expect((await server.ok(['sessions'])).stdout).toContain('away')
  expect((await server.run(['approve', request.id, '--fingerprint', request.fingerprint, '--no-wait'])).code).toBe(0)
  await site.killServer()
  await site.serve()
  working = await site.work(machine, 'first')
  await isApplied(request)
  await server.ok(['wait', session.id, '--for', 'idle', '--timeout', '60'])
  expect((await server.ok(['read', session.id])).stdout).toContain('All done.')
})

it('a session for which no worker has room waits for one and shows why', async () => {
  const args = ['start', 'demo', '--json', '--needs', 'gpu=yes', '--cwd', machine.work]
  const refused = await server.run([...args, '--no-queue'])
  expect(refused).toMatchObject({ code: 4, stderr: expect.stringContaining('no worker has the label gpu=yes') })
  const waiting = server.start(args)
  let said = ''
  waiting.stderr!.on('data', chunk => {
    said += String(chunk)
  })
  await waitFor('the reason', () => said.includes('waiting: no worker has the label gpu=yes'))
  const finished = server.finish(waiting, 60_000)
  await site.work(await site.joined('strong', '--label', 'gpu=yes'), 'strong')
  expect(JSON.parse((await finished).stdout)).toMatchObject({ on: 'strong' })
})

describeNeeding('tmux', 'attach through the server', () => {
  it('shows the screen of the worker, forwards keys, and reconnects after a restart of either side', async () => {
    const { id } = await start()
    const isAttached = async () =>
      ((await server.session(id)) as { holder?: { kind: string } }).holder?.kind === 'person'
    const person = new TmuxTerminal(server)
    try {
      person.run('attach', id)
      await person.see('enter to send')
      person.type('hello from afar')
      await person.see(/▷ hello from afar/)
      await site.killServer()
      await site.serve()
      await waitFor('the terminal to be attached again', isAttached)
      person.type(' again')
      await person.see(/▷ hello from afar again/)
      await killWorker()
      working = await site.work(machine, 'first')
      await waitFor('the terminal to be attached again', isAttached)
      person.type(' and again')
      await person.see(/▷ hello from afar again and again/)
      person.key('C-]')
      await person.see('[detached]')
    } finally {
      person.close()
    }
  })
})

// The last test: its worker does not come back.
it('a lost worker ends its sessions and cancels their requests', async () => {
  const session = await start()
  const request = await asked(session.id)
  await killFirstMachine()
  await server.ok(['workers', 'lost', 'first'])
  expect(await server.session(session.id)).toMatchObject({ state: 'lost', endReason: 'worker first is lost' })
  const cancelled = (await approvals()).find(({ id }) => id === request.id)
  expect(cancelled).toMatchObject({ state: 'cancelled', outcome: { reason: 'worker lost' } })
  expect((await server.run(['send', session.id, 'x'])).stderr).toContain('is lost: worker first is lost')
})
