import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { simulatedSteps } from '../../src/engine/graph/handlers/simulated.js'
import { GraphFixture } from '../../src/engine/graph/testing/graph-fixture.js'
import { drawDot, drawPlain, lintParsed, parseDot } from '../../src/graph/index.js'
import { REPOSITORY } from '../support/compiled.js'
import { DOT_SAMPLES, describeNeeding } from '../support/requirements.js'

/*
 * The graphs in examples/, and graphs from other projects if a folder of them is available: parsed,
 * linted, drawn, and run with simulated agents that always succeed. The table holds the expected
 * end and the number of nodes visited; `syntax` is a file that is not DOT.
 */
const EXPECTED: Readonly<Record<string, string>> = {
  'implement-test-fix': 'completed done 5',
  'manager-loop': 'completed done 4',
  'parallel-candidates': 'completed done 8',
  'plan-gate-implement-review': 'completed done 6',
  'release-check': 'completed done 6',
  // Both edges out of the review have conditions on a key that a simulated agent does not set.
  'review-loop': 'failed no_route 3',
  'brynary-architect': 'completed done 5',
  'brynary-expand': 'completed done 5',
  'brynary-implement': 'completed done 7',
  'brynary-seed': 'completed done 5',
  'brynary-specify': 'completed done 5',
  'brynary-sync': 'failed no_route 2',
  'kilroy-cmd_kilroy_testdata_batch_clean': 'completed done 3',
  'kilroy-cmd_kilroy_testdata_batch_has_errors': 'completed done 3',
  'kilroy-cmd_kilroy_testdata_batch_no_status_contract': 'completed done 3',
  'kilroy-cmd_kilroy_testdata_batch_warnings_only': 'completed done 3',
  'kilroy-demo_browser-smoke_browser-smoke': 'completed done 4',
  'kilroy-demo_rogue_rogue-fast': 'completed done 15',
  'kilroy-demo_solitaire_solitaire-fast': 'completed done 20',
  'kilroy-demo_substack-spec-v01': 'completed done 26',
  'kilroy-demo_tmux-agent-test_failure-routing': 'completed done 5',
  'kilroy-demo_tmux-agent-test_graph': 'completed done 4',
  'kilroy-demo_tmux-agent-test_multi-node': 'completed done 5',
  'kilroy-demo_tool-only_graph': 'completed done 4',
  'kilroy-docs_strongdm_dot_specs_consensus_task': 'failed no_route 2',
  'kilroy-docs_strongdm_dot_specs_semport': 'failed no_route 2',
  'kilroy-docs_strongdm_dot_specs_simple_example': 'completed done 4',
  'kilroy-docs_strongdm_dot_specs_simple_example_integration_smoke_test': 'syntax',
  'kilroy-skills_create-dotfile_reference_template': 'completed done 33',
  'kilroy-workflows_build-test_graph': 'completed done 8',
  'kilroy-workflows_coding-loop_graph': 'completed done 9',
  'kilroy-workflows_multi-tool-exercise_graph': 'completed done 9',
}

function graphsIn(folder: string): [name: string, file: string][] {
  const names = existsSync(folder) ? readdirSync(folder).filter(name => name.endsWith('.dot')) : []
  return names.map(name => [basename(name, '.dot'), join(folder, name)])
}

let fixture: GraphFixture
beforeAll(async () => {
  fixture = await GraphFixture.open()
})
afterAll(() => fixture.close())

describe('a graph in examples/', () => {
  test.each(graphsIn(join(REPOSITORY, 'examples')))('%s ends as expected', expectEnd)
})

describeNeeding('dot samples', 'a graph from another project', () => {
  const graphs = graphsIn(DOT_SAMPLES)
  test('exists in the sample folder', () => expect(graphs.length).toBeGreaterThanOrEqual(26))
  test.each(graphs)('%s ends as expected', expectEnd)
})

async function expectEnd(name: string, file: string): Promise<void> {
  const dot = readFileSync(file, 'utf8')
  const parsed = parseDot(dot, { file })
  const errors = lintParsed(parsed).filter(({ severity }) => severity === 'error')
  if (EXPECTED[name] === 'syntax') {
    expect(errors.map(({ rule, line }) => [rule, line])).toEqual([['syntax', 1]])
    return
  }
  expect(errors).toEqual([])
  expect(drawDot(parsed.graph)).toContain('digraph')
  expect(drawPlain(parsed.graph)).toMatch(/^<svg[\s\S]*<\/svg>\n$/)
  const id = await fixture.create(dot, { dryRun: {} })
  await fixture.drive(id, simulatedSteps)
  const { status, reason, path } = await fixture.read(id)
  expect(`${status} ${reason} ${path.length}`).toBe(EXPECTED[name])
}
