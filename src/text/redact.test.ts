import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { displayWidth } from './display-width.js'
import { createRedactor, secretsFromEnvironment } from './redact.js'
import { COMMAND_LINE_RULES, TEXT_RULES, useTokenShapes } from './redact-rules.js'
import { parseTokenShape, TOKEN_SHAPES } from './token-shapes.js'

const plain = createRedactor()
const MARKER = /‹secret:[a-z0-9-]+:[0-9a-f]{4}›/

/** Built at run time, so that this file holds nothing that a secret scanner would report. */
const SHAPES: Record<string, string> = {
  openai: `sk-${'proj-Ab12'.repeat(5)}`,
  anthropic: `sk-ant-${'api03-Xy9'.repeat(4)}`,
  github: `ghp_${'a1B2c3'.repeat(6)}`,
  githubOauth: `gho_${'a1B2c3'.repeat(6)}`,
  githubServer: `ghs_${'a1B2c3'.repeat(6)}`,
  githubPat: `github_pat_${'a1B2c3_'.repeat(6)}`,
  gitlab: `glpat-${'aB3-_x'.repeat(4)}`,
  slack: `xoxb-${'123456789-'.repeat(3)}abc`,
  aws: `AKIA${'A1B2C3D4'.repeat(2)}`,
  awsSession: `ASIA${'A1B2C3D4'.repeat(2)}`,
  google: `AIza${'Sy0aB-_'.repeat(5)}`,
  npm: `npm_${'a1B2c3'.repeat(6)}`,
  jwt: `eyJ${'hbGciOi'.repeat(3)}.eyJ${'zdWIiOi'.repeat(3)}.${'s1gNa-_'.repeat(4)}`,
  telegram: `123456789:${'AAExy_-12'.repeat(4)}`,
  privateKey: `-----BEGIN RSA ${'PRIVATE'} KEY-----\n${'MIIEowIBAAKCAQEA\n'.repeat(4)}abc=\n-----END RSA ${'PRIVATE'} KEY-----`,
}

describe('shapes of tokens', () => {
  test.each(Object.entries(SHAPES))(
    '%s is found at the start, in a sentence, in JSON, after an escape and in colour',
    (_, secret) => {
      const escaped = JSON.stringify(secret).slice(1, -1)
      for (const text of [
        secret,
        `see ${secret}.`,
        `{"x":"line\\n${escaped}"}`,
        `\u001b[31m${secret}\u001b[0m`,
        `curl x?y=%3D${secret}`,
      ]) {
        const redacted = plain.redact(text)
        expect(redacted).toMatch(MARKER)
        expect(redacted).not.toContain(secret.slice(8, -2))
      }
    },
  )

  test('a private key without its end is hidden as far as it looks like a key', () => {
    const torn = SHAPES.privateKey!.split('-----END')[0]!
    expect(plain.redact(`${torn}`)).not.toContain('MIIE')
  })

  test.each([
    'a risk-assessment-of-the-whole-thing and a task-management-system',
    'commit 3f2a9c1b7e4d5f60718293a4b5c6d7e8f9012345 on main',
    'npm_config_registry, sk-learn, the bearer of news, key=lambda x: x',
    'max_tokens: 4096, output_tokens=120, requestKey: "apr_0123456789abcdef"',
    'https://example.com:8080/a?page=2#top user@example.com',
    'const token = nextToken()',
  ])('ordinary text stays as it is: %s', text => {
    expect(plain.redact(text)).toBe(text)
  })
})

