import { TOKEN_SHAPES, type TokenShape } from './token-shapes.js'

/**
 * What a secret looks like when its value is not known. Each pattern matches the secret alone, or
 * has two groups: the text before it, which stays, and the secret. All patterns run in linear time:
 * every unbounded repetition is the last part that can fail, and the parts before it are bounded.
 * In doubt a text is redacted: hiding a harmless word costs less than showing a key.
 */
export interface RedactionRule {
  /** The name in the marker. */
  readonly kind: string
  /** Global, and never matches the empty text: all matches are visited in turn. */
  readonly pattern: RegExp
  /** The pattern cannot match without this text: searching for it is much faster. */
  readonly needs?: string
  /** A further condition that a pattern cannot express in linear time. */
  readonly isSecret?: (text: string) => boolean
}

/** One character except these, and not a marker: redacting twice changes nothing. */
const except = (excluded: string): string => `(?:(?!‹secret:|▒)[^${excluded}])`

const ESCAPED_QUOTE_VALUE = `(?<=\\\\["'])${except(`"'\\\\\\r\\n`)}+`
const DOUBLE_QUOTED_VALUE = `(?<=")(?:${except('"\\\\\\r\\n')}|\\\\.)+`
const SINGLE_QUOTED_VALUE = `(?<=')(?:${except("'\\\\\\r\\n")}|\\\\.)+`
const BARE_VALUE = `${except('\\s"\'`')}+`
/** A quoted value up to its quote (also escaped), or one up to the next blank. */
const VALUE = `(${ESCAPED_QUOTE_VALUE}|${DOUBLE_QUOTED_VALUE}|${SINGLE_QUOTED_VALUE}|${BARE_VALUE})`
const OPENING_QUOTE = `\\\\?["']?`

/**
 * The left edge of a word: `sk-` may be the end of `task-`, and starting inside a word would make
 * the search quadratic. Text after an escape of JSON, a colour code or `%3D` is at an edge, too.
 */
const WORD_EDGE = `(?:(?<![A-Za-z0-9_-])|(?<=\\\\[nrt])|(?<=%[0-9A-Fa-f]{2})|(?<=\\u001b\\[[0-9;:]{0,32}m))`

const literal = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')

function ruleOfShape({ kind, prefix, characters, atLeast }: TokenShape): RedactionRule {
  const edge = /^\w/.test(prefix) ? WORD_EDGE : ''
  return { kind, needs: prefix, pattern: new RegExp(`${edge}${literal(prefix)}[${characters}]{${atLeast},}`, 'g') }
}

const hasLettersAndDigits = (text: string): boolean => /[0-9]/.test(text) && /[A-Za-z]/.test(text)

