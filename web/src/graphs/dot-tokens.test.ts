import { describe, expect, it } from 'vitest'
import { completions, dotStyles } from './dot-tokens'

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
    expect(completions(text, text.length).options).toEqual(['shape'])
    const shape = 'digraph g {\n  a [shape='
    expect(completions(shape, shape.length).options).toContain('hexagon')
    const edge = 'digraph g {\n  implement [shape=box]\n  start -> im'
    expect(completions(edge, edge.length)).toEqual({ word: 'im', options: ['implement'] })
  })
})
