import { readFileSync } from 'node:fs'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import { edgesFrom, lint, parseDot, printDot, textOf } from '../graph/index.js'
import { pipelineArgs, profileCopy } from './args.js'
import type { BasePipelineState, Pipeline, PipelineConstructor } from './base.js'
import * as base from './base.js'
import { buildGraph } from './build-graph.js'
import { pipelineFunctions, pipelineNodes } from './nodes/index.js'
import { builtInPipelines, createRegistry, UnknownPipelineError } from './registry.js'
import { basePipelineState, implementationState, parseState, reduceState } from './state.js'

const PLAYER = { agent: 'demo', model: null, permissions: 'edits', effort: null }
const ARGS = pipelineArgs.parse({
  pipeline: 'implementation',
  workflowId: 'run_1',
  createdAt: '2026-01-01T00:00:00.000Z',
  profile: profileCopy.parse({
    name: 'default',
    roles: { architect: PLAYER, developer: PLAYER, reviewer: PLAYER, evaluator: PLAYER },
  }),
  repository: '/r',
  workspace: { mode: 'worktree', path: '/w', branch: 'b', base: 'c', isNewBranch: true },
})

describe('the pipeline protocol', () => {
  test('has a base.ts that exports only types', () => {
    expect(Object.keys(base)).toEqual([])
  })

  test('needs only a few lines for a new pipeline', () => {
    const state = basePipelineState.extend({ pipeline_type: z.literal('lamp'), lit: z.boolean().default(false) })
    type LampState = z.infer<typeof state>
    const lamp = (): Pipeline<LampState> => ({
      metadata: Object.freeze({ name: 'lamp', displayName: 'Lamp', description: 'Shines.' }),
      createGraph: () =>
        buildGraph({
          name: 'lamp',
          attributes: {},
          nodes: { start: { label: 'Start', shape: 'Mdiamond' }, exit: { label: 'Exit', shape: 'Msquare' } },
          edges: [['start', 'exit']],
        }),
      getInitialState: ({ workflowId, createdAt, profile }) =>
        state.parse({
          workflow_id: workflowId,
          pipeline_type: 'lamp',
          profile_id: profile.name,
          created_at: createdAt,
        }),
      getStateSchema: () => state,
    })
    expectTypeOf<LampState>().toExtend<BasePipelineState>()
    const registry = createRegistry({ lamp: lamp as PipelineConstructor })
    expect(registry.getPipeline('lamp').getInitialState(ARGS)).toMatchObject({ lit: false, status: 'pending' })
    expect(lint(registry.getPipeline('lamp').createGraph()).filter(({ severity }) => severity === 'error')).toEqual([])
  })
})

test('every pipeline freezes its metadata', () => {
  const { metadata } = builtInPipelines().getPipeline('review')
  expect(() => {
    ;(metadata as { name: string }).name = 'other'
  }).toThrow(TypeError)
})

describe('the registry of pipelines', () => {
  const registry = builtInPipelines()

  test('creates an instance per call, lists all by name, and throws for an unknown name', () => {
    expect(registry.getPipeline('review')).not.toBe(registry.getPipeline('review'))
    expect(() => registry.getPipeline('x')).toThrow(UnknownPipelineError)
    expect(() => registry.getPipeline('x')).toThrow(
      'unknown pipeline "x" (known: implementation, pull_request, review)',
    )
    expect(registry.listPipelines().map(({ name }) => name)).toEqual(['implementation', 'pull_request', 'review'])
    expect(registry.listPipelines()[0]).toEqual({
      name: 'implementation',
      displayName: 'Implementation',
      description: expect.any(String),
    })
  })
})

/** All fields and their defaults. */
const DEFAULTS: Record<string, unknown> = {
  ...{ status: 'pending', history: [], pending_user_input: false, user_message: null, driver_session_id: null },
  ...{ final_response: null, error: null, issue: null, design: null, goal: null, base_commit: null },
  ...{ plan_markdown: null, raw_architect_output: null, plan_path: null, key_files: [], human_approved: null },
  ...{ human_feedback: null, last_review: null, code_changes_for_review: null, review_iteration: 0, total_tasks: null },
  ...{ current_task_index: 0, task_review_iteration: 0, structured_review: null, evaluation_result: null },
  ...{ approved_items: [], auto_approve: false, review_pass: 0, max_review_passes: 3 },
}

