import { type Block, type InlineRun, type ListItem, parseMarkdown } from '../../screen/index.js'

/** Emoji without a glyph on some machines, each with a character of every font. */
const MARKS: Readonly<Record<string, readonly [sign: string, kind: string]>> = {
  '✅': ['✔', 'good'],
  '❌': ['✘', 'bad'],
  '⛔': ['⊘', 'bad'],
  '⌛': ['◷', 'dim'],
  '🔹': ['◆', 'low'],
  '🔶': ['◆', 'warm'],
  '🔺': ['▲', 'bad'],
  '📄': ['▤', 'dim'],
  '⬇': ['⇩', 'dim'],
}
const MARK = new RegExp(`(?:${Object.keys(MARKS).join('|')})\\ufe0f?`, 'gu')

export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, char => `&#${char.charCodeAt(0)};`)
}

/** Text between tags: escaped, with replaced emoji. */
export function shown(text: string): string {
  return escaped(text).replace(MARK, found => {
    const [sign, kind] = MARKS[found.replace('\ufe0f', '')]!
    return `<span class="mark ${kind}" role="img" aria-label="${found}">${sign}</span>`
  })
}

/** A rich message as a phone shows it: its Markdown as blocks. */
export function richHtml(markdown: string): string {
  return parseMarkdown(markdown)
    .map(block => blockHtml(block as Block))
    .join('')
}

function blockHtml(block: Block): string {
  switch (block.kind) {
    case 'prose':
      if (block.variant === 'heading') return `<p><b>${runsHtml(block.runs)}</b></p>`
      return block.variant === 'quote'
        ? `<blockquote>${runsHtml(block.runs)}</blockquote>`
        : `<p>${runsHtml(block.runs)}</p>`
    case 'code':
    case 'tool_result':
      return `<pre>${shown(block.lines.join('\n'))}</pre>`
    case 'diff':
      return `<pre>${block.lines.map(({ sign, text }) => shown(`${sign}${text}`)).join('\n')}</pre>`
    case 'list':
      return `<div class="list">${block.items.map(itemHtml).join('')}</div>`
    case 'table': {
      const row = (cells: InlineRun[][], tag: string) =>
        `<tr>${cells.map((runs, at) => `<${tag} style="text-align:${block.align[at] ?? 'left'}">${runsHtml(runs)}</${tag}>`).join('')}</tr>`
      const body = block.body.map(cells => row(cells, 'td')).join('')
      return `<div class="wide"><table><thead>${row(block.header, 'th')}</thead><tbody>${body}</tbody></table></div>`
    }
    case 'todo':
      return `<div class="list">${block.items.map(({ text }) => `<div>• ${shown(text)}</div>`).join('')}</div>`
    case 'tool_call':
      return ''
    default:
      return `<p>${shown(block.text)}</p>`
  }
}

function itemHtml({ depth, number, checked, runs }: ListItem): string {
  const sign = checked === null ? (number === null ? '•' : `${number}.`) : checked ? '☑' : '☐'
  return `<div style="padding-left:${depth * 18}px">${sign} ${runsHtml(runs)}</div>`
}

function runsHtml(runs: readonly InlineRun[]): string {
  return runs
    .map(({ text, bold, italic, strike, code, link }) => {
      const tags = [bold && 'b', italic && 'i', strike && 's', code && 'code'].filter(tag => typeof tag === 'string')
      const inner = tags.reduce((html, tag) => `<${tag}>${html}</${tag}>`, shown(text))
      return link !== undefined && /^https?:/.test(link) ? `<a href="${escaped(link)}">${inner}</a>` : inner
    })
    .join('')
}
