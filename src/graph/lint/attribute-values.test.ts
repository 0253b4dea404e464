import { describe, expect, it } from 'vitest'
import { parseDot } from '../parse-dot.js'
import { lint } from './index.js'

/*
 * Graphs are files of people: a value that was accepted once is accepted forever.
 */
const OF_GRAPHS: Record<string, readonly string[]> = {
  worktree: ['none', 'run'],
  commits: ['node', 'none'],
}
const OF_NODES: Record<string, readonly string[]> = {
  reasoning_effort: ['low', 'medium', 'high'],
  permissions: ['read', 'ask', 'edits', 'all'],
  sandbox: ['auto', 'bubblewrap', 'seatbelt'],
  retry_policy: ['none', 'standard', 'linear', 'patient', 'aggressive'],
  goal_gate: ['true', 'false', 'visited'],
  'human.kind': ['gate', 'plan', 'review'],
  'human.type': ['choice', 'yes_no', 'confirm', 'freeform', 'multi'],
  join_policy: ['wait_all', 'first_success', 'k_of_n', 'quorum'],
  error_policy: ['continue', 'fail_fast', 'ignore'],
  branch_isolation: ['worktree', 'none'],
  rerun: ['always', 'ask', 'never'],
}
/** Names that other engines use for the same attribute. */
const ALIASES: Record<string, string> = { model: 'llm_model', script: 'tool_command', llm_prompt: 'prompt' }

function problemsOf(attributes: { graph?: string; node?: string }): string[] {
  const graph = attributes.graph ? `graph [${attributes.graph}];` : ''
  const node = attributes.node ? `, ${attributes.node}` : ''
  const text = `digraph { ${graph} start [shape=Mdiamond]; exit [shape=Msquare]; a [prompt=x, retry_target=b${node}]; b [prompt=y, retry_target=a]; start -> a -> b -> exit }`
  return lint(parseDot(text).graph!)
    .filter(({ message }) => /expected|unknown|must be/.test(message))
    .map(({ message }) => message)
}

describe('values of attributes', () => {
  const cases = [
    ...Object.entries(OF_GRAPHS).flatMap(([name, values]) => values.map(value => ['graph', name, value] as const)),
    ...Object.entries(OF_NODES).flatMap(([name, values]) => values.map(value => ['node', name, value] as const)),
  ]
  it.each(cases)('are accepted if listed, for a %s: %s=%s', (position, name, value) => {
    expect(problemsOf({ [position]: `"${name}"="${value}"` })).toEqual([])
  })

  it.each([
    ...Object.keys(OF_GRAPHS).map(name => ['graph', name]),
    ...Object.keys(OF_NODES).map(name => ['node', name]),
  ])('are reported with the listed ones if unlisted, for a %s: %s', (position, name) => {
    expect(problemsOf({ [position!]: `"${name}"="zzz"` })).toEqual([expect.stringContaining('zzz')])
  })

  it.each([
    ['graph', 'max_cost=-1', 'at least 0'],
    ['graph', 'max_tokens=0', 'at least 1'],
    ['node', 'max_parallel=65', 'at most 64'],
    ['node', 'max_parallel=0', 'at least 1'],
    ['node', 'k=0', 'at least 1'],
    ['node', 'max_retries=-1', 'at least 0'],
  ])('are reported if out of range, for a %s: %s (%s)', (position, attribute, problem) => {
    expect(problemsOf({ [position]: attribute })).toEqual([expect.stringContaining(problem)])
  })

  it('may belong to attribute names of other engines', () => {
    for (const alias of Object.keys(ALIASES)) expect(problemsOf({ node: `"${alias}"="x"` }), alias).toEqual([])
  })
})