describe('the pipeline state', () => {
  const identity = {
    workflow_id: 'run_1',
    pipeline_type: 'review',
    profile_id: 'p',
    created_at: '2026-01-01T00:00:00.000Z',
  }

  test.each(Object.entries(DEFAULTS))('has a default for %s', (field, value) => {
    expect(parseState(identity)[field as 'status']).toEqual(value)
  })

  test('names each missing required field if {} is parsed', () => {
    expect(() => parseState({})).toThrow(/workflow_id.*pipeline_type.*profile_id.*created_at/)
  })

  test('is deeply frozen', () => {
    const state = parseState({
      ...identity,
      history: [{ timestamp: '2026-01-01T00:00:00.000Z', agent: 'a', message: 'm' }],
    })
    expect(() => (state.history as unknown[]).push(1)).toThrow(TypeError)
    expect(() => {
      ;(state.history[0] as { agent: string }).agent = 'x'
    }).toThrow(TypeError)
  })

  test('appends to its history, keeps its identity, and rejects an invalid update completely', () => {
    const entry = (message: string) => ({ timestamp: '2026-01-01T00:00:00.000Z', agent: 'a', message })
    const one = reduceState(parseState(identity), { history: [entry('one')] })
    const two = 'state' in one ? reduceState(one.state, { history: [entry('two')], goal: 'g' }) : one
    expect(two).toMatchObject({
      state: { goal: 'g', history: [{ message: 'one' }, { message: 'two' }] },
      changed: ['goal'],
    })
    expect(reduceState(parseState(identity), { workflow_id: 'x' } as never)).toEqual({
      problem: '"workflow_id" cannot be changed',
    })
    expect(reduceState(parseState(identity), { review_pass: 'many' } as never)).toMatchObject({
      problem: expect.stringMatching(/^review_pass/),
    })
    expect(reduceState(parseState(identity), { nonsense: 1 } as never)).toMatchObject({
      problem: 'unknown field "nonsense"',
    })
  })

  test('contains no tool calls', () => {
    expect(Object.keys(implementationState.shape).filter(field => /tool/.test(field))).toEqual([])
  })
})

test('the state has one schema for both pipelines, whose common nodes are the same functions', () => {
  const [implementation, review] = [pipelineNodes('implementation'), pipelineNodes('review')]
  const shared = Object.keys(review).filter(name => name in implementation)
  expect(shared).toEqual(['reviewer', 'items', 'developer', 'checks', 'finish'])
  for (const name of shared) expect(review[name]).toBe(implementation[name])
  const registry = builtInPipelines()
  expect(registry.getPipeline('review').getStateSchema()).toBe(registry.getPipeline('implementation').getStateSchema())
})

describe.each(['implementation', 'review'])('the graph of the %s pipeline', name => {
  const graph = builtInPipelines().getPipeline(name).createGraph()

  test('passes lint, and its DOT parses to the same graph', () => {
    const facts = { handlers: ['start', 'exit', 'code'], functions: pipelineFunctions(name), promptFile: null }
    expect(lint(graph, facts).filter(({ severity }) => severity !== 'info')).toEqual([])
    const again = parseDot(printDot(graph))
    expect(again.problems).toEqual([])
    expect(printDot(again.graph)).toBe(printDot(graph))
  })

  test('has a function for every node, and a labelled edge for every route', () => {
    for (const node of graph.nodes.values()) {
      const fn = textOf(node.attributes, 'fn')
      if (fn !== null) expect(pipelineFunctions(name)).toContain(fn)
      for (const edge of edgesFrom(graph, node.id)) {
        const label = textOf(edge.attributes, 'label')
        if (label !== null) expect(label).toBe(edge.to)
      }
    }
  })

  test('is printed in the docs', () => {
    const page = readFileSync(new URL('../../docs/guides/pipelines.md', import.meta.url), 'utf8')
    expect(page).toContain(printDot(graph))
  })
})
