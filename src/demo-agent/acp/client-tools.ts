import { type AgentContext, type ClientCapabilities, methods, RequestError } from '@agentclientprotocol/sdk'
import type { ToolCall } from '../player/surface.js'
import type { RunningCommand } from '../tools/run-command.js'
import { OWN_TOOLS, type Tools } from '../tools/tools.js'
import type { AcpSurface } from './acp-surface.js'

interface ClientToolsOptions {
  client: AgentContext
  sessionId: string
  surface: AcpSurface
  capabilities: ClientCapabilities
}

const NOT_FOUND = -32_002

/** The client's files and terminals, as far as it has declared them. */
export function clientTools({ client, sessionId, surface, capabilities }: ClientToolsOptions): Tools {
  const { fs, terminal } = capabilities
  return {
    start: terminal
      ? (call, command, cwd, onOutput) =>
          startInTerminal({ client, sessionId, surface }, { call, command, cwd, onOutput })
      : OWN_TOOLS.start,
    read: fs?.readTextFile
      ? path =>
          client.request(methods.client.fs.readTextFile, { sessionId, path }).then(
            ({ content }) => content,
            error => {
              if (error instanceof RequestError && error.code === NOT_FOUND) return null
              throw error
            },
          )
      : OWN_TOOLS.read,
    write: fs?.writeTextFile
      ? async (path, content) => {
          await client.request(methods.client.fs.writeTextFile, { sessionId, path, content })
        }
      : OWN_TOOLS.write,
  }
}

function startInTerminal(
  { client, sessionId, surface }: Omit<ClientToolsOptions, 'capabilities'>,
  options: { call: ToolCall; command: string | string[]; cwd: string; onOutput(chunk: string): void },
): RunningCommand {
  const { call, command, cwd, onOutput } = options
  const [file = 'sh', ...args] = Array.isArray(command) ? command : ['sh', '-c', command]
  const env = ['NO_COLOR', 'CI'].map(name => ({ name, value: '1' }))
  const terminal = client.createTerminal({ sessionId, command: file, args, cwd, env })
  const run = async () => {
    const running = await terminal
    surface.toolRunsIn(call, running.id)
    const { exitCode } = await running.waitForExit()
    onOutput((await running.currentOutput()).output)
    await running.release()
    return { exitCode: exitCode ?? 1 }
  }
  const kill = () => void terminal.then(running => running.kill()).catch(() => undefined)
  return { pid: -1, ended: run(), kill }
}
