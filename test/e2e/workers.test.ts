import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { connect } from '../../src/client/index.js'
import { People } from '../../src/people/index.js'
import { FakeBotApi } from '../../src/telegram/fake/index.js'
import { executableFiles } from '../../src/trust/index.js'
import { GraphHome } from './graph-home.js'
import { TestHome, waitFor } from './harness.js'
import { kill, killMachine, slowGraph, WorkerSite } from './worker-site.js'

let site: WorkerSite<GraphHome>
let server: GraphHome

beforeEach(async () => {
  server = new GraphHome()
  site = new WorkerSite(server)
  await site.serve()
})
afterEach(() => site.close())

const joined = (name: string, ...options: string[]) => site.joined(name, ...options)
const work = (machine: TestHome, name: string, env: Record<string, string> = {}) => site.work(machine, name, env)
const worker = (name: string) => site.worker(name)

async function start(...options: string[]): Promise<string> {
  const trust = await server.trust('flow.dot')
  return (await server.json<{ run: string }>(['run', 'flow.dot', '--detach', '--json', ...trust, ...options])).run
}

const show = (id: string) =>
  server.json<{ status: string; worker: string | null; why: string | null; cwd: string }>(['show', id, '--json'])

const isCompleted = (id: string) => waitFor('the end', async () => (await show(id)).status === 'completed')

