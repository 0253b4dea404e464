import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Client, connect } from '../../src/client/index.js'
import type { Scenario, Step } from '../../src/demo-agent/scenario/types.js'
import { isOfStepOfRun, markedProcesses } from '../../src/process/index.js'
import { waitFor } from './harness.js'
import { InsideHome } from './inside.js'

/* The same agent plays the same script twice: in a terminal, and over the Agent Client Protocol. */

const shell = (command: string): Step => ({
  tool: { name: 'Shell', kind: 'shell', command, permission: true },
})
const say = (markdown: string): Step => ({ say: { markdown } })

const SCRIPT: Record<string, { steps: Step[]; choose?: string[]; outcome?: string }> = {
  prose: { steps: [say('# Signals\n\nA **red** lamp means *stop*.\n\n> Never pass it.')] },
  code: { steps: [say('Run this:\n\n```sh\nnpm test -- --watch\n```\n\nand look.')] },
  table: { steps: [say('| lamp | speed |\n|:--|--:|\n| red | 0 |\n| green | 160 |')] },
  unicode: { steps: [say('漢字とかな\n\n- 信号 signal\n- 列車 train')] },
  allow: { steps: [say('I run it.'), shell('echo ran'), say('It ran.')], choose: ['allow-once'] },
  deny: { steps: [say('I run it.'), shell('echo never')], choose: ['deny'], outcome: 'denied' },
  write: {
    steps: [
      { tool: { name: 'Write', kind: 'write', write: { path: 'lamp.txt', text: 'red\n' }, permission: true } },
      say('Written.'),
    ],
    choose: ['allow-once'],
  },
  twice: {
    steps: [shell('echo one'), say('Now the other.'), shell('echo two'), say('Both ran.')],
    choose: ['allow-once', 'allow-once'],
  },
  question: {
    steps: [
      { ask: { question: 'Which aspect?', options: [{ label: 'Red' }, { label: 'Green' }] } },
      say('You chose {{answer}}.'),
    ],
    choose: ['Green'],
  },
  broken: {
    steps: [say('I begin.'), { error: { kind: 'internal', message: 'the lever is stuck', final: true } }],
    outcome: 'failed',
  },
}

const SCENARIO: Scenario = {
  name: 'both ways',
  turns: [
    ...Object.entries(SCRIPT).map(([name, { steps }]) => ({ match: `/^play ${name}$/`, steps })),
    {
      match: '/^play hang$/',
      steps: [say('I wait.'), { tool: { name: 'Shell', kind: 'shell', command: 'sleep 600' } }],
    },
    {
      match: '/^play wait$/',
      steps: [
        {
          tool: {
            name: 'Shell',
            kind: 'shell',
            command: 'echo once >> count; until [ -e go ]; do sleep 0.1; done; echo waited',
          },
        },
        { tool: { name: 'Write', kind: 'write', write: { path: 'deep/lamp.txt', text: 'green\n' } } },
        say('It ended.'),
      ],
    },
  ],
}

let home: InsideHome
let client: Client
/** How each turn ended. */
const closed = new Map<string, string>()
const following = new AbortController()
const sessions: Record<'terminal' | 'acp', string> = { terminal: '', acp: '' }

async function startSession(name: 'terminal' | 'acp'): Promise<string> {
  const cwd = join(home.work, name)
  mkdirSync(cwd, { recursive: true })
  const scenario = join(home.work, 'scenario.json')
  writeFileSync(scenario, JSON.stringify(SCENARIO))
  const flags = name === 'acp' ? ['--acp'] : []
  const command = ['start', 'demo', ...flags, '--cwd', cwd, '--json', '--', '--speed', '0', '--scenario', scenario]
  const { id } = await home.json<{ id: string }>(command)
  expect(await client.call('sessions.wait', { id, for: 'idle', timeoutMs: 120_000 })).toMatchObject({ reached: 'idle' })
  return id
}

beforeAll(async () => {
  home = new InsideHome()
  await home.run(['sessions'])
  client = connect({ socket: join(home.home, 'run', 'signalbox.sock') })
  void follow().catch(() => undefined)
  sessions.terminal = await startSession('terminal')
  sessions.acp = await startSession('acp')
})
afterAll(async () => {
  following.abort()
  await home.close()
})

async function follow(): Promise<void> {
  for await (const { data } of client.events({ types: ['turn.closed'], signal: following.signal }))
    closed.set(String(data.turn), String(data.outcome))
}

interface Option {
  key: string
  label: string
  meaning: string
}

