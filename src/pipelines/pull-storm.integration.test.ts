import { expect, test } from 'vitest'
import { pullStorm } from './testing/pull-storm.js'
import { fixture, useFixture } from './testing/use-fixture.js'

useFixture()

// `npm run storm:pulls` runs the whole one: 30 pull requests, 200 comments.
const isWhole = process.env.SIGNALBOX_STORM === 'whole'

test('pull requests whose runs die at every boundary get every comment answered once, and nothing is lost', async () => {
  const storm = isWhole ? { pulls: 30, comments: 200, growth: 1 } : { pulls: 1, comments: 3, growth: 2 }
  const report = isWhole ? (line: string) => console.info(line) : undefined
  const end = await pullStorm(fixture, { ...storm, ...(report && { report }) })
  if (isWhole) console.info(JSON.stringify(end))
  expect(end).toMatchObject({ answered: storm.comments, doubled: [], lost: [] })
  expect(end.deaths).toBeGreaterThan(5)
  expect(end.limited).toBeGreaterThan(0)
}, 7_200_000)