describe('a run on a worker', () => {
  test('moves when its worker is permanently gone, and no finished step runs again', async () => {
    const { lines, letEnd } = slowGraph(server)
    const [first, second] = [await joined('first'), await joined('second')]
    await work(first, 'first')
    const id = await start('--on', 'any')
    await waitFor('the second step', () => lines().includes('begun'))
    expect(await worker('first')).toMatchObject({ runs: [id], steps: expect.any(Number) })
    await killMachine(first)
    await work(second, 'second')
    await server.ok(['workers', 'lost', 'first'])
    await waitFor('the second step elsewhere', () => lines().filter(line => line === 'begun').length === 2)
    letEnd()
    await isCompleted(id)
    expect(lines()).toEqual(['one', 'begun', 'begun', 'two', 'three'])
    expect((await worker('second'))?.runs).toEqual([])
  })

  test('gets its workspace with uncommitted changes, and its result is returned to the server', async () => {
    const [log, gate] = [join(server.directory, 'log'), join(server.directory, 'go')]
    const make = 'printf one > made.txt; head -c 4 /dev/zero > binary; rm README.md'
    const wait = `while [ ! -e ${gate} ]; do sleep 0.05; done`
    server.write('script.sh', `${make}; pwd >> ${log}\n`)
    server.write('wait.sh', `pwd >> ${log}; ${wait}; cat made.txt >> ${log}; test ! -e README.md; echo two > two.txt\n`)
    server.graph(`
      one [shape=parallelogram, tool_command="sh script.sh"];
      two [shape=parallelogram, tool_command="sh wait.sh"];
      start -> one -> two -> exit`)
    server.commit('graph')
    const [first, second] = [await joined('first'), await joined('second')]
    await work(first, 'first')
    const id = await start('--on', 'any')
    const lines = () => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : [])
    await waitFor('the second step', () => lines().length === 2)
    await killMachine(first)
    await work(second, 'second')
    await server.ok(['workers', 'lost', 'first'])
    await waitFor('the second step elsewhere', () => lines().length === 3)
    writeFileSync(gate, '')
    await isCompleted(id)
    const { cwd } = await show(id)
    expect(lines().map(line => [first, second].findIndex(({ home }) => line.startsWith(home)))).toEqual([0, 0, 1, -1])
    expect(lines()[3]).toBe('one')
    await waitFor('the workspace on the server', () => existsSync(join(cwd, 'two.txt')))
    expect(readFileSync(join(cwd, 'binary'))).toEqual(Buffer.alloc(4))
    expect([existsSync(join(cwd, 'made.txt')), existsSync(join(cwd, 'README.md'))]).toEqual([true, false])
  })

  test('lets the server decide a request of a oneshot’s agent, and returns the result to the server', async () => {
    await work(await joined('first'), 'first', server.demo())
    const task = ['oneshot', 'x', '--agent', 'demo', '--permissions', 'ask', '--on', 'first', '--detach', '--json']
    const { run: id } = await server.json<{ run: string }>(task)
    const asked = await waitFor('the request', async () => {
      const list = await server.json<{ id: string; fingerprint: string }[]>(['approvals', '--json'])
      return list[0]
    })
    await server.ok(['approve', asked.id, '--fingerprint', asked.fingerprint])
    await isCompleted(id)
    const { cwd } = await show(id)
    const file = join(cwd, 'DEMO.md')
    // Git makes the file before it has its content.
    await waitFor('the file at home', () => existsSync(file) && readFileSync(file, 'utf8') === '- x\n')
    expect(existsSync(join(server.work, 'DEMO.md'))).toBe(false)
  })

  test('returns the commits of an implementation and its review, and changes nothing else', async () => {
    await work(await joined('first'), 'first', server.demo())
    const pipeline = (...args: string[]) => [...args, '--agent', 'demo', '--on', 'first', '--json']
    const refused = await server.run(pipeline('implement', '--title', 'x', '--in-place'))
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('--in-place cannot be combined') })
    const made = pipeline('implement', '--title', 'Add a greeting', '--auto-approve', '--detach')
    const { run: id } = await server.json<{ run: string }>(made)
    await isCompleted(id)
    const { cwd, worker: place } = await show(id)
    expect(place).toMatch(/^wrk_/)
    const commits = () => server.git('-C', cwd, 'log', '--format=%s', 'main..HEAD')
    await waitFor('the commits at home', () => commits() !== '')
    const range = `main...${server.git('-C', cwd, 'rev-parse', 'HEAD').trim()}`
    const { run: review } = await server.json<{ run: string }>(pipeline('review', range, '--no-fix', '--detach'))
    await isCompleted(review)
    expect(await show(review)).toMatchObject({ worker: place })
    expect(server.git('status', '--porcelain')).toBe('')
  })

  test('is moved by a person: its step stops and starts again on the other worker', async () => {
    const { lines, letEnd } = slowGraph(server)
    await work(await joined('first'), 'first')
    const id = await start('--on', 'any')
    await waitFor('the second step', () => lines().includes('begun'))
    expect(await server.run(['runs', 'move', id])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('cannot move'),
    })
    await work(await joined('second'), 'second')
    await server.ok(['runs', 'move', id, '--to', 'second'])
    await waitFor('the second step elsewhere', () => lines().filter(line => line === 'begun').length === 2)
    await waitFor('the first worker to stop it', async () => (await worker('first'))?.steps === 0)
    letEnd()
    await isCompleted(id)
    expect(lines()).toEqual(['one', 'begun', 'begun', 'two', 'three'])
    expect((await server.ok(['runs'])).stdout).toContain('on second')
  })

  test('continues after its worker was killed and started again', async () => {
    const { lines, letEnd } = slowGraph(server)
    const machine = await joined('first')
    const child = await work(machine, 'first')
    const id = await start('--on', 'first')
    await waitFor('the second step', () => lines().includes('begun'))
    await kill(child)
    await work(machine, 'first')
    await waitFor('the second step again', () => lines().filter(line => line === 'begun').length === 2)
    letEnd()
    await isCompleted(id)
    // What the killed worker had left running was ended before the step began again.
    expect(lines()).toEqual(['one', 'begun', 'begun', 'two', 'three'])
  })

  test('continues while the server is killed, and the ends of its steps are recorded once', async () => {
    const { lines, letEnd } = slowGraph(server)
    await work(await joined('first'), 'first')
    const id = await start('--on', 'first')
    await waitFor('the second step', () => lines().includes('begun'))
    await site.killServer()
    letEnd()
    await waitFor('the end of the second step', () => lines().includes('two'))
    await site.serve()
    await isCompleted(id)
    expect(lines()).toEqual(['one', 'begun', 'two', 'three'])
    const events = await server.ndjson<{ type: string }>(['show', id, '--events', '--json'])
    const count = (type: string) => events.filter(event => event.type === type).length
    expect([count('step.ended'), count('step.lost')]).toEqual([count('step.started'), 0])
  })

  test('waits for a worker that meets its requirements, and shows why', async () => {
    slowGraph(server).letEnd()
    await work(await joined('plain'), 'plain')
    const id = await start('--needs', 'gpu=yes')
    await waitFor('the reason', async () => (await show(id)).why?.includes('no worker has the label gpu=yes'))
    await work(await joined('strong', '--label', 'gpu=yes'), 'strong')
    await isCompleted(id)
  })

  test('is not placed on a worker that drains', async () => {
    slowGraph(server).letEnd()
    await work(await joined('first'), 'first')
    await server.ok(['workers', 'drain', 'first'])
    const id = await start('--on', 'any')
    await waitFor('the reason', async () => (await show(id)).why?.includes('first is draining'))
    await server.ok(['workers', 'ready', 'first'])
    await isCompleted(id)
    // One that drains itself ends when it has nothing left.
    const leaving = await joined('leaving')
    const { code, stderr } = await leaving.run(['worker', '--drain'])
    expect([code, stderr]).toEqual([0, expect.stringContaining('nothing is left')])
    expect(await worker('leaving')).toMatchObject({ isDraining: true })
  })
})

