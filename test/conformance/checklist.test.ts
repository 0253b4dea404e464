import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'

// What a runner of such graphs must do, line by line, and the test that shows it. A line whose test is gone or renamed fails here.
const ROOT = join(import.meta.dirname, '../..')
const ENGINE = 'src/engine/graph/conformance.test.ts'
const WALK = 'src/engine/graph/graph-workflow.test.ts'
const PARSE = 'src/graph/parse-dot.test.ts'
const LINT = 'src/graph/lint/lint.test.ts'
const CONDITION = 'src/graph/condition.test.ts'
const SHEET = 'src/graph/stylesheet.test.ts'
const PROMPT = 'src/engine/graph/handlers/codergen-prompt.test.ts'
const TOOL = 'src/engine/graph/handlers/tool.test.ts'
const CRASH = 'src/engine/graph/crash.test.ts'
const PROPERTY = 'src/engine/graph/properties.test.ts'
const PEOPLE = 'src/engine/graph/interviewers.test.ts'
const MANAGER = 'src/engine/graph/manager.test.ts'
const HOSTILE = 'src/engine/graph/hostile.test.ts'
const E2E = 'test/e2e/graphs.test.ts'
const SERVER = 'src/host/graphs/attractor.test.ts'
const GOLDEN = 'test/conformance/golden.test.ts'
const CONSOLE = 'src/cli/graphs/console-interviewer.test.ts'

const LINES: Record<string, readonly (readonly [item: string, file: string, test: string])[]> = {
  parse: [
    ['linear graph', PARSE, 'a linear graph'],
    ['graph attributes', PARSE, 'attributes of the graph, both ways'],
    ['blocks over several lines, no commas', PARSE, 'attributes over several lines'],
    ['edge attributes, quoted and bare values', PARSE, 'attributes of edges, quoted and bare'],
    ['chains', PARSE, 'chains give every pair'],
    ['defaults, scoped', PARSE, 'defaults apply to what follows in their scope'],
    ['subgraphs flattened, classes derived', PARSE, 'subgraphs are flattened'],
    ['comments', PARSE, 'comments of all kinds'],
    ['graphs that others wrote', PARSE, 'all parse but one, which is no DOT'],
    ['print and parse', PARSE, 'what is printed reads as the same graph'],
  ],
  lint: [
    ['each rule once, with place and fix', LINT, 'fires once on a graph that breaks it'],
    ['silent on good graphs', LINT, 'is silent on a good graph'],
    ['graphs that code built', LINT, 'edge_target_exists is for graphs that code built'],
    ['agents and levels', LINT, 'agent_known and permissions_level'],
    ['rules of one’s own', LINT, 'own is asked, too'],
    ['a run with an error is refused', SERVER, 'a graph with errors: every diagnostic is told'],
  ],
  engine: [
    ['start found', ENGINE, 'finds the start by shape'],
    ['handler by type, shape, default', ENGINE, 'takes the handler from the type'],
    ['status per node, twelve nodes', ENGINE, 'goes through twelve nodes, and keeps the status of each'],
    ['three nodes', WALK, 'is walked from start to exit'],
    ['ends at a terminal', ENGINE, 'ends at a node that nothing leaves'],
    ['branching', WALK, 'goes where the condition leads'],
    ['no route', ENGINE, 'fails where no edge may be taken'],
    ['next_node', ENGINE, 'goes where the handler says'],
  ],
  edges: [
    ['condition beats weight', ENGINE, 'a condition beats weight'],
    ['label, suggestion, weight', ENGINE, 'a label beats a suggestion beats weight'],
    ['ties', ENGINE, 'the target breaks ties of weight'],
    ['parallel edges', ENGINE, 'edges between the same two nodes stay distinct'],
    ['fail follows no ordinary edge', ENGINE, 'failure never follows an ordinary edge'],
    ['diamond after fail, by condition', WALK, 'passes outcomes through a diamond'],
    ['diamond after fail, by label, by weight', WALK, 'after a failure a diamond routes by %s, too'],
  ],
  goals: [
    ['unmet jumps', WALK, 'goes back while a goal is not met'],
    ['no target fails', ENGINE, 'no target fails the run'],
    ['never visited, and visited', ENGINE, 'a gate that was never visited blocks'],
    ['required node, condition', ENGINE, 'a required node, and a condition'],
    ['after resume', ENGINE, 'goals stay met and outcomes stay known'],
  ],
  retry: [
    ['as often as asked', WALK, 'tries again as often as it was asked to'],
    ['delays', ENGINE, 'delays grow, are capped and jittered'],
    ['exhausted routes', ENGINE, 'an exhausted outcome routes'],
    ['allow_partial', WALK, 'accepts a partial result where it may'],
    ['deterministic', ENGINE, 'what no further try mends is not tried again'],
  ],
  handlers: [
    ['codergen: files', E2E, 'prompts, answers and status of each node'],
    ['codergen: variables', PROMPT, 'are put in once: what a value says is text'],
    ['gate', WALK, 'asks at a gate, and takes the edge that was chosen'],
    ['fan-in', ENGINE, 'fan-in takes the best'],
    ['ordinary join', ENGINE, 'an ordinary join goes on'],
    ['tool ok', TOOL, 'that ends with 0 succeeds'],
    ['tool fail', TOOL, 'that ends with anything else fails'],
    ['tool timeout', TOOL, 'that takes too long is ended'],
    ['wait', WALK, 'waits for a time'],
    ['manager', MANAGER, 'looks from time to time'],
    ['child pipeline', MANAGER, 'succeeds or fails with its child'],
    ['custom', E2E, 'brings handlers and rules'],
    ['code', 'src/engine/graph/handlers/code.test.ts', 'a code node calls the function'],
  ],
  state: [
    ['updates and engine keys', ENGINE, 'updates are seen by the next node; engine keys are protected'],
    ['checkpoint after each node', ENGINE, 'a checkpoint follows every node'],
    ['killed at any append', CRASH, 'same end, nothing finished is done again, the answer stays'],
    ['cut off at any event', CRASH, 'is gone on with: the same way'],
    ['killed for real', E2E, 'same end, nothing that had finished ran again, the answer stays'],
    ['artifacts over the limit', 'src/engine/graph/node-steps.test.ts', 'puts what is too big beside the journal'],
    ['fidelity', PROMPT, 'summaries grow'],
    ['threads', E2E, 'one session'],
  ],
  people: [
    ['all question types', ENGINE, 'a question of type %s takes the edge'],
    ['several choices', ENGINE, 'several choices go along the first'],
    ['free text', ENGINE, 'typed text goes along the freeform edge'],
    ['auto-approve', PEOPLE, 'that approves by itself'],
    ['callback, recording', PEOPLE, 'with a callback is asked each question'],
    ['console: all question types', CONSOLE, 'the console takes %s'],
    ['console: silence approves nothing', CONSOLE, 'the console asks again until an answer is one'],
    ['console: closed, or answered elsewhere', CONSOLE, 'a console that is closed'],
    ['queue', PEOPLE, 'with a queue answers in order'],
    ['timeout with and without default', WALK, 'a gate that nobody answers takes its default'],
    ['second answer refused', SERVER, 'is answered once'],
  ],
  conditions: [
    ['operators, keys with and without prefix, missing, quoted, empty, bare', CONDITION, '%j is %s'],
    ['every rejected operator with its hint', CONDITION, '%j is refused: %s'],
    ['empty clauses and halves', CONDITION, '%j is an error'],
    ['quoted', CONDITION, 'words and signs that are meant as text are quoted'],
    ['missing keys', HOSTILE, 'conditions on keys that nobody set'],
  ],
  sheet: [
    ['universal', SHEET, 'universal'],
    ['shape', SHEET, 'shape beats universal'],
    ['class', SHEET, 'class beats shape'],
    ['id', SHEET, 'id beats class'],
    ['order', SHEET, 'later wins at the same weight'],
    ['explicit attribute', SHEET, 'the node itself wins'],
    ['position of mistakes', SHEET, 'reports mistakes at their place'],
  ],
  transforms: [
    ['order, graph unchanged', 'src/host/graphs/prepare-graph.test.ts', 'come in order: files, the stylesheet'],
    ['input unchanged', SHEET, 'leaves the graph it was given as it was'],
  ],
  smoke: [['plan, implement, review', E2E, 'ends well: prompts, answers and status']],
  golden: [
    ['cases in a folder, folded without a store', GOLDEN, 'the case %s'],
    ['JSON commands', E2E, 'answers outside suites with JSON'],
  ],
  'not again': [
    ['run calls agents', E2E, 'runs with the demo agent'],
    ['manager loop runs a child', MANAGER, 'succeeds or fails with its child'],
    ['parallel: whole branches, bounded, on at the join', ENGINE, 'no more branches than max_parallel'],
    ['fidelity leaves the context alone', PROMPT, 'leaves the context alone'],
    ['resume keeps outcomes', ENGINE, 'goals stay met and outcomes stay known'],
    ['events stream', SERVER, 'is made, told of, asks, is answered once'],
    ['a false edge is never the last resort', PROPERTY, 'never takes an edge whose condition is false'],
    ['resume at any event', PROPERTY, 'goes the same way to the same end'],
    ['max_steps is a failure', ENGINE, 'reaching max_steps is a failure'],
    ['cycles without an exit', HOSTILE, 'stops at a stated limit'],
  ],
}

