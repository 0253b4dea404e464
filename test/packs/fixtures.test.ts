import { expect, test } from 'vitest'
import { loadPack, packAgents } from '../../src/agents/packs/index.js'
import { checkFixtures } from '../../src/panes/index.js'

/** `signalbox packs check` for each pack. A fixture marked `known` may fail. */
const agents = await packAgents({ user: null })

const RECORDED = ['claude', 'cline', 'codex', 'copilot', 'gemini', 'opencode', 'pi', 'qwen', 'shell']

test('every recorded agent has a pack', () => {
  expect(agents).toEqual(expect.arrayContaining(RECORDED))
})

test.each(agents)('the fixtures of %s pass', async agent => {
  const { results } = await checkFixtures(agent, {
    userDirectory: null,
    loadPack: version => loadPack(agent, null, version),
  })
  if (RECORDED.includes(agent)) expect(results.length).toBeGreaterThan(10)
  const failed = results.filter(({ fixture, failures }) => failures.length > 0 && fixture.known === undefined)
  expect(failed.map(({ fixture, failures }) => `${fixture.cast} at ${fixture.at}: ${failures.join('; ')}`)).toEqual([])
})
