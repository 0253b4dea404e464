import { expect, test } from 'vitest'
import { fixture, useFixture } from '../../src/pipelines/testing/use-fixture.js'
import { pullStorm } from './pull-storm.js'

useFixture()

// `npm run storm:pulls` runs the whole one: 30 pull requests, 200 comments, every boundary.
const isWhole = process.env.SIGNALBOX_STORM === 'whole'

test('pull requests whose drivers are killed get every comment answered once, and nothing is lost', async () => {
  const storm = isWhole
    ? { pulls: Number(process.env.SIGNALBOX_STORM_PULLS ?? 30), comments: 200, every: 1, lanes: 4 }
    : { pulls: 1, comments: 2, every: 7, lanes: 1 }
  const report = isWhole ? (line: string) => console.info(line) : undefined
  const end = await pullStorm(fixture, { ...storm, ...(report && { report }) })
  if (isWhole) console.info(JSON.stringify(end))
  expect(end).toMatchObject({ answered: storm.comments, doubled: [], lost: [] })
  expect(end.kills).toBeGreaterThan(5)
}, 7_200_000)
