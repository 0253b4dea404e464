import { existsSync, readFileSync } from 'node:fs'
import { SignalboxError } from '../../errors/index.js'
import { BUILT_IN } from '../scenarios/index.js'
import type { Scenario } from './types.js'
import { validateScenario } from './validate.js'

/** A built-in scenario by name, or one from a JSON file. */
export function loadScenario(nameOrFile: string): Scenario {
  const builtIn = BUILT_IN.find(scenario => scenario.name === nameOrFile)
  if (builtIn) return builtIn
  const names = BUILT_IN.map(scenario => scenario.name).join(', ')
  if (!/[./]/.test(nameOrFile) || !existsSync(nameOrFile))
    throw new SignalboxError('E_INPUT', `There is no scenario "${nameOrFile}".`, {
      next: `Take one of ${names}, or the path of a JSON file.`,
    })
  return readScenarioFile(nameOrFile)
}

function readScenarioFile(file: string): Scenario {
  const source = readFileSync(file, 'utf8')
  let value: unknown
  try {
    value = JSON.parse(source)
  } catch (error) {
    const offset = Number(/position (\d+)/.exec((error as Error).message)?.[1] ?? 0)
    const before = source.slice(0, offset).split('\n')
    const place = { file, line: before.length, column: before.at(-1)!.length + 1 }
    throw new SignalboxError(
      'E_INPUT',
      `${file}:${place.line}:${place.column}: not JSON: ${(error as Error).message}`,
      { place },
    )
  }
  const result = validateScenario(value)
  if ('scenario' in result) return result.scenario
  const message = result.problems.map(problem => `${file}: ${problem}`).join('\n')
  throw new SignalboxError('E_INPUT', message, { place: { file }, next: 'The format is in docs/demo-agent.md.' })
}
