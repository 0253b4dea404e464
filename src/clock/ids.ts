import { randomBytes } from 'node:crypto'

export type IdPrefix =
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

/** An unguessable token of 26 characters (130 bits), for hook tokens and idempotency keys. */
export function newNonce(): string {
  return randomText(26)
}
