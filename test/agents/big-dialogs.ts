import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { AgentPlace, AgentUnderTest } from './agent-under-test.js'
import type { ToolCall } from './fake-models/wire.js'

/*
 * What the models of real agents ask for so that a dialog does not fit on the screen, or names
 * neither a command nor a file. Each tool leaves a file `<name>.txt`.
 */

const MCP_SERVER = fileURLToPath(new URL('mcp-server.mjs', import.meta.url))
const LINES = Array.from({ length: 200 }, (_, n) => `const value${n} = ${n}`)

interface Dialogs {
  /** Writes a file of 200 lines. */
  write(path: string): ToolCall
  /** Calls the tool `release` of the MCP server `deploy`. */
  mcp(input: object): ToolCall
  /** Adds the MCP server to the agent's settings, and lets the agent ask for each file. */
  prepare(place: AgentPlace, server: { command: string; args: string[] }): void
}

const AGENTS: Record<string, Dialogs> = {
  claude: {
    write: path => ({ name: 'Write', input: { file_path: path, content: LINES.join('\n') } }),
    mcp: input => ({ name: 'mcp__deploy__release', input }),
    prepare: ({ home }, server) =>
      changeJson(join(home, '.claude.json'), { mcpServers: { deploy: { type: 'stdio', ...server } } }),
  },
  codex: {
    write: path => ({
      name: 'apply_patch',
      input: `*** Begin Patch\n*** Add File: ${path}\n${LINES.map(line => `+${line}\n`).join('')}*** End Patch\n`,
      isFreeform: true,
    }),
    mcp: input => ({ name: 'release', namespace: 'mcp__deploy', input }),
    prepare: ({ home }, { command, args }) => {
      const file = join(home, '.codex', 'config.toml')
      const server = `[mcp_servers.deploy]\ncommand = ${JSON.stringify(command)}\nargs = ${JSON.stringify(args)}\n`
      writeFileSync(file, `sandbox_mode = "read-only"\n${readFileSync(file, 'utf8')}\n${server}`)
    },
  },
  gemini: {
    write: path => ({ name: 'write_file', input: { file_path: path, content: LINES.join('\n') } }),
    mcp: input => ({ name: 'mcp_deploy_release', input }),
    prepare: ({ home }, server) =>
      changeJson(join(home, '.gemini', 'settings.json'), { mcpServers: { deploy: server } }),
  },
}

const ran = (path: string) => `node -e "require('fs').appendFileSync('${path}','x')"`

/** By the name of the dialog: how the agent's model asks, and for which file. */
export const BIG_DIALOGS: Record<
  string,
  (agent: AgentUnderTest, place: AgentPlace, name: string) => { tool: ToolCall; file: string }
> = {
  'a here-document': (agent, place, name) => {
    const file = join(place.project, `${name}.txt`)
    const command = `cat > notes.md <<'EOF'\n# Notes\n\n- first\n- second\nEOF\n${ran(file)}`
    return { tool: agent.shell(command, place), file }
  },
  'a command of 60 lines': (agent, place, name) => {
    const file = join(place.project, `${name}.txt`)
    const lines = Array.from({ length: 59 }, (_, n) => `echo step ${n} of many > /dev/null`)
    return { tool: agent.shell([...lines, ran(file)].join('\n'), place), file }
  },
  'a file of 200 lines': ({ name: agent }, { project }, name) => {
    const file = join(project, `${name}.txt`)
    return { tool: AGENTS[agent]!.write(file), file }
  },
  'a tool of an MCP server': ({ name: agent }, { project }, name) => ({
    tool: AGENTS[agent]!.mcp({ name, environment: 'production', force: true }),
    file: join(project, `${name}.txt`),
  }),
}

export function prepareBigDialogs({ name }: AgentUnderTest, place: AgentPlace): void {
  AGENTS[name]!.prepare(place, { command: process.execPath, args: [MCP_SERVER, place.project] })
}

function changeJson(file: string, change: object): void {
  writeFileSync(file, JSON.stringify({ ...(JSON.parse(readFileSync(file, 'utf8')) as object), ...change }))
}