interface Asked {
  id: string
  fingerprint: string
  display: { title: string; hash: string }
  request: { text: string }
}

describe('a run whose worker is lost with files that were not saved', () => {
  const blobs = () => server.path('data', 'blobs')
  let log: string
  const lines = () => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : [])

  /** Its first step ended while the server could not store files; its second one is in progress. */
  async function lost(): Promise<{ id: string; machine: TestHome; letEnd(): void; asked: Asked }> {
    log = join(server.directory, 'log')
    const [first, second] = ['go-1', 'go-2'].map(name => join(server.directory, name)) as [string, string]
    const step = (name: string, gate: string, then: string) =>
      `${name} [shape=parallelogram, tool_command="echo ${name} >> ${log}; while [ ! -e ${gate} ]; do sleep 0.05; done; ${then}"];`
    server.graph(`
      ${step('one', first, 'echo 1 > made.txt')}
      ${step('two', second, 'ls >> files.txt')}
      three [shape=parallelogram, tool_command="grep -c made files.txt >> ${log} || true"];
      start -> one -> two -> three -> exit`)
    server.commit('graph')
    const machine = await joined('first')
    await work(machine, 'first')
    const id = await start('--on', 'first')
    await waitFor('the first step', () => lines().includes('one'))
    renameSync(blobs(), `${blobs()}.away`)
    writeFileSync(blobs(), '')
    writeFileSync(first, '')
    await waitFor('the second step', () => lines().includes('two'))
    await killMachine(machine)
    rmSync(blobs())
    renameSync(`${blobs()}.away`, blobs())
    await server.ok(['workers', 'lost', 'first'])
    const asked = await waitFor('the question', async () => {
      return (await server.json<Asked[]>(['approvals', '--json']))[0]
    })
    expect(asked.display.title).toMatch(/^first is gone since .+ UTC; nothing was saved\. Move, wait, or cancel\?$/)
    expect(asked.request.text).toContain('one@1#1')
    return { id, machine, letEnd: () => writeFileSync(second, ''), asked }
  }

  test('continues elsewhere without them when a person answers "move"', async () => {
    const { id, letEnd, asked } = await lost()
    await work(await joined('second'), 'second')
    await server.ok(['answer', asked.id, 'move'])
    await waitFor('the second step elsewhere', () => lines().length === 3)
    letEnd()
    await isCompleted(id)
    expect(lines()).toEqual(['one', 'two', 'two', '0'])
    expect((await server.ok(['runs'])).stdout).toContain('on second')
  })

  test('continues with them on its worker when a person answers "wait" in a chat and the worker is back', async () => {
    const telegram = new FakeBotApi()
    onTestFinished(() => telegram.stop())
    const apiRoot = await telegram.start()
    const tokenFile = join(server.directory, 'bot-token')
    writeFileSync(tokenFile, telegram.token, { mode: 0o600 })
    new People(server.path('config')).pair(4711, { name: 'Ann', role: 'owner' })
    await site.killServer()
    await site.serve({ SIGNALBOX_TELEGRAM_TOKEN_FILE: tokenFile, SIGNALBOX_TELEGRAM_API_ROOT: apiRoot })
    const ann = telegram.person(4711, 'Ann')
    ann.say('/start')
    await waitFor('the bot', () => ann.chat.messages.some(({ from }) => from.isBot))
    const { id, machine, letEnd, asked } = await lost()
    await work(await joined('second'), 'second')
    const card = await waitFor('the card', () =>
      ann.chat.messages.find(
        ({ text, markup }) => text.includes(asked.display.title) && markup?.inline_keyboard?.length,
      ),
    )
    expect(card.text).toContain('one@1#1')
    ann.press(card, 'Wait for first')
    const waits = 'waits for its worker first, which is gone'
    await waitFor('the reason', async () => (await server.ok(['show', id])).stdout.includes(waits))
    await work(machine, 'first')
    letEnd()
    await isCompleted(id)
    expect(lines()).toEqual(['one', 'two', 'two', '1'])
  })

  test('is cancelled when a person answers "cancel" over HTTP', async () => {
    const { id, asked } = await lost()
    const { address: url } = JSON.parse(readFileSync(server.path('run', 'server.json'), 'utf8')) as { address: string }
    const client = connect({ url, token: readFileSync(server.path('state', 'token'), 'utf8').trim() })
    const { fingerprint, display } = asked
    const seen = { displayHash: display.hash, whole: true }
    await client.call('approvals.decide', { id: asked.id, option: 'cancel', fingerprint, seen })
    await waitFor('the end', async () => (await show(id)).status === 'cancelled')
    expect((await worker('first'))?.runs).toEqual([])
  })
})

