import { expect, test } from 'vitest'
import { contextLabel, contextValue, saysSomething } from './context-words'

const nodes = [{ node: 'build_it', label: 'Build the package' }]

test('keys of the context have readable names, also those of nodes and people', () => {
  expect(contextLabel('graph.goal', nodes)).toBe('goal')
  expect(contextLabel('response.build_it', nodes)).toBe('answer of “Build the package”')
  expect(contextLabel('response.gone_node', nodes)).toBe('answer of “gone node”')
  expect(contextLabel('input.release_notes', nodes)).toBe('release notes')
})

test('values show labels of nodes, and lists have a line per item', () => {
  expect(contextValue('_completed_nodes', ['start', 'build_it'], nodes)).toBe('start\nBuild the package')
  expect(contextValue('_failed_node', 'build_it', nodes)).toBe('Build the package')
  expect(contextValue('any', { a: 1 }, nodes)).toBe('{\n  "a": 1\n}')
})

test('a status is the word that the page has for it', () => {
  expect(contextValue('outcome', 'success', nodes)).toBe('Done')
  expect(contextValue('stack.child.status', 'completed', nodes)).toBe('Done')
  expect(contextValue('stack.child.outcome', 'a word of the agent', nodes)).toBe('a word of the agent')
})

test('a value that says nothing is left out', () => {
  expect(saysSomething('failure_class', 'timeout')).toBe(true)
  expect([saysSomething('failure_class', 'unknown'), saysSomething('any', ''), saysSomething('any', null)]).toEqual(
    Array(3).fill(false),
  )
})
