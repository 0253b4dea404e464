import { describe, expect, it } from 'vitest'
import type { Block, BlockContent } from './block.js'
import { reconcile } from './reconcile.js'
import { blockPlainText } from './words.js'

function block(id: string, content: BlockContent, extra: Partial<Block> = {}): Block {
  return { id, rows: [1, 2], provisional: false, missing: false, source: 'screen', ...content, ...extra } as Block
}

const text = (id: string, words: string, extra: Partial<Block> = {}) =>
  block(id, { kind: 'prose', variant: 'paragraph', runs: [{ text: words }] }, extra)
const call = (id: string, command: string) =>
  block(id, { kind: 'tool_call', tool: { name: 'Bash', kind: 'shell', summary: `Bash(${command})`, command } })
const said = (blocks: readonly Block[]) => blocks.map(found => `${found.source}:${blockPlainText(found)}`)

describe('merging screen and transcript', () => {
  it('replaces a screen block by the transcript block with the same text, and keeps its id', () => {
    const screen = [text('t.0', 'the quick brown fox jumps over the lazy dog today')]
    const [only] = reconcile(screen, [text('x', 'the quick brown fox jumps over the lazy **dog** today')])
    expect(only).toMatchObject({ id: 't.0', source: 'transcript', rows: [1, 2] })
  })

  it('inserts text that the screen never showed, and keeps text that only the screen showed', () => {
    const screen = [
      text('t.0', 'first answer here'),
      text('t.1', 'a notice of the program'),
      text('t.2', 'last answer here'),
    ]
    const transcript = [
      text('a', 'first answer here'),
      text('b', 'this part scrolled away'),
      text('c', 'last answer here'),
    ]
    expect(said(reconcile(screen, transcript))).toEqual([
      'transcript:first answer here',
      'screen:a notice of the program',
      'transcript:this part scrolled away',
      'transcript:last answer here',
    ])
  })

  it('matches a block without its start with the whole block', () => {
    const screen = [text('t.0', 'and this is how it ended', { missing: true })]
    expect(said(reconcile(screen, [text('a', 'it began long ago and this is how it ended')]))).toEqual([
      'transcript:it began long ago and this is how it ended',
    ])
  })

  it('matches calls by name and input, and never a call with a text', () => {
    const screen = [call('t.0', 'npm test'), call('t.1', 'npm run build')]
    const result = reconcile(screen, [call('a', 'npm test'), call('b', 'npm run build')])
    expect(result.map(found => [found.id, found.source])).toEqual([
      ['t.0', 'transcript'],
      ['t.1', 'transcript'],
    ])
    expect(reconcile([call('t.0', 'ls')], [text('a', 'Bash(ls)')])).toHaveLength(2)
  })

  it('matches equal texts one to one', () => {
    const screen = [text('t.0', 'ok'), text('t.1', 'ok'), text('t.2', 'ok')]
    expect(reconcile(screen, [text('a', 'ok'), text('b', 'ok'), text('c', 'ok')]).map(found => found.id)).toEqual([
      't.0',
      't.1',
      't.2',
    ])
  })
})
