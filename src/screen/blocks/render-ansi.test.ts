import { describe, expect, it } from 'vitest'
import type { Block, BlockContent } from './block.js'
import { renderAnsi } from './render-ansi.js'

function block(content: BlockContent): Block {
  return { id: 't.0', rows: [0, 0], provisional: false, missing: false, source: 'screen', ...content }
}

const plain = { isColour: false, width: 30 }

describe('blocks for a terminal', () => {
  it('are wrapped by columns, keep line breaks and aligned columns', () => {
    expect(
      renderAnsi([block({ kind: 'prose', variant: 'paragraph', runs: [{ text: '漢字 '.repeat(8).trim() }] })], {
        ...plain,
        width: 16,
      }),
    ).toHaveLength(3)
    expect(renderAnsi([block({ kind: 'prose', variant: 'paragraph', runs: [{ text: 'one\ntwo' }] })], plain)).toEqual([
      'one',
      'two',
    ])
    const cells = (...texts: string[]) => texts.map(text => [{ text }])
    const table: BlockContent = {
      kind: 'table',
      header: cells('名', 'n'),
      body: [cells('ab', '10')],
      align: ['left', 'right'],
    }
    expect(renderAnsi([block(table)], plain)).toEqual(['名   n', '──  ──', 'ab  10'])
  })

  it('contain no control characters in text of an agent', () => {
    const lines = renderAnsi([block({ kind: 'code', language: '', lines: ['a\u001b[2Jb'] })], {
      isColour: true,
      width: 80,
    })
    expect(lines.join('')).not.toContain('\u001b[2J')
  })
})
