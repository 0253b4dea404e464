import { SignalboxError } from '../../errors/index.js'

/** The Host headers and origins that belong to this server: exact, with the port. */
export class OwnAddresses {
  readonly #hosts: ReadonlySet<string>
  readonly #origins: ReadonlySet<string>

  constructor({ port, isSecure, further }: { port: number; isSecure: boolean; further: readonly string[] }) {
    const scheme = isSecure ? 'https' : 'http'
    const usual = isSecure ? 443 : 80
    const loopback = ['127.0.0.1', 'localhost', '[::1]'].flatMap(name =>
      port === usual ? [name, `${name}:${port}`] : [`${name}:${port}`],
    )
    const hosts = [...loopback, ...further].map(host => host.toLowerCase())
    this.#hosts = new Set(hosts)
    this.#origins = new Set(hosts.map(host => `${scheme}://${host}`))
  }

  isHost(host: string | undefined): boolean {
    return host !== undefined && this.#hosts.has(host)
  }

  isOrigin(origin: string): boolean {
    return this.#origins.has(origin)
  }
}

export interface RequestOrigin {
  method: string
  host: string | undefined
  origin: string | undefined
  /**
   * `Sec-Fetch-Site`: the relation of the sending page to this server, as the browser states it.
   */
  site: string | undefined
}

/**
 * Refuses, before anything else, requests that another web page could have sent. DNS rebinding
 * shows in the Host header; a page of another address, or of another port, shows in the Origin
 * header.
 */
export function checkOrigin({ host, origin, site }: RequestOrigin, own: OwnAddresses): void {
  if (!own.isHost(host))
    throw new SignalboxError('E_HOST', `unknown Host header ${JSON.stringify(host?.slice(0, 80) ?? '')}`, {
      next: 'use the address that signalbox serve prints, or add the host to server.hosts',
    })
  const isForeign = origin !== undefined && !own.isOrigin(origin)
  if (isForeign || (site !== undefined && site !== 'same-origin' && site !== 'none'))
    throw new SignalboxError('E_ORIGIN', 'cross-origin requests are not allowed', {
      next: 'open the dashboard itself: signalbox serve --link',
    })
}

/**
 * A proof alone is not enough: the request must also come from our own page. Browsers send no
 * Origin with a same-origin GET; there `Sec-Fetch-Site: same-origin`, which no script can set,
 * shows the same.
 */
export function comesFromOwnPage({ method, origin, site }: RequestOrigin): boolean {
  if (origin !== undefined) return true
  return (method === 'GET' || method === 'HEAD') && site === 'same-origin'
}