describe('secrets in a context', () => {
  test.each([
    ['Authorization: Bearer hunter2hunter2', 'hunter2'],
    ['"authorization": "Basic dXNlcjpwYXNz"', 'dXNlcjpwYXNz'],
    ['curl -H "Authorization: token abcdef123" x', 'abcdef123'],
    ['Bearer abc123def456', 'abc123def456'],
    ['https://user:pa55word@host/x', 'pa55word'],
    ['postgres://me:p@ss:w0rd@db/x', 'w0rd'],
    ['git clone https://abcdefghijklmnopqrstuv@host/x', 'abcdefghijklmnopqrstuv'],
    ['mysql --password=hunter2 -u me', 'hunter2'],
    ['tool --api-key "my long phrase" --verbose', 'long phrase'],
    ['tool --db-password hunter2', 'hunter2'],
    ['OPENAI_API_KEY=abc', 'abc'],
    ['export DB_PASSWORD="two words"', 'two words'],
    ['PGPASSWORD=hunter2 psql', 'hunter2'],
    ['{"api_key": "abcd"}', 'abcd'],
    ['{\\"password\\":\\"hunter2\\"}', 'hunter2'],
    ['password: hunter2', 'hunter2'],
    ['GET /x?access_token=abcdef&y=1', 'abcdef'],
    ['-d client_secret=abcdef', 'abcdef'],
    ['my key is 0123456789abcdef0123456789abcdef', '0123456789abcdef'],
  ])('are redacted: %s', (text, secret) => {
    const redacted = plain.redact(text)
    expect(redacted).toMatch(MARKER)
    expect(redacted).not.toContain(secret)
  })

  test('are removed from text that stays readable', () => {
    expect(plain.redact('https://user:pa55word@host/x')).toMatch(/^https:\/\/user:‹secret:url-password:....›@host\/x$/)
    expect(plain.redact('mysql --password=hunter2 -u me')).toMatch(/^mysql --password=‹secret:option:....› -u me$/)
  })

  test('include short passwords and every long word of letters and digits on command lines', () => {
    expect(plain.redactCommandLine('mysql -p hunter2 db')).not.toContain('hunter2')
    expect(plain.redactCommandLine('mysql -phunter2 db')).not.toContain('hunter2')
    expect(plain.redactCommandLine('curl -u me:hunter2 x')).not.toContain('hunter2')
    expect(plain.redactCommandLine('x 0123456789abcdef0123456789abcdef')).toMatch(/^x ‹secret:high-entropy:....›$/)
    expect(plain.redactCommandLine('find . -print -prune')).toBe('find . -print -prune')
    expect(plain.redactCommandLine('docker run -u 1000:1000 x')).toBe('docker run -u 1000:1000 x')
  })
})

describe('known secret values', () => {
  test('come from variables with the names of secrets', () => {
    const environment = {
      GITHUB_TOKEN: 'value-of-token',
      MY_KEY: 'value-of-key',
      A_SECRET: 'value-of-secret',
      DB_PASSWORD: 'value-of-password',
      MYSQL_PASSWD_FILE: 'value-of-passwd',
      SHORT_KEY: 'short',
      PATH: '/usr/bin:/bin',
      KEYBOARD: 'us-international',
      NO_TOKEN: undefined,
    }
    expect(secretsFromEnvironment(environment).map(secret => secret.name)).toEqual([
      'GITHUB_TOKEN',
      'MY_KEY',
      'A_SECRET',
      'DB_PASSWORD',
      'MYSQL_PASSWD_FILE',
    ])
  })

  test('are found literally, in JSON, in a URL, line by line, and where they overlap', () => {
    const value = 'pass "with" / signs'
    const redactor = createRedactor({
      secretValues: [
        { name: 'ODD_KEY', value },
        { name: 'LONG_KEY', value: 'first line of it\nsecond line of it' },
        { name: 'LEFT_KEY', value: 'abcdefgh' },
        { name: 'RIGHT_KEY', value: 'efghijkl' },
      ],
    })
    expect(redactor.redact(`x ${value} y`)).toMatch(/^x ‹secret:odd-key:....› y$/)
    expect(redactor.redact(JSON.stringify({ a: value }))).toMatch(/^\{"a":"‹secret:odd-key:....›"\}$/)
    expect(redactor.redact(`?q=${encodeURIComponent(value)}`)).toMatch(/^\?q=‹secret:odd-key:....›$/)
    expect(redactor.redact('│ second line of it │')).toMatch(/^│ ‹secret:long-key:....› │$/)
    expect(redactor.redact('abcdefghijkl')).toMatch(/^‹secret:left-key:....›$/)
  })

  test('equal secrets have equal markers and different secrets have different ones', () => {
    const [first, second, third] = plain.redact('a_KEY=one1 b_KEY=one1 c_KEY=two2').match(/[0-9a-f]{4}›/g)!
    expect(first).toBe(second)
    expect(first).not.toBe(third)
  })
})

