import { expect, test } from 'vitest'
import { drawDot } from './draw-dot.js'
import { drawPlain } from './draw-plain.js'
import { parseDot } from './parse-dot.js'
import { labelOf } from './terminals.js'

const graphOf = (text: string) => parseDot(`digraph { ${text} }`).graph!
const labelsOf = (text: string) => {
  const graph = graphOf(text)
  return Object.fromEntries([...graph.nodes.values()].map(node => [node.id, labelOf(graph, node)]))
}

test('a drawing has a plain node for the start and the end, with a plain label', () => {
  const graph = graphOf('begin [shape=Mdiamond]; quit [shape=Msquare]; work [label="Work"]; begin -> work -> quit')
  const dot = drawDot(graph)
  expect(dot).not.toMatch(/Mdiamond|Msquare/)
  expect(dot).toMatch(/"begin" \[label="Start", shape="box"/)
  expect(dot).toMatch(/"quit" \[label="End", shape="box"/)
  expect(drawPlain(graph)).toMatch(/>Start<[\s\S]*>End</)
})

test('a label of the author, and ids that tell several exits apart, are kept', () => {
  expect(labelsOf('start [label="Go"]; a; start -> a -> end')).toEqual({ start: 'Go', a: 'a', end: 'End' })
  expect(labelsOf('start; ok [shape=Msquare]; bad [shape=Msquare]; start -> ok; start -> bad')).toEqual({
    start: 'Start',
    ok: 'ok',
    bad: 'bad',
  })
})

test('the states of nodes are the words of every surface', () => {
  const states = new Map([['work', { status: 'success' as const, visits: 1, ms: 5 }]])
  expect(drawDot(graphOf('start -> work -> end'), { states })).toContain('tooltip="work (codergen): done"')
})
