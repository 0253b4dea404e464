import { expect, it } from 'vitest'
import { loadPack } from '../../src/agents/packs/index.js'
import { classify, initialMemory } from '../../src/screen/index.js'
import { frameFromText } from '../../src/terminal/index.js'

const BOX = [
  '',
  ' /tmp/app [⎇ master]',
  `╻${'▄'.repeat(79)}`,
  '┃',
  `╹${'▀'.repeat(79)}`,
  ' ← open sidebar · Interactive',
]

async function read(rows: readonly string[]) {
  const pack = await loadPack('copilot', null)
  const { observation, layout } = classify(frameFromText([...rows, ...BOX].join('\n')), initialMemory(), pack)
  return { user: observation.user, kinds: layout.blocks.map(({ kind }) => kind) }
}

const prompt = (first: string, ...more: string[]) => [
  ` ${'▄'.repeat(76)}`,
  `  ❯ ${first}`,
  ...more.map(row => `    ${row}`),
  ` ${'▀'.repeat(76)}`,
]

it('the time that Copilot draws beside a prompt is not a part of the prompt', async () => {
  const userOf = async (...rows: [string, ...string[]]) => (await read([...prompt(...rows), ' ● Yes.'])).user
  expect(await userOf(`Meanwhile${' '.repeat(50)}21:00`)).toBe('Meanwhile')
  expect(await userOf(`First line${' '.repeat(49)}21:00`, 'second line')).toBe('First line\nsecond line')
  expect(await userOf('Meet me at 21:00')).toBe('Meet me at 21:00')
})

it('notices of Copilot are not a part of an answer', async () => {
  const model = [' ! Model "m" is not in the built-in catalog. Run', '    copilot help providers  for details.']
  expect((await read([...model, ...prompt('hello'), ' ● Yes.'])).kinds).toEqual(['notice', 'user', 'prose'])
  const compaction = [
    ' ● Compaction completed',
    '   │ A new checkpoint has been added.',
    '   └ Use /session checkpoints 1.',
  ]
  expect((await read([...prompt('hello'), ...compaction, '', ' ● Yes.'])).kinds).toEqual(['user', 'notice', 'prose'])
})
