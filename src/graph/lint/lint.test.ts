import { describe, expect, test } from 'vitest'
import type { Graph } from '../graph.js'
import { parseDot } from '../parse-dot.js'
import { type LintRule, lint, lintParsed } from './index.js'

const ENDS = 'start [shape=Mdiamond]; exit [shape=Msquare];'
const GOOD = [
  `digraph { ${ENDS} a [prompt=x, retry_target=b]; b [prompt=y, retry_target=a]; start -> a -> b -> exit }`,
  `digraph { ${ENDS} a [prompt=x]; d [shape=diamond]; start -> a -> d; d -> exit [condition="outcome=success"]; d -> a [condition="outcome!=success"] }`,
  `digraph { ${ENDS} g [shape=hexagon, label=Sure]; start -> g; g -> exit [label="[Y] Yes"]; g -> exit [label="[N] No"] }`,
  `digraph { ${ENDS} p [shape=component]; a [prompt=x, retry_target=b]; b [prompt=x, retry_target=a]; j [shape=tripleoctagon]; start -> p; p -> a; p -> b; a -> j; b -> j; j -> exit }`,
]

/** For each rule, a minimal graph that breaks it. */
const BAD: Record<string, string> = {
  syntax: 'digraph { a -> }',
  duplicate_attribute: `digraph { ${ENDS} a [prompt=x]; a [prompt=y]; start -> a -> exit }`,
  start_node: 'digraph { a [prompt=x]; exit [shape=Msquare]; a -> exit }',
  terminal_node: 'digraph { start [shape=Mdiamond]; a [prompt=x]; start -> a; a -> a [condition="outcome=success"] }',
  reachability: `digraph { ${ENDS} lost [prompt=x]; start -> exit; lost -> exit }`,
  start_no_incoming: `digraph { ${ENDS} a [prompt=x]; start -> a -> exit; a -> start [condition="outcome=fail"] }`,
  exit_no_outgoing: `digraph { ${ENDS} a [prompt=x]; start -> exit; exit -> a }`,
  condition_syntax: `digraph { ${ENDS} a [prompt=x]; start -> a; a -> exit [condition="a == b"]; a -> exit }`,
  stylesheet_syntax: `digraph { graph [model_stylesheet="* { colour: red; }"]; ${ENDS} start -> exit }`,
  attribute_type: `digraph { ${ENDS} a [prompt=x, max_retries=many]; start -> a -> exit }`,
  prompt_file: `digraph { ${ENDS} a [prompt="@gone.md"]; start -> a -> exit }`,
  graph_empty: 'digraph { }',
  name_reserved: `digraph { ${ENDS} outcome [prompt=x]; start -> outcome -> exit }`,
  join_missing: `digraph { ${ENDS} p [shape=component]; a [prompt=x]; b [prompt=x]; end [shape=Msquare]; start -> p; p -> a; p -> b; a -> exit; b -> end }`,
  join_ambiguous: `digraph { ${ENDS} p [shape=component]; a [prompt=x]; b [prompt=x]; i [shape=tripleoctagon]; j [shape=tripleoctagon]; start -> p; p -> a; p -> b; a -> i -> j; b -> j; j -> exit }`,
  join_policy_known: `digraph { ${ENDS} p [shape=component, join_policy=maybe]; a [prompt=x]; start -> p -> a -> exit }`,
  handler_attributes: `digraph { ${ENDS} t [shape=parallelogram]; start -> t -> exit }`,
  type_known: `digraph { ${ENDS} a [type=codegen, prompt=x]; start -> a -> exit }`,
  shape_known: `digraph { ${ENDS} a [shape=star, prompt=x]; start -> a -> exit }`,
  fidelity_valid: `digraph { ${ENDS} a [prompt=x, fidelity=most]; start -> a -> exit }`,
  retry_policy_known: `digraph { ${ENDS} a [prompt=x, retry_policy=often]; start -> a -> exit }`,
  retry_target_exists: `digraph { ${ENDS} a [prompt=x, retry_target=zzz]; start -> a -> exit }`,
  retry_target_terminal: `digraph { ${ENDS} a [prompt=x, retry_target=exit]; start -> a -> exit }`,
  retry_skips_goal: `digraph { ${ENDS} a [prompt=x, goal_gate=true, retry_target=b]; b [prompt=x]; start -> a -> b -> exit }`,
  goal_gate_has_retry: `digraph { ${ENDS} a [prompt=x, goal_gate=true]; start -> a -> exit }`,
  prompt_on_llm_nodes: `digraph { ${ENDS} a; start -> a -> exit }`,
  implicit_node: `digraph { ${ENDS} start -> a -> exit }`,
  dead_edge: `digraph { ${ENDS} a [prompt=x]; start -> a; a -> exit; a -> exit }`,
  no_fallback: `digraph { ${ENDS} a [prompt=x]; start -> a; a -> exit [condition="colour=red"] }`,
  no_failure_route: `digraph { ${ENDS} a [prompt=x]; start -> a -> exit }`,
  cycle_unbounded: `digraph { ${ENDS} a [prompt=x]; b [prompt=x]; start -> a -> b -> a; b -> exit }`,
  key_never_set: `digraph { ${ENDS} a [prompt=x]; start -> a; a -> exit [condition="colour=red"]; a -> exit [label=y] }`,
  outcome_word: `digraph { ${ENDS} a [prompt=x]; start -> a; a -> exit [condition="outcome=maybe"]; a -> exit [label=y] }`,
  thread_needs_full: `digraph { ${ENDS} a [prompt=x, thread_id=t]; start -> a -> exit }`,
  gate_labels: `digraph { ${ENDS} g [shape=hexagon]; start -> g; g -> exit [label="[Y] Yes"]; g -> exit [label="[Y] Yeah"] }`,
  child_graph: `digraph { ${ENDS} p [type=pipeline, pipeline="gone.dot"]; start -> p -> exit }`,
  outcome_never: `digraph { ${ENDS} t [shape=parallelogram, tool_command=x]; start -> t; t -> exit [condition="outcome=sucess"]; t -> exit [label=y] }`,
  condition_extended: `digraph { ${ENDS} a [prompt=x]; start -> a; a -> exit [condition="outcome=fail || outcome=retry"]; a -> exit }`,
  gate_options: `digraph { ${ENDS} g [shape=hexagon, label=Sure]; a [prompt=x]; start -> a -> exit; a -> g [condition="outcome=fail"] }`,
  attribute_unknown: `digraph { ${ENDS} a [promt=x, label=y]; start -> a -> exit }`,
}

