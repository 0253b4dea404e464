import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { GraphHome } from './graph-home.js'
import { ROOT } from './harness.js'

let home: GraphHome

beforeAll(() => {
  home = new GraphHome()
})
beforeEach(() => home.reset())
afterAll(() => home.close())

describe('a gate whose edges all have conditions', () => {
  const tool = (name: string) => `${name} [shape=parallelogram, tool_command="true"]`
  const GATES: [string, string, string[], [string, ...string[]]][] = [
    [
      'by label',
      'g -> yes [condition="preferred_label=Ship"]; g -> no [condition="preferred_label=Fix"]',
      ['Ship', 'Fix'],
      ['answer', 'Fix'],
    ],
    [
      'by outcome',
      'g -> yes [label="[A] Approve", condition="outcome=success"]; g -> no [label="[R] Reject", condition="outcome=failed"]',
      ['[A] Approve', '[R] Reject'],
      ['deny'],
    ],
    [
      'by key',
      'g -> yes [condition="human.gate.selected=Y"]; g -> no [condition="human.gate.selected=N"]',
      ['yes', 'no'],
      ['answer', 'N'],
    ],
  ]

  test.each(GATES)('is answered and followed: %s', async (_, edges, labels, given) => {
    home.graph(
      `g [shape=hexagon, label="Ship it?"]; ${tool('yes')}; ${tool('no')}; start -> g; ${edges}; yes -> exit; no -> exit`,
    )
    const waiting = await home.runGraph(['flow.dot'])
    expect([waiting.code, waiting.status]).toEqual([4, 'waiting'])
    const approval = String(waiting.of('gate.opened')[0]!.approval)
    const open = await home.json<{ id: string; request: { options: { label: string }[] } }[]>(['approvals', '--json'])
    const { request } = open.find(({ id }) => id === approval)!
    expect(request.options.map(({ label }) => label)).toEqual(labels)
    const [command, ...words] = given
    await home.ok([command, approval, ...words])
    const resumed = await home.resume(waiting.id)
    expect([resumed.status, resumed.path]).toEqual(['completed', ['no', 'exit']])
  })

  test('does not offer an option whose condition no answer can change', async () => {
    home.graph(
      `t [shape=parallelogram, tool_command="exit 0"]; g [shape=hexagon]; start -> t -> g; g -> exit [label=Ship, condition="tool.exit_code=0"]; g -> t [label=Fix, condition="tool.exit_code!=0"]`,
    )
    const ran = await home.runGraph(['flow.dot', '--auto-approve'])
    expect(ran.of('gate.answered').map(({ label }) => label)).toEqual(['Ship'])
    expect(ran.status).toBe('completed')
  })

  test('fails with a reason if no option is left', async () => {
    home.graph('g [shape=hexagon]; start -> g; g -> exit [label=Ship, condition="tool.exit_code=0"]')
    const ran = await home.runGraph(['flow.dot'])
    expect([ran.code, ran.status]).toEqual([1, 'failed'])
    expect(ran.of('node.finished').at(-1)!.failureReason).toContain('the gate "g" has no option')
  })

  test('is an error of the graph if it has no edge to choose', async () => {
    home.graph(
      'a [shape=parallelogram, tool_command=x]; g [shape=hexagon]; start -> a -> exit; a -> g [condition="outcome=fail"]',
    )
    const found = await home.run(['validate', 'flow.dot'])
    expect([found.code, found.stdout]).toEqual([1, expect.stringContaining('gate_options: "g" has no option')])
  })
})

describe('names used by other engines', () => {
  test('outcome=succeeded and outcome=failed route like success and fail', async () => {
    home.graph(
      `t [type=command, script="test -e done || { touch done; exit 1; }"]; start -> t
       t -> exit [condition="outcome=succeeded"]; t -> t [condition="outcome=failed"]`,
    )
    const ran = await home.runGraph(['flow.dot'])
    expect([ran.status, ran.path]).toEqual(['completed', ['start', 't', 't', 'exit']])
  })

  test('an agent that reports "failed" fails its node', async () => {
    home.graph('a [type=agent, prompt="Do it"]; start -> a; a -> exit [condition="outcome=success"]')
    const ran = await home.runGraph(['flow.dot', '--agent', 'demo'], {
      scenario: { turns: [{ match: '/Do it/', steps: [{ say: '{"outcome":"failed","notes":"no"}' }] }] },
    })
    expect([ran.status, ran.of('node.finished').at(-1)!.status]).toEqual(['failed', 'fail'])
  })

  test('type=subgraph with graph_ref, and stack.child_workflow, run a child graph', async () => {
    home.graph('t [shape=parallelogram, tool_command="true"]; start -> t -> exit', 'child.dot')
    home.graph(
      `s [type=subgraph, graph_ref="child.dot"]; m [shape=house, stack.child_workflow="child.dot", manager.poll_interval=10ms]
       start -> s -> m -> exit`,
    )
    const ran = await home.runGraph(['flow.dot'])
    expect([ran.status, ran.of('child.started').length]).toEqual(['completed', 2])
  })

  test('an outcome that the node never reports is an error with the fix, not an endless loop', async () => {
    home.graph(
      't [shape=parallelogram, tool_command="true"]; start -> t; t -> exit [condition="outcome=sucess"]; t -> t [label=again]',
    )
    const refused = await home.runGraph(['flow.dot'])
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringMatching(/outcome_never[\s\S]*did you mean "success"/),
    ])
  })
})

