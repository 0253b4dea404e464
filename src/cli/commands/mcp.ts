import { resolve } from 'node:path'
import { SignalboxError } from '../../errors/index.js'
import { openHome } from '../../host/home/index.js'
import { type CallApi, serveMcpStdio } from '../../mcp/index.js'
import { callingAgent, localPerson } from '../approvals/local-person.js'
import type { CommandContext } from '../context.js'
import { DaemonClient } from '../daemon-client.js'
import type { InputOf } from '../specs/index.js'
import { version } from '../version.js'

export async function run(context: CommandContext, { options }: InputOf<'mcp'>): Promise<number> {
  const { decide_as: decidesAs } = openHome(context).loaded.config.mcp
  const me = localPerson()
  // A client waits only briefly for the first answer, which needs no daemon.
  let connecting: Promise<DaemonClient> | null = null
  const call: CallApi = async (method, path, body) => {
    connecting ??= DaemonClient.connect(context)
    const client = await connecting
    return method === 'GET' ? client.get(path) : client.post(path, body)
  }
  const api: CallApi = async (method, path, body) => {
    try {
      return await call(method, path, body)
    } catch (error) {
      connecting = null
      // A daemon that was replaced meanwhile: what only reads is asked again.
      const isGone = error instanceof SignalboxError && error.code === 'E_DAEMON_GONE'
      if (!isGone || method !== 'GET') throw error
      return call(method, path, body)
    }
  }
  const ended = new Promise<void>(done => process.stdin.once('end', done).once('close', done))
  await serveMcpStdio(
    {
      api,
      version: version(),
      project: resolve(context.cwd, options.project ?? '.'),
      decidesAs: decidesAs === me.id ? me : null,
      insideSession: callingAgent(context) ?? undefined,
    },
    ended,
  )
  return 0
}