/**
 * Titles of the tests of a file: what stands as the first argument of a test, or of a table of tests with the names of its rows. Not a
 * comment, not a group of tests, and none that is skipped.
 */
function titlesOf(source: string): string[] {
  const title = /(?:\b(?:test|it)|[\])>])\(\s*(['"`])((?:\\.|(?!\1).)+)\1\s*,\s*(?:async\b|\(|[a-z]+ =>|\{)/gs
  const row = /^\s*\[\s*(['"`])((?:\\.|(?!\1).)+)\1,/gm
  return [...source.matchAll(title), ...source.matchAll(row)].map(match => match[2]!.replace(/\\(.)/g, '$1'))
}

describe.each(Object.entries(LINES))('%s', (_, lines) => {
  test.each(lines)('%s', (_item, file, name) => {
    const path = join(ROOT, file)
    expect(existsSync(path), file).toBe(true)
    const titles = titlesOf(readFileSync(path, 'utf8').replace(/^\s*\/\/.*$/gm, ''))
    expect(
      titles.some(title => title.includes(name)),
      `${file} has no test "${name}"`,
    ).toBe(true)
  })
})

test('a name that only stands in a comment or in the name of a group is no test', () => {
  const source = "// test('gone', () => 1)\ndescribe('group', () => {\n  test('there', async () => {})\n})"
  expect(titlesOf(source.replace(/^\/\/.*$/gm, ''))).toEqual(['there'])
})
