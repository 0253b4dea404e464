import { describe, expect, it } from 'vitest'
import { completions, dotStyles, lineOf, STEPS, withStep } from './dot-tokens'

const offered = (text: string) => completions(text, text.length).options.map(option => option.text)

describe('the graph editor', () => {
  it('colours strings, keywords, names of attributes and comments', () => {
    const line = 'a -> b [label="x"] // why'
    expect(dotStyles(line).map(({ from, to, class: kind }) => [line.slice(from, to), kind])).toEqual([
      ['->', 'tok-arrow'],
      ['label', 'tok-name'],
      ['"x"', 'tok-string'],
      ['// why', 'tok-comment'],
    ])
  })

  it('completes attributes, shapes and nodes', () => {
    const text = 'digraph g {\n  implement [sh'
    expect(offered(text)).toEqual(['shape'])
    expect(offered('digraph g {\n  a [shape=')).toContain('hexagon')
    expect(offered('digraph g {\n  implement [shape=box]\n  start -> im')).toEqual(['implement'])
    expect(offered('digraph g {\n  a -> b [condition="outcome=s')).toEqual(['outcome=success'])
    expect(offered('digraph g {\n  go')).toEqual(['goal', 'goal_condition'])
    expect(offered('digraph g {\n  a [label="sh')).toEqual([])
  })

  it('adds a step with an unused name before the end, and finds the line of a node', () => {
    const text = 'digraph g {\n  gate [shape=hexagon]\n  start -> gate\n}\n'
    const made = withStep(text, STEPS.find(({ name }) => name === 'gate')!)
    expect(made.text.split('\n')[made.line - 1]).toMatch(/^ {2}gate_2 \[shape=hexagon/)
    expect(made.text.trimEnd().endsWith('}')).toBe(true)
    expect([lineOf(text, 'gate'), lineOf(text, 'start'), lineOf(text, 'none')]).toEqual([2, 3, null])
  })
})
