import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Client, connect } from '../../src/client/index.js'
import type { Scenario } from '../../src/demo-agent/scenario/types.js'
import { firstRepository } from '../support/first-repository.js'
import { waitFor } from './harness.js'
import { InsideHome } from './inside.js'

let home: InsideHome
let client: Client
beforeAll(async () => {
  home = new InsideHome()
  firstRepository(home.work, { 'README.md': '# Archive\n' })
  await home.run(['sessions'])
  client = connect({ socket: join(home.home, 'run', 'signalbox.sock') })
})
afterAll(() => home.close())

test('questions in the ledger turn an idea into a design, and the design becomes a run', async () => {
  const day = new Date().toISOString().slice(0, 10)
  const file = `docs/plans/${day}-search-design.md`
  const scenario: Scenario = {
    name: 'brainstorm',
    turns: [
      { match: '/^what did you ask/', steps: [{ say: { markdown: 'About words.' } }] },
      {
        match: `/The idea: search[\\s\\S]*${file}/`,
        steps: [
          { ask: { question: 'Which words count?', options: [{ label: 'Whole words' }, { label: 'Parts' }] } },
          {
            tool: {
              name: 'Write',
              kind: 'write',
              write: { path: file, text: '# Search in the archive\n\n## Goal\n\nFind {{answer}}.\n' },
            },
          },
          { say: { markdown: 'The design is ready.' } },
        ],
      },
    ],
  }
  writeFileSync(join(home.directory, 'scenario.json'), JSON.stringify(scenario))
  const flags = ['--speed', '0', '--scenario', join(home.directory, 'scenario.json')]
  const command = ['brainstorm', 'search', '--agent', 'demo', '--acp', '--json', '--', ...flags]
  const { id, design } = await home.json<{ id: string; design: string }>(command)
  expect(design).toBe(file)
  const asked = await waitFor('the question', async () => {
    const { items } = await client.call('approvals.list', { session: [id], state: ['pending'] })
    return items[0]
  })
  // The question survives the daemon.
  await home.kill(home.daemon)
  await home.run(['sessions'])
  await client.call('sessions.wait', { id, for: 'approval', timeoutMs: 120_000 })
  const { items: again } = await client.call('approvals.list', { session: [id], state: ['pending'] })
  expect(again.map(one => one.id)).toEqual([asked.id])
  expect(asked).toMatchObject({ kind: 'question', request: { questions: [{ text: 'Which words count?' }] } })
  await client.call('approvals.decide', {
    id: asked.id,
    fingerprint: asked.fingerprint,
    option: asked.request.options.find(({ label }) => label === 'Parts')!.key,
    seen: { displayHash: asked.display.hash, whole: true },
  })
  await waitFor('the design', () => existsSync(join(home.work, file)))
  await client.call('sessions.wait', { id, for: 'idle', timeoutMs: 120_000 })
  expect(readFileSync(join(home.work, file), 'utf8')).toContain('# Search in the archive')
  await home.ok(['implement', '--design', file, '--agent', 'demo', '--queue', '--trust', '--json'])
  const [run] = (await client.call('runs.list', { limit: 1 })).items
  expect(run).toMatchObject({ title: 'Search in the archive' })
  await home.ok(['stop', id])
  const resumed = await home.json<{ id: string; resumedFrom: string }>(['resume', id, '--json'])
  expect(resumed.resumedFrom).toBe(id)
  // Without a terminal there is no stable way to fork.
  const refused = await home.run(['fork', resumed.id])
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('has no terminal')])
  await home.ok(['stop', resumed.id])
})

test('a conversation in a terminal is forked: both continue, and the fork can be resumed by itself', async () => {
  const flags = ['--speed', '0', '--scenario', join(home.directory, 'scenario.json')]
  const command = ['brainstorm', 'lamps', '--agent', 'demo', '--json', '--', ...flags]
  const { id } = await home.json<{ id: string }>(command)
  await client.call('sessions.wait', { id, for: 'idle', timeoutMs: 120_000 })
  await waitFor('the conversation of the agent', async () => {
    const { agentSessionId } = (await client.call('sessions.get', { id })) as { agentSessionId?: string }
    return agentSessionId
  })
  const forked = await home.json<{ id: string; label: string }>(['fork', id, '--json'])
  expect(forked.label).toBe('Fork of Design: lamps')
  await client.call('sessions.wait', { id: forked.id, for: 'idle', timeoutMs: 120_000 })
  for (const session of [id, forked.id]) {
    const { stdout } = await home.run(['send', session, 'what did you ask', '--wait'])
    expect(stdout).toContain('About words.')
  }
  await home.ok(['stop', forked.id])
  const resumed = await home.json<{ id: string }>(['resume', forked.id, '--json'])
  await client.call('sessions.wait', { id: resumed.id, for: 'idle', timeoutMs: 120_000 })
  for (const session of [id, resumed.id]) await home.ok(['stop', session])
})
