import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { endQuietly, errorLines, isRunning, type SessionInfo, waitFor } from './harness.js'
import { InsideHome } from './inside.js'

let home: InsideHome
beforeAll(() => {
  home = new InsideHome()
})
afterEach(() => home.clear())
afterAll(() => home.close())

interface Message {
  turn: string
  message: string
  markdown: string
  command?: string
}

/** A demo agent that plays one of these turns for each prompt. */
async function start(turns: readonly object[]): Promise<SessionInfo> {
  const file = join(home.work, 'scenario.json')
  writeFileSync(file, JSON.stringify({ name: 'test', turns }))
  const session = await home.json<SessionInfo>(['start', 'demo', '--json', '--', '--scenario', file])
  await home.ok(['wait', session.id, '--for', 'idle', '--timeout', '60'])
  return session
}

/** The agent works until the test creates a file. */
const untilTold = () => ({
  tool: { name: 'Shell', kind: 'shell', command: `while ! [ -e ${home.work}/go-on ]; do sleep 0.02; done` },
})
const goOn = () => writeFileSync(join(home.work, 'go-on'), '')

const atWork = () =>
  waitFor('the agent to work', async () => (await home.json<{ busy: boolean }[]>(['sessions', '--json']))[0]?.busy)

const said = (session: string) => home.ndjson<Message>(['read', session, '--json'])