const facts = { promptFile: () => 'missing' as const, childGraph: () => 'missing' as const }

describe('the rules of the linter', () => {
  test.each(Object.entries(BAD))('%s fires once on a graph that breaks it, with its position', (rule, dot) => {
    const found = lintParsed(parseDot(dot, { file: 'f.dot' }), facts).filter(finding => finding.rule === rule)
    expect(found).toHaveLength(1)
    expect(found[0]!.message.length).toBeGreaterThan(5)
    if (!['graph_empty', 'start_node', 'terminal_node'].includes(rule)) expect(found[0]!.line).toBe(1)
  })

  test.each(GOOD)('report nothing on a good graph: %s', dot => {
    expect(lintParsed(parseDot(dot))).toEqual([])
  })

  test('edge_target_exists checks graphs built by code', () => {
    const { graph } = parseDot(GOOD[0]!)
    const edge = { ...graph.edges[0]!, to: 'nowhere' }
    const built: Graph = { ...graph, edges: [edge, ...graph.edges.slice(1)] }
    expect(lint(built).map(({ rule }) => rule)).toContain('edge_target_exists')
  })

  describe('agent rules', () => {
    const agents = {
      defaultAgent: null,
      problem: (name: string) => (name === 'demo' ? null : 'is not installed'),
      levels: () => ['read', 'all'],
      offers: (_: string, setting: string) => setting === 'max_turns',
    }
    const findings = (node: string, runs: string | null = null) =>
      lintParsed(parseDot(`digraph { ${ENDS} a [prompt=x${node}]; start -> a -> exit }`), {
        agents: { ...agents, defaultAgent: runs },
      })
        .filter(({ severity }) => severity === 'error')
        .map(({ rule }) => rule)

    test('attribute_unused names what the program of the agent does not offer', () => {
      const dot = `digraph { graph [tool_hooks.pre=x]; ${ENDS} a [prompt=x, max_turns=3, temperature=0.5]; b [prompt=y, live=true, max_turns=2]; start -> a -> b -> exit }`
      const found = lintParsed(parseDot(dot), { agents: { ...agents, defaultAgent: 'demo' } })
      expect(found.flatMap(({ rule, message }) => (rule === 'attribute_unused' ? [message] : []))).toEqual([
        'tool_hooks.pre has no effect for demo, which offers no such hook',
        'temperature of "a" has no effect with the agent "demo", whose program does not offer it',
        'max_turns of "b" has no effect with live=true',
      ])
    })

    test('agent_known and permissions_level fire if the settings of a run are known', () => {
      expect(findings(', agent=demo, permissions=read')).toEqual([])
      expect(findings('', 'demo')).toEqual([])
      expect(findings('')).toEqual(['agent_known'])
      expect(findings(', agent=other, permissions=edits')).toEqual(['agent_known'])
      expect(findings(', llm_provider=anthropic')).toEqual(['agent_known'])
      expect(findings(', agent=demo, permissions=edits')).toEqual(['permissions_level'])
      expect(lintParsed(parseDot(GOOD[0]!)).filter(({ rule }) => rule === 'agent_known')).toEqual([])
      const own = parseDot(`digraph { ${ENDS} a [type=mine, prompt=x]; start -> a -> exit }`)
      const found = lintParsed(own, { agents, handlers: ['start', 'exit', 'codergen', 'mine'] })
      expect(found.filter(({ rule }) => rule === 'agent_known')).toEqual([])
    })
  })

  test('include custom rules', () => {
    const noUppercase: LintRule = graph =>
      [...graph.nodes.keys()]
        .filter(id => id !== id.toLowerCase())
        .map(id => ({ rule: 'mine', severity: 'warning', message: id, file: null, line: null, column: null, node: id }))
    const found = lintParsed(parseDot(`digraph { ${ENDS} Loud [prompt=x]; start -> Loud -> exit }`), {}, [noUppercase])
    expect(found.filter(({ rule }) => rule === 'mine')).toHaveLength(1)
  })
})
