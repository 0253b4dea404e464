import { describe, expect, test } from 'vitest'
import { markdownBlocks } from './markdown'

const kinds = (text: string) => markdownBlocks(text).map(({ kind }) => kind)

describe('Markdown of a plan', () => {
  test('becomes headings, paragraphs, lists with depth, numbers and check boxes, quotes and code', () => {
    const text =
      '# Goal\nTwo lines\nof one paragraph.\n\n1. first\n2. second\n   - [x] done\n   - [ ] open\n\n> said\n\n```ts\nconst a = 1\n\n```\n'
    expect(kinds(text)).toEqual(['prose', 'prose', 'list', 'prose', 'code'])
    expect(markdownBlocks(text)[1]).toMatchObject({ runs: [{ text: 'Two lines of one paragraph.' }] })
    expect(markdownBlocks(text)[2]).toMatchObject({
      items: [
        { number: 1, depth: 0 },
        { number: 2, depth: 0 },
        { number: null, depth: 1, checked: true },
        { number: null, depth: 1, checked: false },
      ],
    })
    expect(markdownBlocks(text)[4]).toMatchObject({ language: 'ts', lines: ['const a = 1', ''] })
  })

  test('marks code and bold text, and leaves images, links and HTML as text', () => {
    const [block] = markdownBlocks('Use `a*b` and **this** ![p](http://evil.example/x) <img src=x>')
    expect(block).toMatchObject({
      runs: [
        { text: 'Use ' },
        { text: 'a*b', code: true },
        { text: ' and ' },
        { text: 'this', bold: true },
        { text: ' ![p](http://evil.example/x) <img src=x>' },
      ],
    })
  })

  test('may end inside a code fence', () => {
    expect(markdownBlocks('```\nopen')).toMatchObject([{ kind: 'code', lines: ['open'] }])
    expect(markdownBlocks('')).toEqual([])
  })
})
