import { isIPv6 } from 'node:net'
import { SignalboxError } from '../errors/index.js'
import type { ServerSettings } from './settings.js'

const LOOPBACK = /^(127(\.\d{1,3}){3}|::1|localhost)$/

export function isLoopback(bind: string): boolean {
  return LOOPBACK.test(bind)
}

/**
 * Beyond this machine only on purpose, encrypted, and with a passphrase. A container's `0.0.0.0` is no exception.
 * @throws SignalboxError `E_CONFIG`
 */
export function checkBind({ bind, isPublic, tls, isBehindProxy, proxies, passphraseFile }: ServerSettings): void {
  if (isLoopback(bind)) return
  const refuse = (missing: string, next: string) =>
    new SignalboxError('E_CONFIG', `the dashboard does not listen on ${bind} without ${missing}`, { next })
  if (!isPublic)
    throw refuse('server.public', 'set server.public = true if others shall reach it, or bind to 127.0.0.1')
  if (!tls && !isBehindProxy)
    throw refuse('TLS', 'set server.tls_cert and server.tls_key, or server.behind_proxy with server.proxies')
  if (isBehindProxy && !tls && proxies.length === 0)
    throw refuse('the proxy’s addresses', 'name them in server.proxies')
  if (passphraseFile === null) throw refuse('a passphrase', 'set server.passphrase_file')
}

/** As it stands in a URL. */
export function hostName(bind: string): string {
  return isIPv6(bind) ? `[${bind}]` : bind
}
