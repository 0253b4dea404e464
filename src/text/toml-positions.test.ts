import fc from 'fast-check'
import { parse, stringify } from 'smol-toml'
import { expect, test } from 'vitest'
import { scanTomlPositions } from './toml-positions.js'

const DOCUMENT = `# a comment with [brackets] and key = 1
top = "value # not a comment"
a.b.c = 1
"quoted.key" = 'literal \\'

[table]
text = """
[fake]
key = "in a string" \\""" still ""
"""
raw = '''
[also.fake]
x = 1'''' # four quotes: one belongs to the string
after = true

[ table . inner ]
  list = [
    1, # one
    { in = "a list", deep = { er = [ 2, 3 ] } },
    "three, four",
  ]
inline = { x = 1, "y z" = 2, d.e = 3 }

[[things]]
name = "first"
[[things]]
name = "second"
[things.sub]
z = 1979-05-27T07:32:00Z
`

test('the scanner finds every key of tables, dotted keys, inline tables, arrays of tables and lists', () => {
  const positions = scanTomlPositions(DOCUMENT)
  const at = (...path: string[]) => {
    const position = positions.of(path)
    return position && `${position.line}:${position.column}`
  }
  expect(at('top')).toBe('2:1')
  expect(at('a', 'b', 'c')).toBe('3:1')
  expect(at('a', 'b')).toBe('3:3')
  expect(at('quoted.key')).toBe('4:1')
  expect(at('table')).toBe('6:2')
  expect(at('table', 'text')).toBe('7:1')
  expect(at('table', 'raw')).toBe('11:1')
  expect(at('table', 'after')).toBe('14:1')
  expect(at('table', 'inner')).toBe('16:11')
  expect(at('table', 'inner', 'list')).toBe('17:3')
  expect(at('table', 'inner', 'list', '1', 'in')).toBe('19:7')
  expect(at('table', 'inner', 'list', '1', 'deep', 'er')).toBe('19:31')
  expect(at('table', 'inner', 'list', '2')).toBe('20:5')
  expect(at('table', 'inner', 'inline', 'y z')).toBe('22:19')
  expect(at('table', 'inner', 'inline', 'd', 'e')).toBe('22:30')
  expect(at('things', '0', 'name')).toBe('25:1')
  expect(at('things', '1', 'name')).toBe('27:1')
  expect(at('things', '1', 'sub', 'z')).toBe('29:1')
  expect(at('fake')).toBeUndefined()
  expect(at('also')).toBeUndefined()
})

test('the parser accepts the sample document, and the scanner finds exactly its keys', () => {
  const scanned = new Set(
    scanTomlPositions(DOCUMENT)
      .paths()
      .map(path => JSON.stringify(path)),
  )
  expect(scanned).toEqual(new Set(pathsOf(parse(DOCUMENT)).map(path => JSON.stringify(path))))
})

function pathsOf(value: unknown, path: string[] = []): string[][] {
  const own = path.length > 0 ? [path] : []
  if (typeof value !== 'object' || value === null || value instanceof Date) return own
  return [...own, ...Object.entries(value).flatMap(([name, item]) => pathsOf(item, [...path, name]))]
}

const key = fc.oneof(
  fc.stringMatching(/^[A-Za-z0-9_-]{1,6}$/),
  fc.string({ maxLength: 5 }),
  fc.constantFrom('a.b', '"', "'", '#', '[x]', 'ö', '\\'),
)
const { tree } = fc.letrec<{ tree: Record<string, unknown>; value: unknown }>(tie => ({
  tree: fc.dictionary(key, tie('value'), { maxKeys: 4 }),
  value: fc.oneof(
    { maxDepth: 3 },
    fc.string({ maxLength: 12 }),
    fc.constantFrom('multi\nline', '"""', "'''", '# no comment', '[t]\nk = 1', '}', ']'),
    fc.integer(),
    fc.boolean(),
    fc.array(fc.oneof(fc.integer(), fc.string({ maxLength: 5 })), { maxLength: 3 }),
    fc.array(tie('tree'), { minLength: 1, maxLength: 2 }),
    tie('tree'),
  ),
}))

test('every key of a generated document is found at its position', () => {
  fc.assert(
    fc.property(tree, document => {
      const source = stringify(document as never)
      const lines = source.split('\n')
      const positions = scanTomlPositions(source)
      for (const path of pathsOf(parse(source))) {
        const position = positions.of(path)
        expect(position, `${JSON.stringify(path)} in\n${source}`).toBeDefined()
        const text = lines[position!.line - 1]!.slice(position!.column - 1)
        const name = path.at(-1)!
        const isElement = Array.isArray(
          path.slice(0, -1).reduce<unknown>((node, step) => (node as never)[step], parse(source)),
        )
        if (!isElement && /^[A-Za-z0-9_-]+$/.test(name)) expect(text.replace(/^"/, '').startsWith(name)).toBe(true)
      }
    }),
    { numRuns: 500 },
  )
})

test('scanning ends for any text', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('[', ']', '{', '}', '"', "'", '"""', '=', '.', ',', 'a', '\n', '#', ' ', '\\', '1'), {
        maxLength: 30,
      }),
      parts => {
        expect(() => scanTomlPositions(parts.join(''))).not.toThrow()
      },
    ),
    { numRuns: 1000 },
  )
})
