import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { waitFor } from '../e2e/harness.js'
import { AgentHome, type Approval } from './agent-home.js'
import { FakeModel } from './fake-models/fake-model.js'
import { claude } from './table/claude.js'
import { codex } from './table/codex.js'
import { gemini } from './table/gemini.js'
import { opencode } from './table/opencode.js'
import { wantedOf } from './wanted.js'

/*
 * Real agents in a sandbox with a filtered network: ten prompts, five of which need a decision. The
 * scripted model is a server of this machine, so its address is an allowed host; nothing else is.
 */

const AGENTS = [claude, codex, gemini, opencode]
const PROMPTS = [1, 2, 3, 4, 5]

class SandboxedHome extends AgentHome {
  override async open(args: readonly string[] = []): Promise<string> {
    const own = [...(this.agent.args ?? []), ...args]
    const words = ['start', this.agent.name, '--json', '--size', '100x40', '--sandbox', 'auto', '--', ...own]
    return (await this.json<{ id: string }>(words)).id
  }

  /** Requests of the agent; those of the sandbox about hosts are listed by `askedHosts`. */
  override async pending(): Promise<Approval[]> {
    return (await super.pending()).filter(({ request }) => request.tool !== 'Network')
  }

  async askedHosts(): Promise<string[]> {
    const all = await this.json<{ request: { tool: string; input: { host?: string } } }[]>([
      'approvals',
      '--all',
      '--json',
    ])
    return all.flatMap(({ request: { tool, input } }) => (tool === 'Network' ? [input.host ?? ''] : []))
  }

  /** The person's settings: the model of the test is reachable. */
  allowModel(): void {
    mkdirSync(this.path('config'), { recursive: true })
    const names = JSON.stringify(Object.keys(this.agent.env(this.place)))
    const text = `[sandbox]\nhosts = ["127.0.0.1"]\nenv = ${names}\n`
    writeFileSync(this.path('config', 'config.toml'), text, { mode: 0o600 })
  }
}

/** One line for each agent, for the table at the end of the run. */
function count(agent: string, what: string): void {
  const file = process.env.SIGNALBOX_TEST_MATRIX
  if (file) appendFileSync(file, `${agent} ${what}\n`)
}

describe.each(wantedOf(AGENTS))('$name in a sandbox', agent => {
  const model = new FakeModel()
  let home: SandboxedHome
  let session: string

  beforeAll(async () => {
    home = new SandboxedHome(agent, await model.listen())
    home.allowModel()
    session = (await home.begin()).id
  })
  afterAll(async () => {
    await home?.close()
    await model.close()
  })

  test('the agent runs in the sandbox', async () => {
    const shown = (await home.session(session)) as { sandbox?: { backend: string; network: string } }
    expect(shown.sandbox).toMatchObject({ network: 'filtered' })
  })

  test.each(PROMPTS)('prompt %i is answered', async number => {
    model.when(`PLAIN-${number}`, { text: `Answer number ${number}.` })
    const { code, stdout } = await home.send(session, `Please answer PLAIN-${number}`)
    expect({ code, stdout: stdout.trim() }).toEqual({ code: 0, stdout: `Answer number ${number}.` })
    count(agent.name, 'prompt')
  })

  test.each(PROMPTS)('request %i waits for a decision, and its command runs in the project', async number => {
    const name = `allowed-${number}.txt`
    const command = `node -e "require('fs').appendFileSync('${name}','x')"`
    model.when(`ASKED-${number}`, { text: 'I run it.', tool: agent.shell(command, home.place) }, { text: 'Done.' })
    expect((await home.send(session, `Please do ASKED-${number}`)).code).toBe(4)
    const approval = await home.onePending(session)
    expect(home.file(name)).toBeNull()
    await home.ok(['approve', approval.id, '--fingerprint', approval.fingerprint])
    await home.waitUntil(session, 'idle')
    expect(await waitFor('the command to have run', () => home.file(name))).toBe('x')
    count(agent.name, 'prompt')
    count(agent.name, 'approval')
  })

  test('requests for other hosts wait for a decision, and the session keeps running', async () => {
    expect(await home.pending()).toEqual([])
    for (const host of await home.askedHosts()) count(agent.name, `asked ${host}`)
    expect(await home.session(session)).not.toMatchObject({ state: 'ended' })
  })
})
