import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { plainWords } from './plain-command.js'
import { allCommands } from './shell-script.js'
import { readShell } from './shell-words.js'

/**
 * A script as `[ops] a b | c`, with substitutions in brackets: it shows how the text was split.
 */
function shape(text: string): string {
  const { script, why } = readShell(text)
  if (!script) return `unreadable: ${why}`
  const commands = allCommands(script).map(({ assignments, words, redirections }) =>
    [
      ...assignments.map(word => `(${word.text})`),
      ...words.map(word => `${word.text}${word.isExpanded ? '°' : ''}${word.isGlob ? '^' : ''}`),
      ...redirections.map(({ operator, target }) => `${operator}${target.text}`),
    ].join('·'),
  )
  return `[${script.operators.map(operator => (operator === '\n' ? '↵' : operator)).join('')}] ${commands.join(' / ')}`
}

describe('parsing a shell command', () => {
  test.each([
    ['npm test', '[] npm·test'],
    ['  npm   test  ', '[] npm·test'],
    [`echo 'a b' "c d" e\\ f`, '[] echo·a b·c d·e f'],
    [`echo "it's" 'say "hi"'`, `[] echo·it's·say "hi"`],
    ['a && b || c; d', '[&&||;] a / b / c / d'],
    ['a | b |& c', '[||&] a / b / c'],
    ['a;', '[] a'],
    ['a &', '[&] a'],
    ['a\nb\n', '[↵] a / b'],
    ['a \\\n  b', '[] a·b'],
    ['X=1 Y="2 3" cmd', '[] (X=1)·(Y=2 3)·cmd'],
    ['cmd X=1', '[] cmd·X=1'],
    ['cat < in > out 2>&1', '[] cat·<in·>out·>&1'],
    ['cmd &> all', '[] cmd·&>all'],
    [`echo $HOME "$x" \${y}`, `[] echo·$HOME°·$x°·\${y}°`],
    ["echo '$HOME'", '[] echo·$HOME'],
    ['echo $(rm -rf x)', '[] echo·$(…)° / rm·-rf·x'],
    ['echo "a $(b "c $(d)") e"', '[] echo·a $(…) e° / b·c $(…)° / d'],
    ['echo `b c`', '[] echo·`…`° / b·c'],
    ['diff <(a) <(b)', '[] diff·<(…)°·<(…)° / a / b'],
    ['ls *.ts file?.js [ab]', '[] ls·*.ts^·file?.js^·[ab]^'],
    ["ls '*.ts'", '[] ls·*.ts'],
    ['cp {a,b} ~', '[] cp·{a,b}°·~°'],
    ['(cd x && make)', '[(&&)] cd·x / make'],
    ['if true; then rm x; fi', '[;;] (if)·true / (then)·rm·x / (fi)'],
    ['echo $((1 + 2))', '[] echo·$((1 + 2))°'],
    ['echo a # rest; rm x', '[] echo·a'],
    ['echo a#b', '[] echo·a#b'],
    ['cat <<EOF\nrm -rf /\nEOF\nls', '[↵] cat·<<EOF / ls'],
    ["printf $'\\x41'", "[] printf·$'\\x41'°"],
    ['cat <<< word', '[] cat·<<<word'],
    ['', '[] '],
  ])('splits %j into commands and words', (text, expected) => {
    expect(shape(text)).toBe(expected)
  })

  test.each([
    ["echo 'open", /quote/],
    ['echo "open', /quote/],
    ['echo $(open', /bracket/],
    ['echo `open', /back-quote/],
    ['echo )', /closed that was not opened/],
    ['(a', /group/],
    ['a >', /no target/],
    ['cat <<EOF\nnever', /here-document/],
    [`echo \${x@P}`, /not read/],
    [`echo \${x:-$(rm y)}`, /not read/],
    ['echo $((a[$(b)]))', /not read/],
    ['a\\', /backslash/],
    [`${'$('.repeat(40)}`, /deep|bracket/],
    ['x '.repeat(40_000), /long/],
    ['x '.repeat(5_000), /many parts/],
  ])('marks %j as not understood', (text, why) => {
    const reading = readShell(text)
    expect(reading.script).toBeNull()
    expect(reading.why).toMatch(why)
  })

  test('does not throw and always ends, for any text', () => {
    const soup = fc.array(
      fc.constantFrom(
        'a',
        ' ',
        '"',
        "'",
        '$',
        '(',
        ')',
        '`',
        '\\',
        '\n',
        '<',
        '>',
        '|',
        '&',
        ';',
        '{',
        '}',
        '#',
        'EOF',
        '<<',
      ),
      { maxLength: 40 },
    )
    fc.assert(
      fc.property(
        fc.oneof(
          soup.map(parts => parts.join('')),
          fc.string({ maxLength: 60 }),
        ),
        text => {
          const reading = readShell(text)
          expect(reading.script === null ? typeof reading.why : 'script').toMatch(/string|script/)
        },
      ),
      { numRuns: 2000 },
    )
  })

  test('reads a quoted text as one word', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 40 }), text => {
        const quoted = `'${text.replaceAll("'", `'\\''`)}'`
        const { script } = readShell(`echo ${quoted}`)
        expect(script!.pipelines[0]![0]!.words.map(word => word.text)).toEqual(['echo', text])
        expect(script!.operators).toEqual([])
      }),
    )
  })
})

describe('a plain command', () => {
  test('consists of words only', () => {
    expect(plainWords('npm test -- --watch=false')).toEqual(['npm', 'test', '--', '--watch=false'])
    expect(plainWords(`git commit -m "two words"`)).toEqual(['git', 'commit', '-m', 'two words'])
  })

  test.each([
    'a; b',
    'a & b',
    'a && b',
    'a | b',
    'a > b',
    'a < b',
    'a $x',
    'a "$x"',
    'a $(b)',
    'a `b`',
    'a\nb',
    'a\rb',
    'a *',
    'a ?',
    'a [b]',
    'a {b,c}',
    'a ~',
    'a (b)',
    'X=1 a',
    'a # b',
    'a !b',
    "a 'b",
    '',
    '   ',
  ])('is not %j', text => {
    expect(plainWords(text)).toBeNull()
  })

  test('contains no shell operator', () => {
    const operator = fc.constantFrom(
      ';',
      '&',
      '|',
      '>',
      '<',
      '$',
      '`',
      '(',
      ')',
      '{',
      '}',
      '*',
      '?',
      '[',
      ']',
      '\n',
      '\r',
      '\\',
      '~',
      '#',
      '!',
    )
    fc.assert(
      fc.property(fc.string(), operator, fc.string(), (before, sign, after) => {
        expect(plainWords(`npm test ${before}${sign}${after}`)).toBeNull()
      }),
      { numRuns: 2000 },
    )
  })
})
