import { Readable, Writable } from 'node:stream'
import { serveAcp } from '../../acp/index.js'
import { localPerson } from '../approvals/local-person.js'
import type { CommandContext } from '../context.js'
import { DaemonClient } from '../daemon-client.js'
import type { InputOf } from '../specs/index.js'
import { version } from '../version.js'

export async function run(context: CommandContext, { args }: InputOf<'acp'>): Promise<number> {
  const client = await DaemonClient.connect(context)
  await serveAcp({
    backend: {
      get: path => client.get(path),
      post: (path, body) => client.post(path, body),
      events: (session, { since, signal }) => client.events(`/events?scope=session:${session}&since=${since}`, signal),
    },
    agent: args.agent,
    version: version(),
    person: localPerson(),
    input: Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>,
    output: Writable.toWeb(process.stdout) as WritableStream<Uint8Array>,
  })
  return 0
}
