import { existsSync, readFileSync } from 'node:fs'
import { SignalboxError } from '../../errors/index.js'
import { BUILT_IN } from '../scenarios/index.js'
import type { Scenario } from './types.js'
import { validateScenario } from './validate.js'

export function loadScenario(nameOrFile: string): Scenario {
  const builtIn = BUILT_IN.find(scenario => scenario.name === nameOrFile)
  if (builtIn) return builtIn
  const names = BUILT_IN.map(scenario => scenario.name).join(', ')
  if (!/[./]/.test(nameOrFile) || !existsSync(nameOrFile))
    throw new SignalboxError('E_INPUT', `unknown scenario "${nameOrFile}"`, {
      next: `use one of ${names}, or the path of a JSON file`,
    })
  return readScenarioFile(nameOrFile)
}

function readScenarioFile(file: string): Scenario {
  const source = readFileSync(file, 'utf8')
  let value: unknown
  try {
    value = JSON.parse(source)
  } catch (error) {
    const { message } = error as Error
    const place = { file, ...positionOf(source, errorOffset(source, message)) }
    const where = 'line' in place ? `${file}:${place.line}:${place.column}` : file
    throw new SignalboxError('E_INPUT', `${where}: not JSON: ${message}`, { place })
  }
  const result = validateScenario(value)
  if ('scenario' in result) return result.scenario
  const message = result.problems.map(problem => `${file}: ${problem}`).join('\n')
  throw new SignalboxError('E_INPUT', message, { place: { file }, next: 'the format is in docs/demo-agent.md' })
}

/** Node gives a position only for some mistakes; otherwise we find where reading stops. */
function errorOffset(source: string, message: string): number | null {
  const named = /position (\d+)/.exec(message)
  if (named) return Number(named[1])
  const token = /\s+|[[\]{},:]|"(?:[^"\\\n]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y
  while (token.lastIndex < source.length) {
    const at = token.lastIndex
    if (!token.test(source)) return at
  }
  return null
}

function positionOf(source: string, offset: number | null): { line: number; column: number } | Record<string, never> {
  if (offset === null) return {}
  const before = source.slice(0, offset).split('\n')
  return { line: before.length, column: before.at(-1)!.length + 1 }
}
