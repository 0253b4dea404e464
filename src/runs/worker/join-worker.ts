import type { Clock } from '../../clock/index.js'
import { type ErrorCode, SignalboxError } from '../../errors/index.js'
import type { Home } from '../../host/home/index.js'
import { newWorkerKey, openSocket, parseServerMessage } from '../../workers/index.js'
import { type JoinedWorker, writeJoined } from './joined-worker.js'

const ANSWER_MS = 15_000

/** `https://host:4100/#<token>[.<pin>]`, as `signalbox workers invite` prints it. */
function parseJoinLink(link: string): { server: string; token: string; pin: string | null } {
  try {
    const { origin, hash, protocol } = new URL(link)
    const [token = '', pin] = hash.slice(1).split('.')
    if (/^https?:$/.test(protocol) && token.length > 20) return { server: origin, token, pin: pin ?? null }
  } catch {
    // Reported below.
  }
  throw new SignalboxError('E_INPUT', 'this is not a link that signalbox workers invite prints', {
    next: 'put it in quotes: signalbox worker join "https://…"',
  })
}

/** Joins this home directory as a worker: its key is made here and never leaves it. */
export async function joinWorker(
  home: Home,
  link: string,
  { name, clock }: { name: string; clock: Clock },
): Promise<JoinedWorker> {
  const { server, token, pin } = parseJoinLink(link)
  const { privatePem, publicKey } = newWorkerKey()
  const { socket } = openSocket({ server, pin })
  const joined = await new Promise<JoinedWorker>((resolve, reject) => {
    const failed = (message: string) => reject(new SignalboxError('E_JOIN', `cannot join ${server}: ${message}`))
    const timer = clock.setTimer(ANSWER_MS, () => failed('no answer'))
    socket.on('error', error => failed(error.message))
    socket.on('close', () => failed('the connection was closed'))
    socket.on('message', data => {
      const message = parseServerMessage(String(data))
      if (message?.type === 'challenge') socket.send(JSON.stringify({ type: 'join', token, name, key: publicKey }))
      if (message?.type === 'refused') reject(new SignalboxError(message.code as ErrorCode, message.message))
      if (message?.type !== 'joined') return
      timer.cancel()
      resolve({ worker: message.worker, name: message.name, server, pin })
    })
  }).finally(() => socket.close())
  writeJoined(home, joined, privatePem)
  return joined
}