interface Request {
  id: string
  state: string
  kind: string
  fingerprint: string
  risk: { level: string }
  request: { tool: string; input: unknown; questions: { text: string }[]; options: Option[] }
  source: { channel: string }
  display: { hash: string; title: string }
}

const pending = async (session: string) => {
  const { items } = await client.call('approvals.list', { session: [session], state: ['pending'] })
  return items as unknown as Request[]
}

/** `wanted`: a meaning or a label. The labels depend on whether the hook or the menu is first. */
async function decide(session: string, wanted: string): Promise<Request> {
  const id = await waitFor('a decision', async () => {
    const [request] = await pending(session)
    const option = request?.request.options.find(({ label, meaning }) => label === wanted || meaning === wanted)
    if (!request || !option) return null
    const body = {
      id: request.id,
      fingerprint: request.fingerprint,
      option: option.key,
      seen: { displayHash: request.display.hash, whole: true },
      confirmed: true,
    }
    // Refused if the menu has added something to what the hook reported.
    const isDecided = await client.call('approvals.decide', body).then(
      () => true,
      () => false,
    )
    return isDecided ? request.id : null
  })
  const ended = await waitFor('the decision to arrive', async () => {
    const now = (await client.call('approvals.get', { id })) as unknown as Request
    return now.state === 'pending' || now.state === 'decided' ? null : now
  })
  return ended
}

/** What a reader sees of the last turn: words without marks, because a screen shows none. */
async function played(name: string, session: string) {
  const { steps: _, choose = [] } = SCRIPT[name]!
  await client.call('sessions.send', { id: session, text: `play ${name}`, whenBusy: 'hold' })
  const requests: unknown[] = []
  for (const label of choose) {
    const { kind, state, request, risk } = await decide(session, label)
    const asked = request.questions.map(({ text }) => text)
    requests.push({ kind, state, asked, risk: risk.level, ...(kind === 'permission' && about(request)) })
  }
  await client.call('sessions.wait', { id: session, for: 'idle', timeoutMs: 120_000 })
  const { prompts, messages } = (await client.call('sessions.conversation', { id: session })) as unknown as {
    prompts: { turn: string; text: string }[]
    messages: { turn: string; markdown: string }[]
  }
  const { turn, text } = prompts.at(-1)!
  const said = messages.filter(message => message.turn === turn).map(({ markdown }) => markdown)
  const outcome = await waitFor('the end of the turn', () => closed.get(turn))
  return { prompt: text, requests, said: wordsOf(said.join('\n')), outcome }
}

const about = ({ tool, input }: Request['request']) => ({ tool, input })

/**
 * A screen shows the lines of a change with their numbers, and no fence around them. The demo agent
 * says whether its hook or its menu was answered.
 */
