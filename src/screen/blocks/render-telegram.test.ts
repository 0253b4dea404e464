import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { BlockContent, InlineRun } from './block.js'
import { renderTelegram } from './render-telegram.js'
import { blocks } from './testing/blocks.js'

const paragraph = (...runs: InlineRun[]): BlockContent => ({ kind: 'prose', variant: 'paragraph', runs })

/**
 * Reads the HTML as Telegram does: every tag known and closed in order, every entity complete.
 * Returns the remaining text.
 */
function parse(html: string): string {
  const open: string[] = []
  let text = ''
  for (let at = 0; at < html.length; ) {
    if (html[at] === '<') {
      const end = html.indexOf('>', at)
      const tag = html.slice(at + 1, end)
      if (tag.startsWith('/')) expect(open.pop()).toBe(tag.slice(1))
      else {
        expect(tag).toMatch(
          /^(?:b|i|s|code|pre|blockquote(?: expandable)?|a href="[^"<>]*"|code class="language-[\w+#.-]+")$/u,
        )
        open.push(tag.split(' ')[0]!)
      }
      at = end + 1
    } else if (html[at] === '&') {
      const end = html.indexOf(';', at)
      const entity = html.slice(at, end + 1)
      expect(['&amp;', '&lt;', '&gt;', '&quot;']).toContain(entity)
      text += { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"' }[entity]
      at = end + 1
    } else {
      expect(html[at]).not.toBe('>')
      text += html[at++]
    }
  }
  expect(open).toEqual([])
  return text
}

const squeeze = (text: string) => text.replace(/\s+/gu, '')

const run = fc
  .record({ text: fc.stringMatching(/^[ -~\n]{1,60}$/) })
  .chain(({ text }) =>
    fc.record({ text: fc.constant(text), bold: fc.boolean(), italic: fc.boolean(), code: fc.boolean() }),
  )
const content = fc.oneof(
  fc.array(run, { minLength: 1, maxLength: 8 }).map((runs): BlockContent => paragraph(...runs)),
  fc
    .array(fc.stringMatching(/^[ -~]{0,70}$/), { minLength: 1, maxLength: 20 })
    .map((lines): BlockContent => ({ kind: 'code', language: 'ts', lines })),
  fc
    .array(fc.stringMatching(/^[ -~]{1,30}$/), { minLength: 1, maxLength: 20 })
    .map((lines): BlockContent => ({ kind: 'tool_result', lines, ok: null })),
)

describe('blocks rendered for Telegram', () => {
  it('are valid HTML in parts that fit, with all of the text', () => {
    fc.assert(
      fc.property(
        fc.array(content, { minLength: 1, maxLength: 10 }),
        fc.integer({ min: 20, max: 400 }),
        (contents, maxUnits) => {
          const whole = renderTelegram(blocks(...contents), { maxUnits: 1_000_000 })
            .map(parse)
            .join('')
          const parts = renderTelegram(blocks(...contents), { maxUnits }).map(parse)
          for (const part of parts) expect(part.length).toBeLessThanOrEqual(maxUnits)
          expect(squeeze(parts.join(''))).toBe(squeeze(whole))
        },
      ),
      { numRuns: 200, seed: 4 },
    )
  })

  it('are split between blocks, then at lines, sentences and words', () => {
    const long = 'word '.repeat(12).trim()
    expect(renderTelegram(blocks(paragraph({ text: long }), paragraph({ text: 'end' })), { maxUnits: 62 })).toEqual([
      long,
      'end',
    ])
    expect(
      renderTelegram(blocks(paragraph({ text: 'One sentence here. Another one there' })), { maxUnits: 30 }),
    ).toEqual(['One sentence here.', 'Another one there'])
    expect(
      renderTelegram(blocks({ kind: 'code', language: 'js', lines: ['a < b', 'c && d'] }), { maxUnits: 8 }),
    ).toEqual([
      '<pre><code class="language-js">a &lt; b</code></pre>',
      '<pre><code class="language-js">c &amp;&amp; d</code></pre>',
    ])
  })

  it('are never split inside a character', () => {
    for (const part of renderTelegram(blocks(paragraph({ text: '😀'.repeat(50) })), { maxUnits: 21 }))
      expect(part).toMatch(/^(?:😀)+$/u)
  })

  it('contain no links for file names', () => {
    expect(renderTelegram(blocks(paragraph({ text: 'Edit src/main.py and README.md. Go to example.com' })))).toEqual([
      'Edit <code>src/main.py</code> and <code>README.md</code>. Go to example.com',
    ])
  })

  it('show narrow tables as text and wide ones as a list', () => {
    const cells = (...texts: string[]) => texts.map(text => [{ text }])
    const narrow: BlockContent = {
      kind: 'table',
      header: cells('a', 'n'),
      body: [cells('x', '10')],
      align: ['left', 'right'],
    }
    expect(renderTelegram(blocks(narrow))).toEqual(['<pre>a   n\n─  ──\nx  10</pre>'])
    const wide: BlockContent = {
      kind: 'table',
      header: cells('name', 'what it is for'),
      body: [cells('Map', 'a place where everything has a name and is found fast')],
      align: ['left', 'left'],
    }
    expect(renderTelegram(blocks(wide))).toEqual([
      '• <b>Map</b> — what it is for: a place where everything has a name and is found fast',
    ])
  })

  it('show lists, tools and quotes', () => {
    const list: BlockContent = {
      kind: 'list',
      items: [
        { depth: 0, number: null, checked: null, runs: [{ text: 'one' }] },
        { depth: 1, number: null, checked: true, runs: [{ text: 'two' }] },
      ],
    }
    expect(renderTelegram(blocks(list))).toEqual(['• one\n\u00a0\u00a0☑ two'])
    expect(
      renderTelegram(
        blocks({ kind: 'tool_call', tool: { name: 'Bash', kind: 'shell', summary: 'Bash(ls)', command: 'ls' } }),
      ),
    ).toEqual(['<b>Bash</b> <code>ls</code>'])
    expect(renderTelegram(blocks({ kind: 'prose', variant: 'quote', runs: [{ text: 'so be it' }] }))).toEqual([
      '<blockquote>so be it</blockquote>',
    ])
  })

  it('show control and bidi characters', () => {
    expect(renderTelegram(blocks(paragraph({ text: 'a\u202eb\u0007' })))).toEqual(['a⟦U+202E⟧b⟦U+0007⟧'])
  })
})