test('no end of a run is lost or recorded twice while workers are killed repeatedly', async () => {
  const log = join(server.directory, 'log')
  const names = ['a', 'b', 'c', 'd', 'e']
  const nodes = names.map(
    name => `${name} [shape=parallelogram, tool_command="echo $SIGNALBOX_RUN ${name} >> ${log}"];`,
  )
  server.graph(`${nodes.join(' ')} start -> ${names.join(' -> ')} -> exit`)
  server.commit('graph')
  const machines = [await joined('first'), await joined('second')]
  const children = [await work(machines[0]!, 'first'), await work(machines[1]!, 'second')]
  const ids = await Promise.all(Array.from({ length: 4 }, () => start('--on', 'any')))
  const ended = async (id: string) => {
    const events = await server.ndjson<{ type: string; data: { step: string } }>(['show', id, '--events', '--json'])
    return events.filter(({ type }) => type === 'step.ended').map(({ data }) => data.step)
  }
  const total = async () => (await Promise.all(ids.map(ended))).flat().length
  for (const [round, name] of ['first', 'second', 'first', 'second'].entries()) {
    const before = await total()
    if (before >= ids.length * names.length) break
    await kill(children[round % 2]!)
    children[round % 2] = await work(machines[round % 2]!, name)
    await waitFor('further steps', async () => (await total()) > before)
  }
  for (const id of ids) await isCompleted(id)
  for (const id of ids) {
    const steps = await ended(id)
    expect(new Set(steps).size).toBe(steps.length)
    const visited = steps.map(step => step.slice(0, step.indexOf('@')))
    expect(names.every(name => visited.includes(name))).toBe(true)
  }
})

test('a step does not start in a directory whose files differ from what was trusted', async () => {
  const plain = join(server.directory, 'plain')
  const log = join(server.directory, 'log')
  mkdirSync(plain)
  writeFileSync(join(plain, 'build.sh'), `echo trusted >> ${log}\n`)
  writeFileSync(
    join(plain, 'flow.dot'),
    'digraph g { start [shape=Mdiamond]; exit [shape=Msquare]; one [shape=parallelogram, tool_command="sh ./build.sh"]; start -> one -> exit }',
  )
  const { hash } = await executableFiles(join(plain, 'flow.dot'))
  const flow = ['run', 'flow.dot', '--detach', '--json', '--on', 'any', '--trust', hash]
  const begin = async () => (await server.json<{ run: string }>(flow, { cwd: plain })).run
  const machine = await joined('first')
  const kept = await begin()
  const child = await work(machine, 'first')
  await isCompleted(kept)
  expect(readFileSync(log, 'utf8')).toBe('trusted\n')
  await kill(child)
  const refused = await begin()
  writeFileSync(join(plain, 'build.sh'), `echo changed >> ${log}\n`)
  await work(machine, 'first')
  await waitFor('the end', async () => (await show(refused)).status === 'failed')
  expect(readFileSync(log, 'utf8')).toBe('trusted\n')
  const logged = (await server.ok(['show', refused, '--events'])).stdout
  expect(logged).toContain('differ from the trusted ones (build.sh)')
})

test('a graph whose script is committed in another version than the trusted one does not start on a worker', async () => {
  server.write('build.sh', 'true\n')
  server.graph('one [shape=parallelogram, tool_command="sh ./build.sh"]; start -> one -> exit')
  server.commit('graph')
  server.write('build.sh', 'echo reviewed\n')
  const args = ['run', 'flow.dot', '--detach', '--on', 'any', ...(await server.trust('flow.dot'))]
  expect(await server.run(args)).toMatchObject({
    code: 4,
    stderr: expect.stringContaining('differ from the trusted ones (build.sh)'),
  })
  server.commit('reviewed')
  await server.ok(args)
})

test('a graph that works in the person’s own working tree is refused', async () => {
  server.write('flow.dot', 'digraph g { worktree=none; start [shape=Mdiamond]; exit [shape=Msquare]; start -> exit }')
  const refused = await server.run(['run', 'flow.dot', '--on', 'any', '--detach', ...(await server.trust('flow.dot'))])
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('worktree=none') })
})

test('an invitation works once, and a removed worker cannot connect', async () => {
  const { link } = await server.json<{ link: string }>(['workers', 'invite', '--json'])
  const machine = new TestHome()
  site.machines.push(machine)
  await machine.ok(['worker', 'join', link, '--name', 'first', '--yes'])
  expect(await machine.run(['worker', 'join', link, '--yes'])).toMatchObject({ code: 6 })
  await server.ok(['workers', 'remove', 'first'])
  const child = machine.start(['worker'])
  let said = ''
  child.stderr!.on('data', chunk => {
    said += String(chunk)
  })
  await waitFor('the refusal', () => said.includes('E_LOGIN'))
  expect(await site.workers()).toEqual([])
})
