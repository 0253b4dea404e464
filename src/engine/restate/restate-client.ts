import { request } from 'node:http'
import { request as secureRequest } from 'node:https'

/** Where the engine's ingress or admin is: a unix socket, or an address. */
export type RestateAddress = { socketPath: string } | { url: string }

/** How long an engine may take to answer before it counts as away. */
const ANSWER_MS = 2_000

export interface RestateAnswer {
  status: number
  text: string
}

/** Whether the engine is up; its admin says so. */
export async function isRestateUp(admin: RestateAddress): Promise<boolean> {
  const health = await askRestate(admin, { method: 'GET', path: '/health' }).catch(() => null)
  return health?.status === 200
}

/** One request to the engine. Rejects if it does not answer in time. */
export function askRestate(
  address: RestateAddress,
  { method, path, body, timeoutMs = ANSWER_MS }: { method: string; path: string; body?: unknown; timeoutMs?: number },
): Promise<RestateAnswer> {
  const target = 'url' in address ? new URL(path, address.url) : { socketPath: address.socketPath, path }
  const headers = { 'content-type': 'application/json', accept: 'application/json' }
  return new Promise((resolve, reject) => {
    const options = { method, headers, signal: AbortSignal.timeout(timeoutMs) }
    const answered = (response: import('node:http').IncomingMessage) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', chunk => {
        text += chunk
      })
      response.on('error', reject)
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
    }
    const send = target instanceof URL && target.protocol === 'https:' ? secureRequest : request
    const asking = target instanceof URL ? send(target, options, answered) : send({ ...target, ...options }, answered)
    asking.on('error', reject)
    asking.end(body === undefined ? undefined : JSON.stringify(body))
  })
}
