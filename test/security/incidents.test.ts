import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

/*
 * The incident table has 35 rows, and each has its own test in this directory, under its number. They run; this one only sees to it that none is
 * missing, and that none is switched off.
 */
const ROWS = 35

test('every row of the incident table has a test of its name in this directory, and none is switched off', () => {
  const files = readdirSync(import.meta.dirname).filter(
    name => name.endsWith('.test.ts') && name !== 'incidents.test.ts',
  )
  const text = files.map(name => readFileSync(join(import.meta.dirname, name), 'utf8')).join('\n')
  const named = new Set([...text.matchAll(/['"`]S(\d+) /g)].map(([, number]) => Number(number)))
  expect([...named].sort((a, b) => a - b)).toEqual(Array.from({ length: ROWS }, (_, n) => n + 1))
  expect(text).not.toMatch(/\b(?:test|describe|it)\.(?:skip|todo|only)\b/)
})
