import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { systemClock } from '../../../clock/index.js'
import { Keeper } from '../../../keeper/index.js'
import { isAlive } from '../../../process/index.js'
import type { ClientCall } from '../acp-conversation.js'
import { CLIENT, type ClientMethod, type RpcMessage } from '../wire.js'
import { ClientCalls } from './client-calls.js'
import { ClientFiles } from './client-files.js'
import { ClientTerminals } from './client-terminals.js'

/* The calls of an agent, with a keeper and processes that are real. */

const SESSION = 'ses_1'
let root: string
let keeper: Keeper
let begun: (number | string)[]
let inputWrapper: string | null
beforeEach(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'signalbox-calls-')))
  mkdirSync(join(root, 'project'))
  begun = []
  inputWrapper = null
  keeper = new Keeper(systemClock)
  const env = { PATH: process.env.PATH ?? '', SIGNALBOX_SESSION: SESSION, OF_AGENT: 'yes' }
  const program = { file: 'cat', args: [], cwd: root, env, cols: 80, rows: 24 }
  await keeper.spawn({ id: SESSION, ...program, recording: null, pipes: true })
})
afterEach(async () => {
  await host().terminals.endAll()
  await keeper.signal(SESSION, 'SIGKILL')
  rmSync(root, { recursive: true, force: true })
})

/** What a daemon has of the session: a second one knows only what the keeper knows. */
function host() {
  const printed = new Map<string, string>()
  let wake: () => void = () => undefined
  const answers = new Map<number | string, (message: RpcMessage) => void>()
  const onError = (error: unknown) => expect(error).toBeUndefined()
  const terminals = new ClientTerminals({
    session: SESSION,
    keeper,
    clock: systemClock,
    limitOf: () => undefined,
    onPrinted: (terminal, output) => {
      printed.set(terminal, output)
      wake()
    },
    onError,
  })
  const project = join(root, 'project')
  const calls = new ClientCalls({
    files: new ClientFiles({ project, uploads: join(root, 'uploads'), own: [], protected: [] }),
    terminals,
    cwd: project,
    agentSession: () => 'agent-1',
    inputWrapper: () => inputWrapper,
    answer: async message => answers.get(message.id!)?.(message),
    begin: async ({ rpc }) => void begun.push(rpc),
    onError,
  })
  const serve = (call: ClientCall) =>
    new Promise<RpcMessage>(resolve => {
      answers.set(call.rpc, resolve)
      calls.takeOver([call])
    })
  const untilPrinted = async (output: string) => {
    while (printed.get(terminalId) !== output) await new Promise<void>(resolve => (wake = resolve))
  }
  return { terminals, printed, untilPrinted, serve }
}

let rpc = 0
function call(method: ClientMethod, params: object, more: Partial<ClientCall> = {}): ClientCall {
  return { rpc: ++rpc, method, params: { sessionId: 'agent-1', ...params }, isStarted: false, ...more }
}

const create = (command: string, more: object = {}, terminal = 'terminal-1') =>
  call(CLIENT.createTerminal, { command, ...more }, { terminal })
const terminalId = 'terminal-1'
const place = (name: string) => join(root, 'project', name)