describe('send', () => {
  it('--wait ends with the outcome of its own turn', async () => {
    const session = await start([
      { steps: [{ say: 'All is well.' }] },
      { steps: [{ error: { kind: 'api', message: 'it broke', final: true } }] },
      { steps: [{ think: 60_000 }] },
      { steps: [{ ask: { question: 'Which port?', options: ['8080', '3000'] } }] },
    ])
    const send = (text: string) => home.run(['send', session.id, text, '--wait', '--timeout', '60'])
    expect(await send('one')).toMatchObject({ code: 0, stdout: 'All is well.\n' })
    expect((await send('two')).code).toBe(1)
    const third = send('three')
    await atWork()
    const interrupted = await home.ok(['interrupt', session.id])
    expect(interrupted.stdout).toBe(`${session.id}: interrupted\n`)
    expect((await third).code).toBe(130)
    const fourth = await send('four')
    expect(fourth.code).toBe(4)
    expect(fourth.stderr).toContain('signalbox approvals')
    const refused = await send('five')
    expect(refused).toMatchObject({ code: 4, stdout: '' })
    expect((await home.run(['interrupt', session.id])).code).toBe(4)
  })

  it('--wait prints the output of the agent’s own command, before any turn and after one', async () => {
    const session = await start([{ steps: [{ say: 'All is well.' }] }])
    const send = (text: string) => home.run(['send', session.id, text, '--wait', '--timeout', '60'])
    const help = await send('/help')
    expect(help).toMatchObject({ code: 0, stdout: expect.stringContaining('ctrl-j new line') })
    expect(await send('go')).toMatchObject({ code: 0, stdout: 'All is well.\n' })
    expect(await send('/compact')).toMatchObject({ code: 0, stdout: 'The conversation was made shorter.\n' })
    const messages = await said(session.id)
    expect(messages.map(({ command }) => command)).toEqual(['/help', undefined, '/compact'])
  })

  it('prints and stores an answer of 3000 lines completely', async () => {
    const session = await start([{ steps: [{ huge: { lines: 3000, as: 'say' } }, { say: 'That is all.' }] }])
    const { code } = await home.run(['send', session.id, 'go', '--wait', '--timeout', '120'])
    expect(code).toBe(0)
    const { stdout } = await home.ok(['read', session.id, '--turn', '-1'])
    expect(stdout.match(/\d{7} the quick/g)).toHaveLength(3000)
    expect(stdout).toContain('That is all.')
  })

  it('--wait does not stop for a request that a grant covers', async () => {
    const steps = [
      { tool: { name: 'Shell', kind: 'shell', command: 'echo one', permission: true } },
      { say: 'It has run.' },
    ]
    const session = await start([{ steps }, { steps }])
    const send = (text: string) => home.run(['send', session.id, text, '--wait', '--timeout', '60'])
    expect((await send('once')).code).toBe(4)
    const [asked] = await home.json<{ id: string; fingerprint: string }[]>(['approvals', '--json'])
    await home.ok(['approve', asked!.id, '--fingerprint', asked!.fingerprint, '--for', '10m'])
    await home.ok(['wait', session.id, '--for', 'idle', '--timeout', '60'])
    expect(await send('again')).toMatchObject({ code: 0, stdout: expect.stringContaining('It has run.') })
  })

  it('gives a waiting prompt its own turn, whether the agent queues it or Signalbox holds it', async () => {
    const session = await start([
      { steps: [untilTold(), { say: 'First answer.' }] },
      { steps: [{ think: 500 }, { say: 'Second answer.' }] },
      { steps: [{ think: 500 }, { say: 'Third answer.' }] },
    ])
    await home.ok(['send', session.id, 'one'])
    await atWork()
    expect((await home.run(['send', session.id, 'never', '--no-queue'])).stderr).toContain('working')
    const held = home.run(['send', session.id, 'three', '--queue', '--wait', '--timeout', '60'])
    const queueing = home.run(['send', session.id, 'two', '--wait', '--timeout', '60'])
    await waitFor('the agent to have queued it', async () =>
      /▷ two +queued/.test((await home.ok(['read', session.id, '--screen'])).stdout),
    )
    goOn()
    const queued = await queueing
    expect(queued).toMatchObject({ code: 0, stdout: 'Second answer.\n' })
    expect(queued.stderr).toContain('queued by the agent')
    expect(await held).toMatchObject({ code: 0, stdout: 'Third answer.\n' })
    const messages = await said(session.id)
    expect(messages.map(({ turn, markdown }) => [turn.split('.').at(-1), markdown])).toEqual([
      ['1', expect.stringMatching(/First answer\.$/)],
      ['2', 'Second answer.'],
      ['3', 'Third answer.'],
    ])
    expect((await home.ok(['read', session.id, '--since', '1'])).stdout).toBe('Second answer.\n\nThird answer.\n')
    expect((await home.ok(['read', session.id, '--since', messages[1]!.turn])).stdout).toBe('Third answer.\n')
    expect((await home.run(['read', session.id, '--since', 'x'])).code).toBe(2)
  })

  it('keeps a held prompt over a restart of the daemon', async () => {
    const session = await start([{ steps: [untilTold(), { say: 'First.' }] }, { steps: [{ say: 'Second.' }] }])
    await home.ok(['send', session.id, 'one'])
    await home.ok(['send', session.id, 'two', '--queue'])
    await home.kill(home.daemon)
    goOn()
    await waitFor('both answers', async () => (await said(session.id)).length === 2)
    expect((await said(session.id)).map(({ markdown }) => markdown)).toEqual([
      expect.stringMatching(/First\.$/),
      'Second.',
    ])
  })

  it('the next daemon counts a turn that was stopped before its first word', async () => {
    const session = await start([
      { steps: [{ think: 60_000 }] },
      { steps: [{ say: 'The second answer.' }] },
      { steps: [{ say: 'The third answer.' }] },
    ])
    const send = (text: string) => home.run(['send', session.id, text, '--wait', '--timeout', '60'])
    const first = send('one')
    await atWork()
    await home.ok(['interrupt', session.id])
    // Immediately, so that no frame shows the agent idle between the two.
    expect(await send('two')).toMatchObject({ code: 0, stdout: 'The second answer.\n' })
    expect((await first).code).toBe(130)
    await home.kill(home.daemon)
    expect(await send('three')).toMatchObject({ code: 0, stdout: 'The third answer.\n' })
    expect((await said(session.id)).map(({ turn, markdown }) => [turn.split('.').at(-1), markdown])).toEqual([
      ['2', 'The second answer.'],
      ['3', 'The third answer.'],
    ])
  })

  it('goes to the active session if none is named: the last started one, or the chosen one', async () => {
    const first = await start([{ steps: [{ say: 'I am the first.' }] }, { steps: [{ say: 'Still the first.' }] }])
    const second = await start([{ steps: [{ say: 'I am the second.' }] }])
    const active = async () => (await home.json<SessionInfo>(['use', '--json'])).id
    expect(await active()).toBe(second.id)
    expect((await home.ok(['use', String(first.number)])).stdout).toContain(first.id)
    expect((await home.ok(['send', 'hello', '--wait', '--timeout', '60'])).stdout).toBe('I am the first.\n')
    expect((await home.ok(['read'])).stdout).toContain('I am the first.')
    expect((await home.ok(['stop', first.id])).stdout).toMatch(new RegExp(`active now: ${second.number} +${second.id}`))
    expect(await active()).toBe(second.id)
    expect((await home.ok(['stop', second.id])).stdout).toContain('you have no other running session')
  })

  it('reads the prompt from a file, and sends a text that looks like a command as text', async () => {
    const session = await start([])
    writeFileSync(join(home.work, 'task.md'), 'do this\nand that\n')
    await home.ok(['send', session.id, '--file', 'task.md', '--wait', '--timeout', '60'])
    const { stdout } = await home.ok(['send', session.id, '/etc/hosts is odd', '--wait', '--timeout', '60'])
    expect(stdout).toContain('/etc/hosts is odd')
    expect((await home.ok(['read', session.id, '--screen'])).stdout).toMatch(/do this\n.*and that/)
    expect((await home.run(['send', session.id])).code).toBe(2)
  })
})

