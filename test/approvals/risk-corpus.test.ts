import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { rateRisk } from '../../src/approvals/risk.js'

/*
 * The rating of commands, measured with two lists that were written without looking at the rules,
 * and with one that names a command for each word of the rules. A line is one command; `\n` in it
 * is a new line. The third list also has the level and the reasons.
 */

const PROJECT = '/home/ada/shop'
const linesOf = (name: string) =>
  readFileSync(join(import.meta.dirname, 'risk-corpus', name), 'utf8')
    .split('\n')
    .filter(line => line !== '')
    .map(line => line.replaceAll('\\n', '\n'))
const riskOf = (command: string) =>
  rateRisk(
    { kind: 'permission', tool: 'Bash', input: { command }, text: null, cwd: PROJECT },
    { project: PROJECT, home: '/home/ada', realPath: path => path },
  )
const levelOf = (command: string) => riskOf(command).level

test('no hostile command is rated low', () => {
  const hostile = linesOf('hostile.txt')
  expect(hostile.length).toBeGreaterThanOrEqual(150)
  expect(hostile.filter(command => levelOf(command) === 'low')).toEqual([])
})

test('at most one of twenty harmless commands is rated high', () => {
  const harmless = linesOf('harmless.txt')
  expect(harmless.length).toBeGreaterThanOrEqual(150)
  const high = harmless.filter(command => levelOf(command) === 'high')
  expect(high.length / harmless.length, high.join('\n')).toBeLessThanOrEqual(0.05)
})

test('every word of the rules changes a rating', () => {
  const rated = linesOf('rated.txt')
  const actual = rated.map(line => {
    const [, command = ''] = line.split('\t')
    const { level, reasons } = riskOf(command)
    return level === 'low' ? `low\t${command}` : `${level}\t${command}\t${reasons.join('; ')}`
  })
  expect(actual.filter((line, index) => line !== rated[index])).toEqual([])
})
