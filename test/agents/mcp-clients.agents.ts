import { spawn } from 'node:child_process'
import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CLI } from '../e2e/harness.js'
import { AgentHome } from './agent-home.js'
import type { AgentUnderTest } from './agent-under-test.js'
import { FakeModel } from './fake-models/fake-model.js'
import type { ToolCall } from './fake-models/wire.js'
import { installed } from './installed.js'
import { AGENTS } from './table/index.js'
import { wantedOf } from './wanted.js'

/**
 * How each client is told of the server and run without a terminal, and what it calls its tools.
 */
interface Way {
  configure(home: AgentHome): readonly string[]
  tool(name: string, input: object): ToolCall
}

const WAYS: Readonly<Record<string, Way>> = {
  claude: {
    configure: home => {
      const file = join(home.work, 'mcp.json')
      const server = { command: process.execPath, args: [CLI, 'mcp'], env: { SIGNALBOX_HOME: home.home } }
      writeFileSync(file, JSON.stringify({ mcpServers: { signalbox: server } }))
      return ['--mcp-config', file, '--strict-mcp-config', '--allowedTools', 'mcp__signalbox', '--print']
    },
    tool: (name, input) => ({ name: `mcp__signalbox__${name}`, input }),
  },
  codex: {
    configure: home => {
      const lines = [
        '[mcp_servers.signalbox]',
        `command = ${JSON.stringify(process.execPath)}`,
        `args = ${JSON.stringify([CLI, 'mcp'])}`,
        'default_tools_approval_mode = "approve"',
        // On a busy machine the server and its daemon start more slowly than it waits by default.
        'startup_timeout_sec = 120',
        'tool_timeout_sec = 120',
        `env = { SIGNALBOX_HOME = ${JSON.stringify(home.home)} }`,
      ]
      appendFileSync(join(home.place.home, '.codex', 'config.toml'), `\n${lines.join('\n')}\n`)
      return ['exec', '--skip-git-repo-check']
    },
    tool: (name, input) => ({ name, namespace: 'mcp__signalbox', input }),
  },
}

describe.each(wantedOf(AGENTS.filter(({ name }) => name in WAYS)))(
  '$name as a client of signalbox mcp',
  (agent: AgentUnderTest) => {
    const model = new FakeModel()
    const way = WAYS[agent.name]!
    let home: AgentHome

    beforeAll(async () => {
      home = new AgentHome(agent, await model.listen())
    })
    afterAll(async () => {
      await home?.close()
      await model.close()
    })

    test('starts a session with the tools of the server and reads it', async () => {
      model.when(
        'Start the other agent',
        { tool: way.tool('session_start', { agent: 'demo' }) },
        { tool: way.tool('sessions_list', {}) },
        { text: 'It is started.' },
      )
      const args = [...way.configure(home), 'Start the other agent']
      const child = spawn(join(installed(agent), agent.program), args, {
        cwd: home.work,
        env: home.env,
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      let text = ''
      for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => (text += String(chunk)))
      await new Promise(resolve => child.on('close', resolve))
      const sessions = await home.json<{ agent: string }[]>(['sessions', '--json'])
      expect(
        sessions.map(session => session.agent),
        text.slice(-3_000),
      ).toEqual(['demo'])
      expect(text).toContain('It is started.')
    })
  },
)