describe('resume', () => {
  it('continues the conversation without repeating its messages or requests', async () => {
    const session = await start([
      { steps: [{ ask: { question: 'May I go on?', options: ['Yes', 'No'] } }, { say: 'You said {{answer}}.' }] },
      { steps: [{ say: 'Second answer.' }] },
    ])
    await home.run(['send', session.id, 'one', '--wait', '--timeout', '60'])
    const [approval] = await home.json<{ id: string; fingerprint: string }[]>(['approvals', '--json'])
    await home.ok(['approve', approval!.id, '--option', 'Yes', '--fingerprint', approval!.fingerprint])
    await home.ok(['wait', session.id, '--for', 'idle', '--timeout', '60'])
    // The agent may finish before Signalbox sees that the menu has disappeared.
    expect((await said(session.id)).map(({ markdown }) => markdown).at(-1)).toContain('You said Yes.')
    const running = await home.run(['resume', session.id])
    expect(running.code).toBe(1)
    expect(errorLines(running.stderr)).toEqual([expect.stringContaining('is still running')])
    await home.ok(['stop', session.id])

    const resumed = await home.json<SessionInfo & { resumedFrom: string }>(['resume', session.id, '--json'])
    expect(resumed).toMatchObject({ agent: 'demo', resumedFrom: session.id, cwd: session.cwd })
    await home.ok(['wait', resumed.id, '--for', 'idle', '--timeout', '60'])
    expect((await home.ok(['read', resumed.id, '--screen'])).stdout).toContain('You said Yes')
    expect(await said(resumed.id)).toEqual([])
    expect(await home.json(['approvals', '--json'])).toEqual([])
    await home.ok(['send', resumed.id, 'go on', '--wait', '--timeout', '60'])
    expect(await said(resumed.id)).toHaveLength(1)
    const again = await home.run(['resume', session.id])
    expect(errorLines(again.stderr)).toEqual([expect.stringContaining(`already resumed as ${resumed.id}`)])
  })

  it('reports a lost session once, which can be resumed', async () => {
    const session = await start([{ steps: [{ say: 'First answer.' }] }])
    await home.ok(['send', session.id, 'one', '--wait', '--timeout', '60'])
    const { daemon, keeper } = home
    await home.kill(keeper)
    await waitFor('the daemon to give up', () => !home.processes().daemons.includes(daemon))
    // It may have ended with its terminal.
    endQuietly(session.pid)
    await waitFor('the agent to end', () => !isRunning(session.pid))
    expect(await home.session(session.id)).toMatchObject({ state: 'lost' })
    const resumed = await home.json<SessionInfo>(['resume', session.id, '--json'])
    await home.ok(['wait', resumed.id, '--for', 'idle', '--timeout', '60'])
    expect((await home.ok(['read', resumed.id, '--screen'])).stdout).toContain('First answer.')
  })

  it('refuses a program that is not an agent', async () => {
    const session = await home.json<SessionInfo>(['start', '--json', '--', 'true'])
    await home.ok(['wait', session.id, '--for', 'done', '--timeout', '60'])
    const result = await home.run(['resume', session.id])
    expect(result.code).toBe(1)
    expect(errorLines(result.stderr)).toEqual([expect.stringContaining('cannot be resumed')])
  })
})

describe('files', () => {
  it('are sent to the agent with a notice, and fetched from its project', async () => {
    const session = await start([])
    writeFileSync(join(home.work, 'notes.md'), '# Notes\n')
    const { files, delivery } = await home.json<{ files: { path: string }[]; delivery: { result: string } }>([
      'files',
      'put',
      session.id,
      'notes.md',
      'scenario.json',
      '--json',
    ])
    expect(delivery.result).toBe('delivered')
    expect(files.map(({ path }) => readFileSync(path, 'utf8').length)).toEqual([8, expect.any(Number)])
    await home.ok(['wait', session.id, '--for', 'idle', '--timeout', '60'])
    expect((await home.ok(['read', session.id, '--screen'])).stdout).toContain('The user uploaded a file:')
    expect((await home.ok(['files', 'get', session.id, 'notes.md', '-o', '-'])).stdout).toBe('# Notes\n')
    const twice = await home.run(['files', 'get', session.id, 'notes.md'])
    expect(errorLines(twice.stderr)).toEqual([expect.stringContaining('already exists')])
    await home.ok(['files', 'get', session.id, files[0]!.path, '-o', 'copy.md'])
    expect(readFileSync(join(home.work, 'copy.md'), 'utf8')).toBe('# Notes\n')
  })

  it('credentials, files of Signalbox and files outside the project cannot be fetched', async () => {
    const session = await start([])
    writeFileSync(join(home.work, '.env'), 'SECRET=1')
    for (const path of ['.env', '/etc/hosts', '../../../../../../etc/hosts', home.path('data', 'signalbox.db')]) {
      const result = await home.run(['files', 'get', session.id, path, '-o', 'out'])
      expect(result.code, path).not.toBe(0)
      expect(errorLines(result.stderr), path).toHaveLength(1)
    }
    expect(existsSync(join(home.work, 'out'))).toBe(false)
  })
})
