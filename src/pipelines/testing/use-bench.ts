import { afterAll, beforeAll, beforeEach } from 'vitest'
import { type BenchRun, PipelineBench } from './pipeline-bench.js'

export let bench: PipelineBench

/** One bench for all tests of a file; for each of them a new repository, and agents that say what nobody told them otherwise. */
export function useBench(): void {
  beforeAll(async () => {
    bench = await PipelineBench.open()
  })
  beforeEach(() => {
    bench.newRepository()
    bench.script({})
  })
  afterAll(() => bench.close())
}

/** What the events of one type say, in their order. */
export function dataOf(run: BenchRun, type: string) {
  return run.events.filter(event => event.type === type).map(({ data }) => data)
}
