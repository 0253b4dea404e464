import { isIPv6 } from 'node:net'
import { SignalboxError } from '../errors/index.js'
import type { ServerSettings } from './settings.js'

const LOOPBACK = /^(127(\.\d{1,3}){3}|::1|localhost)$/

export function isLoopback(bind: string): boolean {
  return LOOPBACK.test(bind)
}

/**
 * An address that other machines can reach needs server.public, encryption and a passphrase.
 * `0.0.0.0` in a container is not an exception.
 * @throws SignalboxError `E_CONFIG`
 */
export function checkBind({ bind, isPublic, tls, isBehindProxy, proxies, passphraseFile }: ServerSettings): void {
  if (isLoopback(bind)) return
  const refuse = (missing: string, next: string) =>
    new SignalboxError('E_CONFIG', `the dashboard cannot listen on ${bind} without ${missing}`, { next })
  if (!isPublic)
    throw refuse('server.public', 'set server.public = true if other machines may reach it, or bind to 127.0.0.1')
  if (!tls && !isBehindProxy)
    throw refuse('TLS', 'set server.tls_cert and server.tls_key, or server.behind_proxy with server.proxies')
  if (isBehindProxy && !tls && proxies.length === 0)
    throw refuse('the addresses of the proxy', 'list them in server.proxies')
  if (passphraseFile === null) throw refuse('a passphrase', 'set server.passphrase_file')
}

/** The address as a URL contains it. */
export function hostName(bind: string): string {
  return isIPv6(bind) ? `[${bind}]` : bind
}