describe('redacting structured values', () => {
  test('covers text, keys, nested values and secret fields in a copy', () => {
    const secret = SHAPES.github!
    const value = {
      [secret]: 1,
      list: [{ note: `x ${secret}` }],
      password: 'abc',
      apiKey: 'x y',
      env: { MY_KEY: 'z' },
      max_tokens: 5,
      sort_key: 'a',
    }
    const redacted = JSON.stringify(plain.redactValue(value))
    expect(redacted).not.toContain(secret)
    expect(redacted).toMatch(/"password":"‹secret:field:....›"/)
    expect(redacted).toMatch(/"apiKey":"‹secret:field:....›"/)
    expect(redacted).toMatch(/"MY_KEY":"‹secret:field:....›"/)
    expect(redacted).toContain('"max_tokens":5,"sort_key":"a"')
    expect(value.password).toBe('abc')
  })

  test('keeps a key named __proto__, and does not overflow the stack at a great depth', () => {
    const odd = JSON.parse('{"__proto__": {"a": 1}}') as unknown
    expect(JSON.stringify(plain.redactValue(odd))).toBe('{"__proto__":{"a":1}}')
    let deep: unknown = 'x'
    for (let depth = 0; depth < 100_000; depth += 1) deep = [deep]
    expect(() => plain.redactValue(deep)).not.toThrow()
  })
})

test('redactSameWidth keeps the width of every line', () => {
  for (const secret of Object.values(SHAPES)) {
    const text = `a ${secret} b\nPASSWORD=x`
    const redacted = plain.redactSameWidth(text)
    expect(redacted.split('\n').map(displayWidth)).toEqual(text.split('\n').map(displayWidth))
    expect(redacted).not.toContain(secret.slice(8, -2))
    expect(plain.redactSameWidth(redacted)).toBe(redacted)
  }
})

const fragment = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.constantFrom(...Object.values(SHAPES)),
  fc.constantFrom(
    'password=',
    'password: ',
    'MY_TOKEN=',
    '"secret": "',
    '--token ',
    '--password=',
    'Authorization: ',
    'Bearer ',
    'https://u:',
    '@host ',
    'key is ',
    '?key=',
    '&',
    '"',
    "'",
    '\\"',
    ' ',
    '\n',
    'x1'.repeat(20),
    '‹secret:jwt:0000›',
    '‹',
    '›',
    '-----BEGIN PRIVATE KEY-----',
    '-p ',
  ),
)
const canary = fc
  .array(fc.constantFrom(...'QWXZqwxz57_$%/+=!'), { minLength: 8, maxLength: 40 })
  .map(characters => characters.join(''))

test('a known secret never remains, whatever surrounds it', () => {
  fc.assert(
    fc.property(
      canary,
      fc.array(fragment, { maxLength: 8 }),
      fc.array(fragment, { maxLength: 8 }),
      (secret, before, after) => {
        const redactor = createRedactor({ secretValues: [{ name: 'CANARY_KEY', value: secret }] })
        const text = [...before, secret, ...after].join('')
        expect(redactor.redact(text)).not.toContain(secret)
        expect(redactor.redactCommandLine(text)).not.toContain(secret)
        expect(redactor.redactSameWidth(text)).not.toContain(secret)
        expect(JSON.stringify(redactor.redactValue({ [text]: [text] }))).not.toContain(
          JSON.stringify(secret).slice(1, -1),
        )
      },
    ),
    { numRuns: 500 },
  )
})