describe('conditions with other operators than = and &&', () => {
  test('route by ||, contains and numbers; --strict reports them', async () => {
    home.graph(
      `t [shape=parallelogram, tool_command="echo 3 errors"]; u [shape=parallelogram, tool_command="exit 2"]; start -> t
       t -> u [condition="tool.output contains error && tool.exit_code < 1"]; t -> exit
       u -> exit [condition="tool.exit_code >= 2 || outcome=success"]`,
    )
    const ran = await home.runGraph(['flow.dot'])
    expect([ran.status, ran.path]).toEqual(['completed', ['start', 't', 'u', 'exit']])
    expect((await home.run(['validate', 'flow.dot'])).code).toBe(0)
    const strict = await home.run(['validate', 'flow.dot', '--strict'])
    expect([strict.code, strict.stdout]).toEqual([
      1,
      expect.stringContaining('condition_extended: "contains" is an extension'),
    ])
  })
})

describe('the report that an agent is asked for', () => {
  test('names the keys and words of the conditions, through diamonds', async () => {
    home.graph(
      `a [prompt="Classify"]; d [shape=diamond]; start -> a -> d
       d -> exit [condition="outcome=success && context.kind=bug"]; d -> a [condition="context.kind=idea"]; d -> exit [condition="outcome=fail"]`,
    )
    const ran = await home.runGraph(['flow.dot', '--agent', 'demo'])
    expect([ran.status, ran.path]).toEqual(['completed', ['start', 'a', 'd', 'exit']])
    await home.ok(['export', ran.id, '--format', 'attractor', '-o', 'out'])
    const prompt = readFileSync(join(home.work, 'out/a/prompt.md'), 'utf8')
    expect(prompt).toContain('"outcome": "success" or "fail".')
    expect(prompt).toContain('"context_updates" must set "kind": "bug" or "idea".')
  })

  test('lets the smallest example complete with the demo agent', async () => {
    const ran = await home.run(['run', join(ROOT, 'examples/review-loop.dot'), '--agent', 'demo', '--json'], {
      env: home.demo(),
    })
    expect([ran.code, ran.stdout]).toEqual([0, expect.stringContaining('"review_passed"')])
  })
})

describe('a fan-in that an agent decides', () => {
  const big = 'x'.repeat(9_000)
  const DOT = `p [shape=component]; small [prompt="Do it small"]; large [prompt="Do it large"]; j [shape=tripleoctagon, prompt="Which is best?"]
    last [prompt="Polish {parallel.fan_in.best_id}"]; start -> p; p -> small; p -> large; small -> j; large -> j; j -> last -> exit`
  const edit = (name: string) => ({
    tool: { name: 'Edit', kind: 'edit', append: { path: `${name}.txt`, text: `${name}\n` } },
  })
  const scenario = {
    turns: [
      { match: '/Do it small/', steps: [edit('small'), { say: 'A small solution.' }] },
      { match: '/Do it large/', steps: [edit('large'), { say: `A large solution. ${big}` }] },
      { match: '/Which is best/', steps: [{ say: '{"best_id": "large"}' }] },
    ],
  }

  test('shows the agent every candidate by its branch, long ones as a file, and merges its choice', async () => {
    home.graph(DOT)
    const ran = await home.runGraph(['flow.dot', '--agent', 'demo'], { scenario })
    expect(ran.status, ran.stderr).toBe('completed')
    expect(ran.of('node.finished').find(({ node }) => node === 'j')!.notes).toBe('large was chosen')
    await home.ok(['export', ran.id, '--format', 'attractor', '-o', 'out'])
    const prompt = readFileSync(join(home.work, 'out/j/prompt.md'), 'utf8')
    expect(prompt).toContain('--- candidate "small" ---')
    expect(prompt).toContain('response.small: A small solution.')
    expect(prompt).toContain('{"best_id":"small"}\n"best_id": "small" or "large".')
    const [, file] = /response\.large: \d+ characters\n[\s\S]*?all of it: (\S+)/.exec(prompt)!
    expect(readFileSync(file!, 'utf8')).toContain(big)
    expect(readFileSync(join(home.work, 'out/last/prompt.md'), 'utf8')).toContain('Polish large')
    const files = home.git('ls-tree', '--name-only', `signalbox/run/${ran.id}`).split('\n')
    expect([files.includes('large.txt'), files.includes('small.txt')]).toEqual([true, false])
  })
})
