import { expect, test } from 'vitest'
import { examineSources } from './sources.js'

test('a source of an agent counts as used only if something reads it', async () => {
  const all = await examineSources({ env: { HOME: '/nonexistent' } })
  const of = (name: string) => all.find(({ agent }) => agent === name)!.sources
  expect(of('claude')).toMatchObject({ hooks: 'used', transcript: 'used', 'OSC 9;4': 'offered', ACP: 'on request' })
  expect(of('pi')).toMatchObject({ 'OSC 7501': 'used', 'OSC 133': 'offered', 'OSC 9;4': 'none' })
})
