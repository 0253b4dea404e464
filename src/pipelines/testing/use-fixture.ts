import { afterAll, beforeAll, beforeEach } from 'vitest'
import { type FixtureRun, PipelineFixture } from './pipeline-fixture.js'

export let fixture: PipelineFixture

/**
 * One fixture for all tests of a file; each test gets a new repository and agents with default
 * answers.
 */
export function useFixture(): void {
  beforeAll(async () => {
    fixture = await PipelineFixture.open()
  })
  beforeEach(() => {
    fixture.newRepository()
    fixture.script({})
  })
  afterAll(() => fixture.close())
}

/** The data of the events of one type, in order. */
export function dataOf(run: FixtureRun, type: string) {
  return run.events.filter(event => event.type === type).map(({ data }) => data)
}
