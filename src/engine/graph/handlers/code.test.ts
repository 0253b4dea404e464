import { expect, test } from 'vitest'
import { lintParsed, parseDot } from '../../../graph/index.js'
import { stepCall } from '../testing/step-call.js'
import { codeSteps } from './code.js'

const functions = {
  'shop.count': (_: unknown, context: Readonly<Record<string, unknown>>) => ({
    status: 'success' as const,
    context_updates: { count: String(context.items).length },
  }),
}

test('a code node calls the function that it names, and fails if there is none', async () => {
  const steps = codeSteps(functions, () => '/tmp')
  const call = (fn: string) =>
    steps.run(stepCall('/tmp', `a [type=code, fn="${fn}"]; start -> a -> exit`, { context: { items: 'abc' } }))
  expect((await call('shop.count')).result).toMatchObject({ status: 'success', context_updates: { count: 3 } })
  expect((await call('shop.other')).result).toMatchObject({ status: 'fail', failure_class: 'structural' })
  expect((await call('constructor')).result).toMatchObject({ status: 'fail' })
})

test.each([
  ['graph [pipeline_type=shop];', 'shop.count', null],
  ['graph [pipeline_type=shop];', 'shop.other', 'unknown function "shop.other"'],
  ['', 'shop.count', null],
])('a code node with %s %s is checked before the run', (graph, fn, expected) => {
  const dot = `digraph { ${graph} start [shape=Mdiamond]; exit [shape=Msquare]; a [type=code, fn="${fn}"]; start -> a -> exit }`
  const found = lintParsed(parseDot(dot), { functions: Object.keys(functions) }).find(
    ({ rule }) => rule === 'handler_attributes',
  )
  expect(found?.message ?? null).toBe(expected)
})
