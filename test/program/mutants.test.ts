import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'

interface Instrumented {
  text: string
  mutants: { id: number; what: string }[]
}
const { instrument } = (await import(
  pathToFileURL(join(import.meta.dirname, '../../scripts/mutants/instrument.mjs')).href
)) as { instrument: (source: string, options: { firstId: number; isTable: boolean }) => Instrumented }

/** The value of a source, with the mutant of this id, or with none. */
function resultOf(source: string, active: number | null = null): unknown {
  const { text } = instrument(source, { firstId: 0, isTable: false })
  return runInNewContext(`${text}\nresult`, { __mutant: (id: number) => id === active }, { timeout: 1_000 })
}

function mutantsOf(source: string): { what: string; value: unknown }[] {
  const { mutants } = instrument(source, { firstId: 0, isTable: false })
  return mutants.map(({ id, what }) => ({ what, value: resultOf(source, id) }))
}

const BRANCH = `var result = 'neither'
function set(value) { result = value }
if (1 < 2) set('then')
else set('else')`

describe('the instrumented source of a mutation test', () => {
  it.each([
    ['an else behind a statement', BRANCH, 'then'],
    [
      'an else behind a loop',
      'var result = 0; for (const n of [1, 2]) if (n === 1) result += n; else result += 10',
      11,
    ],
    ['a chain of optional calls', 'var result = [[1, 2], [3]].find(row => row.some(n => n === 3))?.at(0)', 3],
    ['mixed operators', 'var a = null; var result = (a ?? 2) * 3 + (1 < 2 && 4)', 10],
    ['a text that is put together', "var name = 'b'; var result = 'a' + name + `c`", 'abc'],
    ['an expression', "var result = 'abc'.replace(/^a|c$/g, '')", 'b'],
  ])('does the same without a mutant: %s', (_, source, value) => {
    expect(runInNewContext(`${source}\nresult`, {})).toEqual(value)
    expect(resultOf(source)).toEqual(value)
  })

  it('has a mutant for each fault, and one at a time', () => {
    expect(mutantsOf(BRANCH)).toEqual(
      expect.arrayContaining([
        { what: 'condition → false', value: 'else' },
        { what: '< → <=', value: 'then' },
        { what: 'statement removed', value: 'neither' },
      ]),
    )
  })
})
