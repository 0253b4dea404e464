import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { REGRESSIONS } from './regressions.js'

/** Every `it(was(…` of this folder, with the rows that it names. */
function provenRows(): string[] {
  const directory = import.meta.dirname
  return readdirSync(directory)
    .filter(name => name.endsWith('.test.ts'))
    .map(name => readFileSync(join(directory, name), 'utf8'))
    .flatMap(source => [...source.matchAll(/\bit\(\s*was\(\s*(\[[^\]]*\]|'[^']*')/g)])
    .flatMap(([, rows = '']) => [...rows.matchAll(/'([^']+)'/g)].map(([, row]) => row!))
}

it('every defect that was collected from bots before this one has a test of its name', () => {
  const proven = provenRows()
  expect(Object.keys(REGRESSIONS).filter(row => !proven.includes(row))).toEqual([])
  expect(proven.filter(row => !(row in REGRESSIONS))).toEqual([])
})