const wordsOf = (markdown: string) =>
  markdown
    .replace(/^```\w*$|^\s*\d+(?= [+-])/gm, '')
    .match(/[\p{L}\p{N}]+/gu)
    ?.join(' ')
    .replace('declined by a hook', 'declined by you') ?? ''

describe('an agent in a terminal and over the protocol', () => {
  test.each(Object.keys(SCRIPT))('gives the same conversation and requests: %s', async name => {
    const [terminal, acp] = [await played(name, sessions.terminal), await played(name, sessions.acp)]
    expect(acp).toEqual(terminal)
    expect(acp.outcome).toBe(SCRIPT[name]!.outcome ?? 'done')
  })
})

test('a daemon that is killed while a request waits raises it once and delivers its decision', async () => {
  await client.call('sessions.send', { id: sessions.acp, text: 'play allow', whenBusy: 'hold' })
  const before = await waitFor('a request', async () => (await pending(sessions.acp))[0])
  await home.kill(home.daemon)
  await home.run(['sessions'])
  await client.call('sessions.wait', { id: sessions.acp, for: 'approval', timeoutMs: 120_000 })
  expect((await pending(sessions.acp)).map(({ id }) => id)).toEqual([before.id])
  expect(await decide(sessions.acp, 'allow-once')).toMatchObject({ id: before.id, state: 'applied' })
  await client.call('sessions.wait', { id: sessions.acp, for: 'idle', timeoutMs: 120_000 })
  const { prompts, messages } = (await client.call('sessions.conversation', { id: sessions.acp })) as unknown as {
    prompts: { turn: string }[]
    messages: { turn: string; message: string; markdown: string }[]
  }
  const turn = prompts.at(-1)!.turn
  expect(new Set(messages.map(({ message }) => message)).size).toBe(messages.length)
  expect(wordsOf(messages.filter(message => message.turn === turn).at(-1)!.markdown)).toContain('It ran')
})

test('a command that runs for the agent survives the daemon, runs once and is shown with its output', async () => {
  const id = sessions.acp
  const place = (name: string) => join(home.work, 'acp', name)
  await client.call('sessions.send', { id, text: 'play wait', whenBusy: 'hold' })
  await waitFor('the command', () => existsSync(place('count')))
  await home.kill(home.daemon)
  await home.run(['sessions'])
  writeFileSync(place('go'), '')
  await waitFor('the end of the turn', async () => {
    const { messages } = (await client.call('sessions.conversation', { id })) as unknown as {
      messages: { markdown?: string }[]
    }
    const { markdown = '' } = messages.at(-1)!
    return markdown.includes('waited') && markdown.includes('It ended.')
  })
  expect(readFileSync(place('count'), 'utf8')).toBe('once\n')
  expect(readFileSync(place('deep/lamp.txt'), 'utf8')).toBe('green\n')
  const moments = await home.ndjson<{ is?: string; text?: string }>(['replay', id])
  const called = moments.filter(({ is }) => is === 'called').map(({ text }) => text)
  expect(called).toContainEqual(expect.stringMatching(/^terminal\/create sh -c echo once/))
  expect(called).toContain(`fs/write_text_file ${place('deep/lamp.txt')}`)
})

test('a session over the protocol is interrupted, stopped and resumed with its conversation', async () => {
  const id = sessions.acp
  await client.call('sessions.send', { id, text: 'play hang' })
  await home.ok(['interrupt', id])
  await client.call('sessions.wait', { id, for: 'idle', timeoutMs: 120_000 })
  const { messages } = (await client.call('sessions.conversation', { id })) as unknown as {
    messages: { markdown: string }[]
  }
  expect(messages.at(-1)!.markdown).toContain('*Interrupted.*')
  await home.ok(['stop', id])
  expect(markedProcesses().filter(found => isOfStepOfRun(found, id))).toEqual([])
  const resumed = await home.json<{ id: string }>(['resume', id, '--json'])
  await client.call('sessions.wait', { id: resumed.id, for: 'idle', timeoutMs: 120_000 })
  await client.call('sessions.send', { id: resumed.id, text: 'play prose', whenBusy: 'hold' })
  await waitFor('the answer', async () => {
    const now = (await client.call('sessions.conversation', { id: resumed.id })) as unknown as {
      prompts: unknown[]
      messages: { markdown: string; provisional: boolean }[]
    }
    // What the agent repeated of the earlier conversation is not said again.
    expect(now.prompts.length).toBeLessThanOrEqual(1)
    return now.messages.some(({ markdown, provisional }) => !provisional && markdown.includes('Never pass it'))
  })
})

test('keys are refused for a session without a terminal, and explain names the channel', async () => {
  const id = await startSession('acp')
  const explained = await home.ndjson<{ type: string; ref?: string }>(['explain', id])
  expect(explained.some(({ type, ref }) => type === 'report' && ref?.startsWith('acp/'))).toBe(true)
  await expect(client.call('sessions.keys', { id, text: 'x' })).rejects.toMatchObject({
    status: expect.any(Number),
  })
})

test('the recording of an ended session is replayed as messages, and not explained as a screen', async () => {
  const { acp: id } = sessions
  await home.run(['stop', id])
  const moments = await home.ndjson<{ type: string; is?: string; from?: string; text?: string }>(['replay', id])
  expect(moments[0]).toMatchObject({ type: 'replay', format: 'protocol' })
  expect(moments).toContainEqual(expect.objectContaining({ is: 'turn-opened', from: 'signalbox', text: 'play allow' }))
  expect(moments).toContainEqual(expect.objectContaining({ is: 'asked', from: 'agent' }))
  expect(moments.some(({ is, text }) => is === 'message-closed' && text?.includes('It ran.'))).toBe(true)
  const refused = await home.run(['explain', id])
  expect(refused.stderr).toContain('no screen')
  expect(refused.code).not.toBe(0)
})

test('agent and command end when keeper and daemon are killed', async () => {
  const id = await startSession('acp')
  await client.call('sessions.send', { id, text: 'play hang' })
  const left = () => markedProcesses().filter(found => isOfStepOfRun(found, id))
  await waitFor('the command', () => left().some(({ mark }) => mark === `${id}/terminal-1`))
  // A daemon without its keeper may end before it is killed.
  const { keeper, daemon } = home
  await Promise.all([home.kill(daemon), home.kill(keeper)])
  await home.run(['sessions'])
  await waitFor('their end', () => left().length === 0)
})
