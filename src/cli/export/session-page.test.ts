import { expect, test } from 'vitest'
import { sessionPage } from './session-page.js'

test('a shared session page has prompts and answers in order, escaped, and no active content', () => {
  const html = sessionPage(
    {
      title: 'Fix <the> cart',
      agent: 'claude',
      project: 'shop',
      startedAt: 0,
      prompts: [{ turn: 't2', at: 3, text: 'and <script>alert(1)</script>' }],
      messages: [
        { at: 2, blocks: [] },
        { at: 4, blocks: [] },
      ] as never,
    },
    blocks => (blocks.length === 0 ? '<b>done</b>' : ''),
  )
  expect(html).toContain('<h1>Fix &#60;the&#62; cart</h1>')
  expect(html).toContain('and &#60;script&#62;')
  expect(html).not.toContain('<script')
  expect(html).toContain("default-src 'none'")
  expect([...html.matchAll(/<section class="(\w+)"/g)].map(([, kind]) => kind)).toEqual(['answer', 'prompt', 'answer'])
})
