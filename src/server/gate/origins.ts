import { SignalboxError } from '../../errors/index.js'

/** The names under which this server may be asked for: exact, with the port. */
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

export interface Asked {
  method: string
  host: string | undefined
  origin: string | undefined
  /** `Sec-Fetch-Site`: the browser's own word on where the request comes from. */
  site: string | undefined
}

/**
 * Refuses what a foreign page could have sent, before anything else is looked at. A name that leads here by a trick of DNS has another
 * Host; a page of another address, or of another port of this one, has another Origin.
 */
export function checkOrigin({ host, origin, site }: Asked, own: OwnAddresses): void {
  if (!own.isHost(host))
    throw new SignalboxError('E_HOST', 'this server is not asked for by that name', {
      next: 'use the address that signalbox serve prints',
    })
  if (origin !== undefined && !own.isOrigin(origin))
    throw new SignalboxError('E_ORIGIN', 'requests of other web pages are not taken', {
      next: 'open the dashboard itself: signalbox serve --link',
    })
  if (site !== undefined && site !== 'same-origin' && site !== 'none')
    throw new SignalboxError('E_ORIGIN', 'requests that another page caused are not taken', {
      next: 'open the dashboard itself: signalbox serve --link',
    })
}

/**
 * A proof alone is not enough: the request must also say that it comes from our own page. Browsers send no Origin with a GET to their
 * own server; there `Sec-Fetch-Site: same-origin`, which no script can set, says the same.
 */
export function comesFromOwnPage({ method, origin, site }: Asked): boolean {
  if (origin !== undefined) return true
  return (method === 'GET' || method === 'HEAD') && site === 'same-origin'
}
