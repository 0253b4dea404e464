/** A node of the Atlassian Document Format (Jira REST API v3). */
interface DocumentNode {
  type?: string
  text?: string
  attrs?: Record<string, unknown>
  marks?: { type?: string; attrs?: Record<string, unknown> }[]
  content?: DocumentNode[]
}

/** Converts a Jira document to Markdown. Unknown nodes keep their text. */
export function documentText(document: unknown): string {
  if (typeof document === 'string') return document
  if (typeof document !== 'object' || document === null) return ''
  return blocks((document as DocumentNode).content ?? [], '')
    .join('\n\n')
    .trim()
}

function blocks(nodes: readonly DocumentNode[], indent: string): string[] {
  return nodes.flatMap(node => {
    const inner = node.content ?? []
    switch (node.type) {
      case 'heading':
        return [`${'#'.repeat(Math.min(6, Number(node.attrs?.level) || 1))} ${inline(inner)}`]
      case 'bulletList':
        return [inner.map(item => listItem(item, '- ', indent)).join('\n')]
      case 'orderedList':
        return [inner.map((item, index) => listItem(item, `${index + 1}. `, indent)).join('\n')]
      case 'taskList':
        return [
          inner
            .map(item => `${indent}- [${item.attrs?.state === 'DONE' ? 'x' : ' '}] ${inline(item.content ?? [])}`)
            .join('\n'),
        ]
      case 'codeBlock':
        return [`\`\`\`${String(node.attrs?.language ?? '')}\n${plain(inner)}\n\`\`\``]
      case 'blockquote':
      case 'panel':
        return [
          blocks(inner, '')
            .join('\n\n')
            .split('\n')
            .map(line => `> ${line}`)
            .join('\n'),
        ]
      case 'rule':
        return ['---']
      case 'table':
        return [table(inner)]
      case 'paragraph':
        return [`${indent}${inline(inner)}`]
      default:
        return inner.length > 0 && !isInline(inner)
          ? blocks(inner, indent)
          : [inline(inner.length > 0 ? inner : [node])]
    }
  })
}

function listItem(item: DocumentNode, mark: string, indent: string): string {
  const [first = '', ...rest] = blocks(item.content ?? [], '')
  const deeper = ' '.repeat(mark.length)
  const more = rest.flatMap(block => block.split('\n').map(line => `${indent}${deeper}${line}`))
  return [`${indent}${mark}${first}`, ...more].join('\n')
}

function table(rows: readonly DocumentNode[]): string {
  const cells = rows.map(row =>
    (row.content ?? []).map(cell =>
      blocks(cell.content ?? [], '')
        .join(' ')
        .replace(/\s+/g, ' '),
    ),
  )
  const [head = [], ...body] = cells
  return [head, head.map(() => '---'), ...body].map(row => `| ${row.join(' | ')} |`).join('\n')
}

function isInline(nodes: readonly DocumentNode[]): boolean {
  return nodes.every(({ type }) =>
    ['text', 'hardBreak', 'mention', 'emoji', 'inlineCard', 'date', 'status'].includes(type ?? ''),
  )
}

function inline(nodes: readonly DocumentNode[]): string {
  return nodes
    .map(node => {
      switch (node.type) {
        case 'hardBreak':
          return '\n'
        case 'mention':
        case 'emoji':
        case 'status':
          return String(node.attrs?.text ?? node.attrs?.shortName ?? '')
        case 'inlineCard':
          return String(node.attrs?.url ?? '')
        default:
          return marked(node)
      }
    })
    .join('')
}

function marked({ text = '', marks = [], content = [] }: DocumentNode): string {
  const inner = text || inline(content)
  return marks.reduce((made, { type, attrs }) => {
    if (type === 'strong') return `**${made}**`
    if (type === 'em') return `*${made}*`
    if (type === 'code') return `\`${made}\``
    if (type === 'strike') return `~~${made}~~`
    return type === 'link' ? `[${made}](${String(attrs?.href ?? '')})` : made
  }, inner)
}

function plain(nodes: readonly DocumentNode[]): string {
  return nodes.map(({ text = '', content = [] }) => text || plain(content)).join('')
}
