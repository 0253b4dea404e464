import { randomBytes } from 'node:crypto'

export type IdPrefix =
  | 'shr'
  | 'ses'
  | 'pan'
  | 'apr'
  | 'run'
  | 'rec'
  | 'grt'
  | 'trn'
  | 'msg'
  | 'sub'
  | 'req'
  | 'dev'
  | 'tgi'
  | 'wrk'
  | 'sch'

const CROCKFORD = '0123456789abcdefghjkmnpqrstvwxyz'

function randomText(length: number): string {
  let text = ''
  for (const byte of randomBytes(length)) text += CROCKFORD[byte & 31]
  return text
}

/**
 * `ses_` + 16 random Crockford base32 characters (80 bits). People may use any unique prefix of it.
 */
export function newId(prefix: IdPrefix): string {
  return `${prefix}_${randomText(16)}`
}

/**
 * How the ids start that a person means with `word`: a prefix with the tag of the kind (`apr_4k`)
 * or without it (`4k`). Without the tag it is searched only after the tag; otherwise `a` would
 * match every `apr_…`. Null for an empty word, which names nothing.
 */
export function idPrefix(kind: IdPrefix, word: string): string | null {
  if (word === '') return null
  return word.startsWith(`${kind}_`) ? word : `${kind}_${word}`
}

/** The records that a person means with an id or a prefix of it (`idPrefix`). */
export function matchingIds<T extends { id: string }>(kind: IdPrefix, records: readonly T[], word: string): T[] {
  const exact = records.find(({ id }) => id === word)
  if (exact) return [exact]
  const prefix = idPrefix(kind, word)
  return prefix === null ? [] : records.filter(({ id }) => id.startsWith(prefix))
}

/** An unguessable token of 26 characters (130 bits), for hook tokens and idempotency keys. */
export function newNonce(): string {
  return randomText(26)
}
