import { expect, test } from 'vitest'
import { loadPack, packAgents } from '../../src/agents/packs/index.js'
import { checkFixtures } from '../../src/panes/index.js'

/** `signalbox packs check`, pack by pack. A fixture marked `known` may fail; one that is not must hold. */
const agents = await packAgents({ user: null })

test('there are fixtures for the agents that were recorded', () => {
  expect(agents).toEqual(
    expect.arrayContaining(['claude', 'cline', 'codex', 'copilot', 'gemini', 'opencode', 'pi', 'qwen', 'shell']),
  )
})

test.each(agents)(
  'the fixtures of %s hold',
  async agent => {
    const { results } = await checkFixtures(agent, {
      userDirectory: null,
      loadPack: version => loadPack(agent, null, version),
    })
    const failed = results.filter(({ fixture, failures }) => failures.length > 0 && fixture.known === undefined)
    expect(failed.map(({ fixture, failures }) => `${fixture.cast} at ${fixture.at}: ${failures.join('; ')}`)).toEqual(
      [],
    )
  },
  120_000,
)
