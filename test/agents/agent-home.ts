import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, lstatSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { type CommandRun, parseLines, TestHome, waitFor } from '../e2e/harness.js'
import type { AgentPlace, AgentUnderTest } from './agent-under-test.js'
import { installed, installedAdapter } from './installed.js'

export interface Approval {
  id: string
  state: string
  requestedAt: number
  fingerprint: string
  decision?: { at?: number; option: string }
  request: { tool: string; text: string | null; options: { key: string; label: string; meaning: string }[] }
}

/** A home for one agent, with a separate HOME, project and Signalbox. */
export class AgentHome extends TestHome {
  readonly agent: AgentUnderTest
  readonly place: AgentPlace

  constructor(agent: AgentUnderTest, model: string) {
    super()
    this.agent = agent
    const home = join(this.directory, 'person')
    this.place = { home, project: this.work, model }
    mkdirSync(join(home, 'tmp'), { recursive: true })
    writeFileSync(join(home, '.gitconfig'), '[user]\n\tname = Test\n\temail = test@example.invalid\n')
    execFileSync('git', ['init', '-q', this.work], { env: { ...process.env, HOME: home } })
    agent.prepare(this.place)
  }

  override get env(): Record<string, string> {
    return {
      ...super.env,
      PATH: [installed(this.agent), installedAdapter(this.agent), '/usr/local/bin', '/usr/bin', '/bin']
        .filter(directory => directory !== null)
        .join(':'),
      HOME: this.place?.home ?? '/nonexistent',
      SHELL: '/bin/bash',
      ...(this.place && this.agent.env(this.place)),
    }
  }

  /** Starts the agent, without waiting for it. */
  async open(args: readonly string[] = []): Promise<string> {
    // The scripted model is a server of this machine: the box needs its network.
    const box = process.env.SIGNALBOX_TEST_SANDBOX ? ['--sandbox', 'auto', '--network', 'on'] : []
    const own = [...(this.agent.args ?? []), ...args]
    const words = ['start', this.agent.name, '--json', '--size', '100x40', ...box, '--', ...own]
    return (await this.json<{ id: string }>(words)).id
  }

  /** Starts the agent without a terminal, and waits until its conversation is open. */
  async beginAcp(): Promise<string> {
    const { name, acpCommand } = this.agent
    const words = acpCommand ? ['--acp', '--json', '--', ...acpCommand] : [name, '--acp', '--json']
    const { id } = await this.json<{ id: string }>(['start', ...words])
    await this.waitUntil(id, 'idle')
    return id
  }

  /** Starts the agent and waits for its empty input box. */
  async begin(args: readonly string[] = []): Promise<{ id: string; startMs: number }> {
    const from = Date.now()
    const id = await this.open(args)
    await this.waitUntil(id, 'idle')
    return { id, startMs: Date.now() - from }
  }

  /** Waits for the agent's own id of the conversation. */
  async agentSession(id: string): Promise<string> {
    return waitFor('the id of the conversation', async () => {
      const all = await this.json<{ id: string; agentSessionId?: string }[]>(['sessions', '--all', '--json'])
      return all.find(session => session.id === id)?.agentSessionId
    })
  }

  async waitUntil(id: string, what: 'idle' | 'approval'): Promise<void> {
    const result = await this.run(['wait', id, '--for', what, '--timeout', '60'])
    if (result.code === 0 || (what === 'approval' && (await this.pending()).length > 0)) return
    throw new Error(`not ${what} (exit ${result.code}):\n${await this.screen(id)}`)
  }

  async screen(id: string): Promise<string> {
    return (await this.run(['read', id, '--screen'])).stdout
  }

  /** Sends a prompt and follows its answer to the end of the turn. */
  send(id: string, text: string): Promise<CommandRun> {
    return this.run(['send', id, text, '--wait', '--timeout', '90'], { timeoutMs: 120_000 })
  }

  async pending(): Promise<Approval[]> {
    return this.json<Approval[]>(['approvals', '--json'])
  }

  async onePending(id: string): Promise<Approval> {
    return waitFor(`one pending approval; screen:\n${await this.screen(id)}`, async () => {
      const all = await this.pending()
      return all.length === 1 ? all[0] : null
    })
  }

  file(name: string): string | null {
    const path = join(this.work, name)
    return existsSync(path) ? readFileSync(path, 'utf8') : null
  }

  /** Types keys into the session like an attached person. */
  async press(id: string, keys: string): Promise<void> {
    await this.#call('POST', `sessions/${id}/keys`, { text: keys })
  }

  /** Texts of the prompts that Signalbox holds until the agent is idle. */
  async held(id: string): Promise<string[]> {
    const { items } = JSON.parse(await this.#call('GET', `sessions/${id}/messages`)) as { items: { text: string }[] }
    return items.map(({ text }) => text)
  }

  /** One request to the daemon's API. @returns the body of the answer. */
  #call(method: string, path: string, body?: object): Promise<string> {
    const text = body && JSON.stringify(body)
    const headers = text && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }
    const socketPath = this.path('run', 'signalbox.sock')
    return new Promise<string>((resolve, reject) => {
      const call = request({ socketPath, path: `/api/v1/${path}`, method, ...(headers && { headers }) }, response => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', () => {
          const answer = Buffer.concat(chunks).toString('utf8')
          if (response.statusCode === 200) resolve(answer)
          else reject(new Error(`${response.statusCode}: ${answer}`))
        })
      })
      call.on('error', reject)
      call.end(text)
    })
  }

  /** Copies the files of the agent and of Signalbox to `SIGNALBOX_TEST_KEEP`, for inspection. */
  keep(name = ''): void {
    const to = process.env.SIGNALBOX_TEST_KEEP
    if (to) cpSync(this.directory, join(to, this.agent.name, name), { recursive: true, filter: isFileOrDirectory })
  }

  recordingFile(id: string): string {
    return this.path('data', 'recordings', `${id}.cast`)
  }

  recording(id: string): [number, string, string][] {
    return parseLines<unknown>(readFileSync(this.recordingFile(id), 'utf8')).slice(1) as [number, string, string][]
  }

  async approval(id: string): Promise<Approval> {
    const all = await this.json<Approval[]>(['approvals', '--all', '--json'])
    const found = all.find(approval => approval.id === id)
    if (!found) throw new Error(`no approval ${id}`)
    return found
  }
}

function isFileOrDirectory(path: string): boolean {
  const found = lstatSync(path)
  return found.isFile() || found.isDirectory()
}