describe('a terminal of an agent', () => {
  test('runs a line in the project with the agent’s environment and the given variables', async () => {
    const { serve, printed } = host()
    const env = [{ name: 'MORE', value: 'a=b c' }]
    const line = 'pwd; echo $OF_AGENT $MORE $SIGNALBOX_SESSION $SIGNALBOX_STEP; echo bad >&2; cat; exit 3'
    expect((await serve(create(line, { env }))).result).toEqual({ terminalId })
    expect((await serve(call(CLIENT.waitForExit, { terminalId }))).result).toEqual({ exitCode: 3, signal: null })
    const output = `${join(root, 'project')}\nyes a=b c ses_1 ses_1/terminal-1\nbad\n`
    expect((await serve(call(CLIENT.terminalOutput, { terminalId }))).result).toEqual({
      output,
      truncated: false,
      exitStatus: { exitCode: 3, signal: null },
    })
    expect(printed.get(terminalId)).toBe(output)
    expect((await serve(call(CLIENT.releaseTerminal, { terminalId }))).result).toEqual({})
    expect((await keeper.list()).map(({ id }) => id)).toEqual([SESSION])
    expect((await serve(call(CLIENT.terminalOutput, { terminalId }))).error).toMatchObject({ code: -32_002 })
  })

  test('is killed with everything that it started, and its output stays until it is released', async () => {
    const { serve, untilPrinted } = host()
    const left = `setsid sh -c 'echo $$ > ${place('left')}; exec sleep 600' & `
    await serve(create(`${left} until [ -s ${place('left')} ]; do :; done; echo started; sleep 600`))
    const ended = serve(call(CLIENT.waitForExit, { terminalId }))
    await untilPrinted('started\n')
    expect((await serve(call(CLIENT.killTerminal, { terminalId }))).result).toEqual({})
    expect((await ended).result).toMatchObject({ signal: 'SIGTERM' })
    expect(isAlive(Number(readFileSync(place('left'), 'utf8')))).toBe(false)
    expect((await serve(call(CLIENT.terminalOutput, { terminalId }))).result).toMatchObject({ output: 'started\n' })
  })

  test('is found again after a restart of the daemon and never started twice', async () => {
    const first = host()
    const cut = create(`echo once >> ${place('count')}; until [ -e ${place('go')} ]; do :; done; echo done`)
    await first.serve(cut)
    const second = host()
    expect((await second.serve({ ...cut, isStarted: true })).result).toEqual({ terminalId })
    const ended = second.serve(call(CLIENT.waitForExit, { terminalId }))
    writeFileSync(place('go'), '')
    expect((await ended).result).toEqual({ exitCode: 0, signal: null })
    expect((await second.serve(call(CLIENT.terminalOutput, { terminalId }))).result).toMatchObject({ output: 'done\n' })
    expect(readFileSync(place('count'), 'utf8')).toBe('once\n')
  })

  test('is refused outside the project and with variables of Signalbox', async () => {
    const { serve } = host()
    const env = [{ name: 'SIGNALBOX_STEP', value: 'x/y' }]
    expect((await serve(create('true', { cwd: root }))).error?.message).toContain('outside the project')
    expect((await serve(create('true', { env }))).error?.message).toContain('not a name of a variable')
    expect(await keeper.list()).toHaveLength(1)
  })
})

describe('a file that an agent writes', () => {
  const path = () => place('a.txt')
  const write = (more: Partial<ClientCall> = {}) => call(CLIENT.writeTextFile, { path: path(), content: 'new' }, more)

  test('is recorded before it is written, and the call is answered', async () => {
    const { serve } = host()
    const wanted = write()
    expect((await serve(wanted)).result).toEqual({})
    expect(begun).toEqual([wanted.rpc])
    expect((await serve(call(CLIENT.readTextFile, { path: path() }))).result).toEqual({ content: 'new' })
    expect(begun).toEqual([wanted.rpc])
  })

  test('is not written again after a crash if its text proves the write; otherwise the agent gets an error', async () => {
    const { serve } = host()
    writeFileSync(path(), 'new')
    expect((await serve(write({ isStarted: true }))).result).toEqual({})
    writeFileSync(path(), 'changed by a person since')
    expect((await serve(write({ isStarted: true }))).error?.message).toContain('Signalbox was restarted while it wrote')
    expect(readFileSync(path(), 'utf8')).toBe('changed by a person since')
  })
})

test('calls of another conversation, or of an agent in its own container, are refused', async () => {
  const { serve } = host()
  const other = call(CLIENT.writeTextFile, { sessionId: 'agent-2', path: place('a.txt'), content: 'x' })
  expect((await serve(other)).error?.message).toContain('unknown session')
  inputWrapper = 'docker'
  const inside = call(CLIENT.writeTextFile, { path: place('a.txt'), content: 'x' })
  expect((await serve(inside)).error?.message).toContain('the agent runs in docker')
  expect(existsSync(place('a.txt'))).toBe(false)
})
