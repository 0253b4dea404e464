import type { CoreBuffer, XtermCore } from './xterm-core.js'

/*
 * OSC 8 hyperlinks. xterm keeps a marker with three listeners for each link, as long as its row
 * exists: a program that opens a hundred thousand links on one row makes every later scroll slow.
 * So links are kept here, each target once, and cells contain only its number. When the table is
 * full, numbers that no cell uses are dropped.
 */

const LINKS_MAX = 4096
const URI_MAX = 2048

export class LinkTable {
  readonly #core: XtermCore
  readonly #uris: Map<number, string>
  readonly #numbers: Map<string, number>
  #next: number
  refused = 0
  /** A sweep reads every line; the next sweep waits until this many links were refused. */
  #refusedAtSweep = Number.NEGATIVE_INFINITY

  constructor(core: XtermCore, entries: [number, string][] = []) {
    this.#core = core
    this.#uris = new Map(entries)
    this.#numbers = new Map(entries.map(([number, uri]) => [uri, number]))
    this.#next = Math.max(0, ...this.#uris.keys()) + 1
  }

  get entries(): [number, string][] {
    return [...this.#uris]
  }

  uriOf(number: number): string | undefined {
    return this.#uris.get(number)
  }

  /** The payload of OSC 8: `params;uri`. An empty uri ends the link. */
  accept(payload: string): boolean {
    const uri = payload.slice(payload.indexOf(';') + 1)
    if (!payload.includes(';')) return true
    const attributes = this.#core._inputHandler._curAttrData
    attributes.extended = attributes.extended.clone()
    attributes.extended._urlId = uri === '' ? 0 : this.#numberOf(uri)
    attributes.updateExtended()
    return true
  }

  #numberOf(uri: string): number {
    const known = this.#numbers.get(uri)
    if (known !== undefined) return known
    if (this.#uris.size >= LINKS_MAX && this.refused - this.#refusedAtSweep >= LINKS_MAX) this.#dropUnused()
    if (uri.length > URI_MAX || /\p{Cc}/u.test(uri) || this.#uris.size >= LINKS_MAX) {
      this.refused++
      return 0
    }
    const number = this.#next++
    this.#uris.set(number, uri)
    this.#numbers.set(uri, number)
    return number
  }

  #dropUnused(): void {
    this.#refusedAtSweep = this.refused
    const used = new Set<number>([this.#core._inputHandler._curAttrData.extended._urlId])
    for (const buffer of [this.#core.buffers.normal, this.#core.buffers.alt]) collectLinks(buffer, used)
    for (const [number, uri] of this.#uris) {
      if (used.has(number)) continue
      this.#uris.delete(number)
      this.#numbers.delete(uri)
    }
  }
}

function collectLinks(buffer: CoreBuffer, used: Set<number>): void {
  for (let index = 0; index < buffer.lines.length; index++) {
    const extended = buffer.lines.get(index)?._extendedAttrs ?? {}
    for (const cell of Object.values(extended)) if (cell) used.add(cell._urlId)
  }
}