test('redacting twice gives the same text as redacting once', () => {
  fc.assert(
    fc.property(fc.array(fragment, { maxLength: 12 }), parts => {
      const text = parts.join('')
      const once = plain.redact(text)
      expect(plain.redact(once)).toBe(once)
      const narrow = plain.redactSameWidth(text)
      expect(plain.redactSameWidth(narrow)).toBe(narrow)
    }),
    { numRuns: 2000 },
  )
})

// `npm run bench:text` measures that the time grows linearly with the length.
test.each([
  ['starts of web tokens', 'eyJ'],
  ['starts of web tokens at edges', '--eyJabcd.'],
  ['starts of private keys', '-----BEGIN PRIVATE KEY-----'],
  ['dashes', '-'],
  ['names', 'password_token_key'],
  ['URLs', '//a:b'],
  ['digits', '123456789:'],
  ['parameters', '?key'],
  ['back-slashes', '\\'],
])('a long text of partial secrets is not redacted: %s', (_, unit) => {
  const text = unit.repeat(Math.ceil(320_000 / unit.length))
  expect(plain.redactCommandLine(text) === text).toBe(true)
})

test('every value in a long text of password fields is redacted', () => {
  const redacted = plain.redactCommandLine('"password":"\\"'.repeat(20_000))
  expect(redacted.replaceAll(new RegExp(`"password":"${MARKER.source}`, 'g'), '')).toBe('')
})

test("a rule's `needs` is a literal part of its pattern, so the quick check misses no secret", () => {
  for (const { kind, pattern, needs } of [...TEXT_RULES, ...COMMAND_LINE_RULES]) {
    expect([kind, pattern.flags.includes('g'), pattern.test('')]).toEqual([kind, true, false])
    if (needs === undefined) continue
    expect([kind, pattern.source.replaceAll('\\', '').includes(needs)]).toEqual([kind, true])
    // Upper and lower case would not be the same text.
    if (pattern.flags.includes('i')) expect(needs).not.toMatch(/[a-z]/i)
  }
})

describe('the known shapes of tokens', () => {
  const ALPHABET = 'aB3dE6fA9bC2eD5f0A1b'
  /** A text of the characters that a row allows, as long as the shortest token. */
  const sample = (characters: string, length: number): string => {
    const allowed = [...ALPHABET.repeat(8)].filter(character => new RegExp(`[${characters}]`).test(character))
    return allowed.join('').padEnd(length, allowed[0]).slice(0, length)
  }

  test.each(TOKEN_SHAPES)('$kind: $prefix… is redacted in text, in JSON and in a command line', shape => {
    const token = `${shape.prefix}${sample(shape.characters, shape.atLeast)}`
    for (const text of [`use ${token} here`, JSON.stringify({ note: `a\n${token}` }), `curl -u x:${token}`])
      expect(plain.redact(text)).not.toContain(token)
    expect(plain.redact(shape.prefix)).toBe(shape.prefix)
  })
})

describe('tokens of a person’s settings', () => {
  afterEach(() => useTokenShapes([]))

  test('are redacted like known tokens by every redactor of the process', () => {
    const [token, other] = ['acme(live).Zk3-x90_aa12', 'acme(live).short']
    expect(plain.redact(token)).toBe(token)
    useTokenShapes([parseTokenShape('acme-token acme(live). 12')!])
    expect(plain.redact(`use ${token} and ${other}`)).toMatch(
      /^use ‹secret:acme-token:[0-9a-f]{4}› and acme\(live\)\.short$/,
    )
    expect(plain.redactCommandLine(`x --y ${token}`)).not.toContain(token)
  })

  test.each(['', 'acme', 'Acme acme_', 'acme a', 'acme acme_ 0', 'acme acme_ 12 more', 'acme acme_ x'])(
    'are not parsed from the shape "%s"',
    text => expect(parseTokenShape(text)).toBeNull(),
  )
})
