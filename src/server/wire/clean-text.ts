import type { Redactor } from '../../text/index.js'
import { type TimeForm, toJson } from './time-fields.js'

/** Names and paths occur again and again; longer texts are mostly new. */
const CACHED_MAX_CHARACTERS = 300
const CACHED_TEXTS_MAX = 20_000
/** Shorter texts contain no secret. */
const SECRET_MIN_CHARACTERS = 8

/** JSON with redacted secrets; the results for short texts are cached. */
export class CleanText {
  readonly #redactor: Redactor
  #known = new Map<string, string>()

  constructor(redactor: Redactor) {
    this.#redactor = redactor
  }

  json(value: unknown, form: TimeForm): string {
    return toJson(value, form, text => this.#clean(text))
  }

  #clean(text: string): string {
    if (text.length < SECRET_MIN_CHARACTERS) return text
    if (text.length > CACHED_MAX_CHARACTERS) return this.#redactor.redact(text)
    const known = this.#known.get(text)
    if (known !== undefined) return known
    if (this.#known.size >= CACHED_TEXTS_MAX) this.#known = new Map()
    const clean = this.#redactor.redact(text)
    this.#known.set(text, clean)
    return clean
  }
}
