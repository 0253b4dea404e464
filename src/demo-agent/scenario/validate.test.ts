import { describe, expect, it } from 'vitest'
import { BUILT_IN } from '../scenarios/index.js'
import { pickTurn, readDirectives } from './pick-turn.js'
import type { Scenario } from './types.js'
import { validateScenario } from './validate.js'

describe('the validation of a scenario', () => {
  it.each(BUILT_IN.map(scenario => [scenario.name, scenario] as const))('accepts the built-in %s', (_, scenario) => {
    expect(validateScenario(JSON.parse(JSON.stringify(scenario)))).toEqual({ scenario })
  })

  it('expands short forms', () => {
    const result = validateScenario({
      name: 'x',
      turns: [{ steps: [{ say: 'hi' }, { think: 5 }, { wait: 1 }, { ask: { question: '?', options: ['a'] } }] }],
    })
    expect(result).toEqual({
      scenario: {
        name: 'x',
        turns: [
          {
            steps: [
              { say: { markdown: 'hi' } },
              { think: { ms: 5 } },
              { wait: { ms: 1 } },
              { ask: { question: '?', options: [{ label: 'a' }] } },
            ],
          },
        ],
      },
    })
  })

  it.each([
    [{ turns: [] }, 'name: expected a value, got nothing'],
    [{ name: 'x', turns: {} }, 'turns: expected a list, got {}'],
    [{ name: 'x', turns: [{ match: '/(/', steps: [] }] }, 'turns[0].match: Invalid regular expression'],
    [
      { name: 'x', turns: [{ steps: [{ tool: { name: 'a', kind: 'b' } }] }] },
      'turns[0].steps[0].tool.kind: expected one of shell',
    ],
    [
      { name: 'x', turns: [{ steps: [{ say: { markdown: 'a', speed: 1 } }] }] },
      'turns[0].steps[0].say.speed: unknown; known here are markdown',
    ],
    [{ name: 'x', turns: [{ steps: [{ say: 'a', wait: 1 }] }] }, 'turns[0].steps[0]: expected an object with one step'],
    [{ name: 'x', turns: [{ steps: [{ toString: 1 }] }] }, 'turns[0].steps[0]: expected an object with one step'],
  ])('reports where %j is wrong', (value, message) => {
    const result = validateScenario(value)
    expect('problems' in result && result.problems.join('\n')).toContain(message)
  })
})

describe('the choice of a turn', () => {
  const say = (markdown: string) => [{ say: { markdown } }]
  const scenario: Scenario = {
    name: 'x',
    turns: [
      { match: 'SPECIAL', steps: say('s') },
      { match: '/^re.x$/i', steps: say('r') },
      { steps: say('1') },
      { steps: say('2') },
    ],
  }
  const play = (prompts: string[]) => {
    let progress = { nextInOrder: 0 }
    return prompts.map(prompt => {
      const picked = pickTurn(scenario, prompt, progress)
      progress = picked.progress
      return (picked.turn.steps.at(-1) as { say: { markdown: string } }).say.markdown
    })
  }

  it('prefers a match, then the turns in order, then an echo', () => {
    expect(play(['a', 'something special', 'REGX', 'b', 'c'])).toEqual([
      '1',
      's',
      'r',
      '2',
      expect.stringContaining('{{prompt}}'),
    ])
  })

  it('reads directives only from separate lines', () => {
    expect(readDirectives('x\n[demo:verdict retry, DONE]\n[demo:scenario zombie]')).toEqual({
      verdicts: ['RETRY', 'DONE'],
      scenario: 'zombie',
    })
    expect(readDirectives('see [demo:scenario zombie] there')).toEqual({})
  })
})