/** For all text. The first match names the place. */
export const TEXT_RULES: readonly RedactionRule[] = [
  {
    kind: 'private-key',
    needs: '-----BEGIN ',
    pattern:
      /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:(?:(?!-----BEGIN)[\s\S]){0,16384}?-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|(?:(?:\s|\\[nr]){1,8}[A-Za-z0-9+/=]{16,})+(?:(?:\s|\\[nr]){1,8}[A-Za-z0-9+/=]+)?)/g,
  },
  { kind: 'api-key', needs: 'sk-', pattern: new RegExp(`${WORD_EDGE}sk-[A-Za-z0-9_-]{12,}`, 'g') },
  { kind: 'github-token', pattern: /gh[opsur]_[A-Za-z0-9]{16,}|github_pat_[A-Za-z0-9_]{16,}/g },
  { kind: 'gitlab-token', needs: 'glpat-', pattern: /glpat-[A-Za-z0-9_-]{12,}/g },
  { kind: 'slack-token', needs: 'xox', pattern: /xox[a-z]-[A-Za-z0-9-]{8,}/g },
  { kind: 'aws-key', pattern: /(?:AKIA|ASIA)[A-Z0-9]{12,}/g },
  { kind: 'google-key', needs: 'AIza', pattern: /AIza[A-Za-z0-9_-]{20,}/g },
  { kind: 'npm-token', needs: 'npm_', pattern: /npm_[A-Za-z0-9]{20,}/g },
  {
    kind: 'jwt',
    needs: 'eyJ',
    pattern: new RegExp(`${WORD_EDGE}eyJ[A-Za-z0-9_-]{4,}\\.[A-Za-z0-9_-]{4,}\\.[A-Za-z0-9_-]*`, 'g'),
  },
  { kind: 'telegram-token', needs: ':', pattern: /(?<!\d)\d{6,12}:[A-Za-z0-9_-]{30,}/g },
  ...TOKEN_SHAPES.map(ruleOfShape),
  {
    kind: 'authorization',
    pattern: new RegExp(
      `(authorization${OPENING_QUOTE}\\s{0,4}[:=]\\s{0,4}${OPENING_QUOTE}(?:(?:bearer|basic|token|digest|negotiate|apikey|aws4-hmac-sha256)\\s{1,4})?)(${except(`\\s"'\\\\,;`)}{6,})`,
      'gi',
    ),
  },
  { kind: 'bearer', pattern: /(\bbearer\s{1,4})((?=[A-Za-z._~+/=-]{0,15}\d|[A-Za-z._~+/=-]{16})[\w.~+/=-]{8,})/gi },
  {
    kind: 'url-password',
    needs: '//',
    pattern: new RegExp(`(//[^\\s/?#@:"'<>]{0,256}:)(${except(`\\s/"'<>`)}{1,1024}(?=@))`, 'g'),
  },
  { kind: 'url-password', needs: '//', pattern: /(\/\/)([A-Za-z0-9_-]{20,1024}(?=@))/g },
  {
    kind: 'option',
    needs: '--',
    pattern: new RegExp(
      `(--(?:[a-z0-9]{1,20}-){0,3}(?:password|passwd|passphrase|token|api-?key|secret|secret-key|access-key)(?:=|\\s{1,8})${OPENING_QUOTE})(?!--?[a-z])${VALUE}`,
      'gi',
    ),
  },
  {
    kind: 'variable',
    pattern: new RegExp(
      `((?:_KEY|_TOKEN|_SECRET|PASSWORD|PASSWD)${OPENING_QUOTE}\\s?[=:]\\s?${OPENING_QUOTE})${VALUE}`,
      'g',
    ),
  },
  {
    kind: 'parameter',
    needs: '=',
    pattern: new RegExp(
      `([?&][\\w.-]{0,40}(?:key|token|secret|password|passwd|sig|signature|code)=)(${except(`\\s&#"'<>`)}+)`,
      'gi',
    ),
  },
  {
    kind: 'field',
    needs: '=',
    pattern: new RegExp(
      `((?:^|[\\s,;({[])[\\w.-]{0,40}(?:token|secret|passw(?:or)?d|passphrase|signature|(?:api|access|secret|private)[_-]?key)=)(${except('\\s&#"\'`<>')}{4,})`,
      'gi',
    ),
  },
  {
    kind: 'field',
    pattern: new RegExp(
      `((?:token|secret|passw(?:or)?d|passphrase|(?:api|access|secret|private)[_-]?key)${OPENING_QUOTE}\\s{0,4}[:=]\\s{0,4}\\\\?["'])(?!\\s)${VALUE}`,
      'gi',
    ),
  },
  {
    kind: 'field',
    pattern: new RegExp(`((?:passw(?:or)?d|passphrase)\\s{0,2}:\\s{1,4})(${except('\\s"\'`,;')}{4,})`, 'gi'),
    isSecret: text => /\d/.test(text),
  },
  {
    kind: 'high-entropy',
    pattern:
      /((?:key|token|secret|password|passwd|credential)s?["'`]?(?:\s{1,3}(?:is|was|are))?[\s:=>"'`(]{1,6})([A-Za-z0-9+/_=-]{32,})/gi,
    isSecret: hasLettersAndDigits,
  },
]

/**
 * In addition for command lines, where a single word may be a secret. Not for other text, where
 * this would hide every commit id. The attached form of `-p` (mysql) counts only when it contains
 * more than letters, because `-print` and `-prune` are options.
 */
export const COMMAND_LINE_RULES: readonly RedactionRule[] = [
  { kind: 'option', pattern: new RegExp(`((?:^|\\s)-p(?:=|\\s{1,8})${OPENING_QUOTE})(?!-)${VALUE}`, 'g') },
  {
    kind: 'option',
    pattern: new RegExp(`((?:^|\\s)-p)(${except('\\s=-')}${except('\\s')}*)`, 'g'),
    isSecret: text => /[^A-Za-z]/.test(text),
  },
  {
    kind: 'option',
    pattern: new RegExp(`((?:^|\\s)(?:-u|--user)(?:=|\\s{1,8})["']?[^\\s:"']{1,128}:)(${except(`\\s"'`)}+)`, 'g'),
    isSecret: text => !/^\d+$/.test(text),
  },
  { kind: 'high-entropy', pattern: /[A-Za-z0-9]{32,}/g, isSecret: hasLettersAndDigits },
]

export const SECRET_VARIABLE = /(?:_KEY|_TOKEN|_SECRET|PASSWORD)$|PASSWD/i

const SECRET_FIELD =
  /(?:^|[_-])(?:token|secret|passw(?:or)?d|passphrase|authorization)$|(?:api|access|secret|private)[_-]?key$/i
const SECRET_FIELD_BY_CASE = /[a-z](?:Token|Secret|Password)$|^[A-Z0-9_]+_KEY$/

/** Whether a field of this name is secret; `requestKey` and `max_tokens` are not. */
export function isSecretField(name: string): boolean {
  return SECRET_FIELD.test(name) || SECRET_FIELD_BY_CASE.test(name)
}

let textRules: readonly RedactionRule[] = TEXT_RULES
let commandLineRules: readonly RedactionRule[] = [...TEXT_RULES, ...COMMAND_LINE_RULES]

/** The tokens of the person's settings, for every redactor of this process. */
export function useTokenShapes(shapes: readonly TokenShape[]): void {
  textRules = [...shapes.map(ruleOfShape), ...TEXT_RULES]
  commandLineRules = [...textRules, ...COMMAND_LINE_RULES]
}

export function rulesForText(): readonly RedactionRule[] {
  return textRules
}

/** For the arguments of a process. */
export function rulesForCommandLines(): readonly RedactionRule[] {
  return commandLineRules
}
