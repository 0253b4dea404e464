import type { Clock } from '../../clock/index.js'
import { type ErrorCode, SignalboxError } from '../../errors/index.js'
import type { Home } from '../../host/home/index.js'
import { newWorkerKey, openSocket, parseServerMessage, type ServerMessage, showPin } from '../../workers/index.js'
import { type JoinedWorker, writeJoined } from './joined-worker.js'

const ANSWER_MS = 15_000

/** The server that a link names, as it answers. */
export interface FoundServer {
  server: string
  /** Of its public key; null if the connection is not encrypted. */
  fingerprint: string | null
  /** The link names this fingerprint, so the owner who made the link vouches for it. */
  isExpected: boolean
}

export interface JoinOptions {
  name: string
  clock: Clock
  /** Asked before the server gets the token. If it returns false, nothing is joined. */
  mayTrust(found: FoundServer): Promise<boolean>
}

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

/**
 * Joins this home directory as a worker: its key is made here and never leaves it. Null if the
 * server is not trusted.
 * @throws SignalboxError `E_INPUT`, `E_JOIN`
 */
export async function joinWorker(
  home: Home,
  link: string,
  { name, clock, mayTrust }: JoinOptions,
): Promise<JoinedWorker | null> {
  const { server, token, pin } = parseJoinLink(link)
  // Asking may take long, and a server need not wait for it: it is looked at first, and joined by
  // another connection, which must have the same key.
  const found = await dial({ server, pin }, clock, () => null)
  const fingerprint = found.key && showPin(found.key)
  if (!(await mayTrust({ server, fingerprint, isExpected: pin !== null && found.key === pin }))) return null
  const { privatePem, publicKey } = newWorkerKey()
  const { message } = await dial({ server, pin: pin ?? found.key, needsAuthority: pin === null }, clock, received => {
    return received.type === 'challenge' ? { type: 'join', token, name, key: publicKey } : null
  })
  if (message.type !== 'joined') throw new SignalboxError('E_JOIN', `cannot join ${server}: unexpected answer`)
  const joined = { worker: message.worker, name: message.name, server, pin }
  writeJoined(home, joined, privatePem)
  return joined
}

/**
 * Connects, answers the first messages, and returns the first one that needs no answer.
 * @throws SignalboxError `E_JOIN`, or the error with which the server refuses
 */
async function dial(
  target: Parameters<typeof openSocket>[0],
  clock: Clock,
  answer: (message: ServerMessage) => object | null,
): Promise<{ message: ServerMessage; key: string | null }> {
  const { server, pin } = target
  const { socket, key } = openSocket(target)
  return new Promise<{ message: ServerMessage; key: string | null }>((resolve, reject) => {
    const failed = (message: string) => {
      const isOther = pin !== null && key() !== null && key() !== pin
      const next = 'do not join it: ask the owner of the server for a new link, signalbox workers invite'
      reject(
        isOther
          ? new SignalboxError(
              'E_JOIN',
              `${server} has the fingerprint ${showPin(key()!)}; expected: ${showPin(pin)}`,
              { next },
            )
          : new SignalboxError('E_JOIN', `cannot join ${server}: ${message}`),
      )
    }
    const timer = clock.setTimer(ANSWER_MS, () => failed('no answer'))
    socket.on('error', error => failed(error.message))
    socket.on('close', () => {
      timer.cancel()
      failed('the connection was closed')
    })
    socket.on('message', data => {
      const message = parseServerMessage(String(data))
      if (!message) return
      if (message.type === 'refused') return reject(new SignalboxError(message.code as ErrorCode, message.message))
      const reply = answer(message)
      if (reply) socket.send(JSON.stringify(reply))
      else resolve({ message, key: key() })
    })
  }).finally(() => socket.close())
}
