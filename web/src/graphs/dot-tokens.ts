import type { Style } from '../diff/styled-text'

const TOKEN = /(\/\/.*|#.*)|("(?:[^"\\]|\\.)*"?)|\b(digraph|graph|subgraph|node|edge)\b|(->)|([A-Za-z_][\w.]*)(?=\s*=)/g
const CLASSES = ['tok-comment', 'tok-string', 'tok-keyword', 'tok-arrow', 'tok-name'] as const

/** The colours of one line of DOT. */
export function dotStyles(line: string): Style[] {
  return [...line.matchAll(TOKEN)].map(match => ({
    from: match.index,
    to: match.index + match[0].length,
    class: CLASSES[match.slice(1).findIndex(group => group !== undefined)]!,
  }))
}

/** Attributes and values that the editor offers. */
const ATTRIBUTES = [
  'shape',
  'label',
  'prompt',
  'goal',
  'tool_command',
  'condition',
  'agent',
  'model',
  'max_visits',
  'timeout',
  'weight',
  'retry',
]
const SHAPES = ['Mdiamond', 'Msquare', 'box', 'hexagon', 'parallelogram', 'diamond', 'component', 'tripleoctagon']
const CONDITIONS = ['outcome=success', 'outcome=fail']

/** What can be inserted at the cursor: names of nodes, attributes, shapes. */
export function completions(text: string, at: number): { word: string; options: string[] } {
  const line = text.slice(text.lastIndexOf('\n', at - 1) + 1, at)
  const word = /[\w.]*$/.exec(line)![0]
  const before = line.slice(0, line.length - word.length)
  const inside = before.lastIndexOf('[') > before.lastIndexOf(']')
  const pool = /shape\s*=\s*$/.test(before)
    ? SHAPES
    : /condition\s*=\s*"$/.test(before)
      ? CONDITIONS
      : inside
        ? /"[^"]*$/.test(before)
          ? []
          : ATTRIBUTES
        : nodesOf(text)
  const options = word === '' && pool !== SHAPES && pool !== CONDITIONS ? [] : pool
  return { word, options: options.filter(option => option.startsWith(word) && option !== word).slice(0, 8) }
}

function nodesOf(text: string): string[] {
  const names = [...text.matchAll(/^\s*([A-Za-z_]\w*)\s*(?:\[|->)|->\s*([A-Za-z_]\w*)/gm)].map(
    match => (match[1] ?? match[2])!,
  )
  return [...new Set(names)].filter(name => !['node', 'edge', 'graph'].includes(name))
}
