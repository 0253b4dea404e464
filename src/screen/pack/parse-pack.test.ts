import { describe, expect, it } from 'vitest'
import { composePack, parsePack } from './parse-pack.js'

const BASE = `pack = 1
agent = "test"
versions = ">=1 <2"
glyphs = { spinner = "◜◝" }
region = [{ name = "tray", kind = "tail", n = 3 }]
menus = [{ kind = "permission", question = "base" }]

[[rule]]
id = "working"
view = "thinking"
region = "status"
line = '^[{spinner}] '
busy = true

[[rule]]
id = "banner"
view = "startup"
region = "screen"
line = 'hello'
`

const failure = (
  ...texts: string[]
): { code: string; message: string; place: { file: string; line: number; column?: number } } => {
  try {
    composePack(texts.map((text, index) => ({ text, file: `${index}.toml` })))
  } catch (error) {
    return error as never
  }
  throw new Error('the pack is accepted')
}

describe('a pack file that overlays another', () => {
  const over = (text: string) =>
    composePack([
      { text: BASE, file: 'base.toml' },
      { text: `pack = 1\nagent = "test"\n${text}`, file: 'own.toml' },
    ])

  it('replaces the rule of the same id and keeps the others', () => {
    const pack = over(`[[rule]]\nid = "working"\nview = "thinking"\nregion = "footer"\nline = 'busy'\n`)
    expect(pack.rules.map(rule => [rule.id, rule.region])).toEqual([
      ['banner', 'screen'],
      ['working', 'footer'],
    ])
  })

  it('removes a disabled rule, which needs no other field', () => {
    expect(over(`[[rule]]\nid = "working"\ndisabled = true\n`).rules.map(rule => rule.id)).toEqual(['banner'])
  })

  it('may use glyphs and regions of the file below', () => {
    const pack = over(`[[rule]]\nid = "mine"\nview = "thinking"\nregion = "tray"\nline = '^[{spinner}]$'\n`)
    expect(pack.rules.find(rule => rule.id === 'mine')?.line?.test('◝')).toBe(true)
  })

  it('puts its entries before those of an unnamed list, where the first match wins', () => {
    const pack = over(`menus = [{ kind = "plan", question = "own" }]\n`)
    expect(pack.menus.map(menu => menu.kind)).toEqual(['plan', 'permission'])
  })

  it('merges tables key by key, and keeps the version range of the file below', () => {
    const pack = over(`versions = "*"\ntext = { indent = 4 }\nglyphs = { bullet = "●" }\n`)
    expect([pack.versions, pack.text.indent, pack.rules.length]).toEqual(['>=1 <2', 4, 2])
  })

  it('ignores the files below when it is standalone', () => {
    expect(over('standalone = true\n')).toMatchObject({ rules: [], menus: [], versions: '*' })
  })
})

describe('rules for some versions', () => {
  const text = `pack = 1\nagent = "test"\n${['since = "2.0"', 'until = "2.0"', ''].map((bound, index) => `[[rule]]\nid = "r${index}"\nview = "error"\nregion = "screen"\nline = "x"\n${bound}\n`).join('')}`

  it.each([
    ['2.0.0', ['r0', 'r2']],
    ['1.9.9', ['r1', 'r2']],
    [null, ['r0', 'r1', 'r2']],
  ])('version %s has the rules %j', (version, ids) => {
    expect(parsePack(text, 'x.toml', { version }).rules.map(rule => rule.id)).toEqual(ids)
  })
})

describe('a mistake in a pack is reported with file and line', () => {
  const rule = (more: string) => `pack = 1\nagent = "test"\n\n[[rule]]\nid = "r"\nview = "error"\n${more}\n`

  it.each([
    ['invalid TOML', 'pack = 1\nagent = \n', 2, ''],
    ['an unknown field', rule('region = "screen"\nlin = "x"'), 8, 'there is no field "lin" in rule r'],
    ['an unknown field at the top', 'pack = 1\nagent = "test"\nregions = []\n', 3, 'there is no field "regions"'],
    ['a missing field', rule('line = "x"'), 4, 'rule r region'],
    ['an unknown value', rule('region = "screen"\nawaiting = "nobody"'), 8, 'rule r awaiting'],
    ['a pattern that does not compile', rule('region = "screen"\nline = "("'), 8, 'rule r line: '],
    [
      'a pattern that may never end',
      rule('region = "screen"\nline = "(a+)+b"'),
      8,
      'must not contain an unbounded quantifier',
    ],
    ['an unknown region', rule('region = "tray"\nline = "x"'), 7, 'unknown region "tray"'],
    [
      'a condition in an unknown region',
      rule('region = "screen"\nline = "x"\nnone = [{ region = "tray", line = "y" }]'),
      7,
      'unknown region "tray"',
    ],
    [
      'a range of versions',
      'pack = 1\nagent = "test"\nversions = "two"\n',
      3,
      'versions: "two" is not a version range',
    ],
    [
      'a pattern inside a list',
      'pack = 1\nagent = "test"\nblocks = [\n  { kind = "prose", first = "^x" },\n  { kind = "user", first = "[" },\n]\n',
      5,
      'blocks[1].first',
    ],
    [
      'a fixture that is not a recording',
      'pack = 1\nagent = "test"\nfixtures = [{ cast = "../x.cast", at = 1, expect = {} }]\n',
      3,
      'fixtures.0.cast',
    ],
  ])('is reported at its line: %s', (_, text, line, message) => {
    const error = failure(text)
    expect([error.code, error.place.file, error.place.line]).toEqual(['E_PACK', '0.toml', line])
    expect(error.message).toContain(message)
  })

  it('is reported in the file that contains it', () => {
    const own = `pack = 1\nagent = "test"\n\n[[rule]]\nid = "banner"\nview = "startup"\nregion = "screen"\nline = '['\n`
    expect(failure(BASE, own).place).toMatchObject({ file: '1.toml', line: 8 })
  })
})
