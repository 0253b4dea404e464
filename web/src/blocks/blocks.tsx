import type { Block, InlineRun } from '../api/types'
import { type DiffLine, markChanges } from '../diff/diff-lines'
import { DiffView } from '../diff/diff-view'
import { tokenStyles } from '../diff/highlight'
import { Revealed, revealedStyles, StyledText } from '../diff/styled-text'
import { CopyButton } from '../ui/copy'
import { StatusIcon } from '../ui/status'

/** What the page draws of a block. Blocks of Markdown have no more than this. */
export type ShownBlock = Shown<Block>
type Shown<B> = B extends Block
  ? Omit<B, 'rows' | 'provisional' | 'missing' | 'source'> & { provisional?: boolean }
  : never

/** Blocks in their order; the result of a tool is folded below its call. */
export function Blocks({ blocks }: { blocks: readonly ShownBlock[] }) {
  const shown = []
  for (let index = 0; index < blocks.length; index++) {
    const block = blocks[index]!
    if (block.kind === 'tool_call') {
      const output: ShownBlock[] = []
      while (isOutput(blocks[index + 1])) output.push(blocks[++index]!)
      shown.push(<ToolCall key={block.id} block={block} output={output} />)
    } else shown.push(<BlockView key={block.id} block={block} />)
  }
  return <div class="blocks">{shown}</div>
}

function isOutput(block: ShownBlock | undefined): boolean {
  return block?.kind === 'tool_result' || block?.kind === 'diff'
}

function BlockView({ block }: { block: ShownBlock }) {
  switch (block.kind) {
    case 'prose':
      return <Prose block={block} />
    case 'code':
      return <Code text={block.lines.join('\n')} language={block.language} />
    case 'list':
      return <List items={block.items} />
    case 'table':
      return <Table block={block} />
    case 'diff':
      return <Diff lines={block.lines} />
    case 'tool_call':
      return <ToolCall block={block} output={[]} />
    case 'tool_result':
      return <pre class={`out ${block.ok === false ? 'bad' : ''}`}>{block.lines.join('\n')}</pre>
    case 'todo':
      return (
        <ul class="todo">
          {block.items.map((item, index) => (
            <li key={index} class={item.status}>
              <TodoMark status={item.status} />
              <span>{item.text}</span>
            </li>
          ))}
        </ul>
      )
    case 'user':
      return (
        <p class="said-user" dir="auto">
          {block.text}
        </p>
      )
    case 'error':
      return (
        <p class="said-error tone-danger">
          <StatusIcon shape="square" /> {block.text}
        </p>
      )
    default:
      return <p class={`said-${block.kind}`}>{block.text}</p>
  }
}

function Prose({ block }: { block: Extract<ShownBlock, { kind: 'prose' }> }) {
  const text = <Inline runs={block.runs} />
  if (block.variant === 'heading')
    return (
      <h3 class="prose" dir="auto">
        {text}
      </h3>
    )
  if (block.variant === 'quote')
    return (
      <blockquote class="prose" dir="auto">
        {text}
      </blockquote>
    )
  return (
    <p class="prose" dir="auto">
      {text}
    </p>
  )
}

/** Links of agents show their address and open in a new tab; only http and https are links. */
function Inline({ runs }: { runs: readonly InlineRun[] }) {
  return (
    <>
      {runs.map((run, index) => {
        let node = <Revealed text={run.text} />
        if (run.code) node = <code>{node}</code>
        if (run.bold) node = <strong>{node}</strong>
        if (run.italic) node = <em>{node}</em>
        if (run.strike) node = <s>{node}</s>
        if (run.link && /^https?:\/\//.test(run.link))
          node = (
            <a href={run.link} target="_blank" rel="noopener noreferrer nofollow" title={run.link}>
              {node}
            </a>
          )
        return <span key={index}>{node}</span>
      })}
    </>
  )
}

function Code({ text, language }: { text: string; language?: string }) {
  return (
    <figure class="code">
      <figcaption>
        <span>{language || 'text'}</span>
        <CopyButton text={text} label="Copy code" />
      </figcaption>
      <pre tabIndex={0}>
        <code>
          <CodeText text={text} language={language} />
        </code>
      </pre>
    </figure>
  )
}

/** More lines than this stay plain: colours help the eye, and a listing is not read whole. */
const COLOURED_LINES_MAX = 400

/** Names of languages, as the ending of a file; what has none is its own ending. */
const ENDINGS: Readonly<Record<string, string>> = {
  python: 'py',
  ruby: 'rb',
  shell: 'sh',
  elixir: 'ex',
  text: 'txt',
  console: 'txt',
  output: 'txt',
  diff: 'txt',
}

function CodeText({ text, language }: { text: string; language: string | undefined }) {
  const lines = text.split('\n')
  const ending = ENDINGS[language ?? ''] ?? language
  if (!ending || lines.length > COLOURED_LINES_MAX) return <StyledText text={text} styles={revealedStyles(text)} />
  return (
    <>
      {lines.map((line, index) => (
        <>
          {index > 0 && '\n'}
          <StyledText text={line} styles={[...tokenStyles(line, `x.${ending}`), ...revealedStyles(line)]} />
        </>
      ))}
    </>
  )
}

function List({ items }: { items: Extract<ShownBlock, { kind: 'list' }>['items'] }) {
  return (
    <ul class="said-list">
      {items.map((item, index) => (
        <li key={index} style={{ marginLeft: `${item.depth * 18}px` }}>
          <span class="bullet" aria-hidden="true">
            {item.checked !== null ? (item.checked ? '☑' : '☐') : item.number !== null ? `${item.number}.` : '–'}
          </span>
          <span dir="auto">
            {item.checked !== null && <span class="sr">{item.checked ? 'done: ' : 'open: '}</span>}
            <Inline runs={item.runs} />
          </span>
        </li>
      ))}
    </ul>
  )
}

function Table({ block }: { block: Extract<ShownBlock, { kind: 'table' }> }) {
  const align = (column: number) => ({ textAlign: block.align[column] ?? 'left' }) as const
  return (
    <div class="table-box said-table" tabIndex={0} role="region" aria-label="Table">
      <table class="data">
        <thead>
          <tr>
            {block.header.map((cell, column) => (
              <th key={column} style={align(column)}>
                <Inline runs={cell} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {block.body.map((row, index) => (
            <tr key={index}>
              {row.map((cell, column) => (
                <td key={column} style={align(column)}>
                  <Inline runs={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

interface SignedLine {
  sign: string
  number: number | null
  text: string
}

const KIND = { '+': 'added', '-': 'removed', '@': 'note' } as Readonly<Record<string, DiffLine['kind']>>

/** A diff whose lines have one number each, as agents print them. */
export function Diff({ lines }: { lines: readonly SignedLine[] }) {
  const shown = lines.map(({ sign, number, text }): DiffLine => {
    const kind = KIND[sign] ?? 'same'
    return {
      kind,
      before: kind === 'removed' ? number : null,
      after: kind === 'removed' ? null : number,
      text,
      changed: [],
    }
  })
  return <DiffView lines={markChanges(shown)} />
}

function ToolCall(props: { block: Extract<ShownBlock, { kind: 'tool_call' }>; output: readonly ShownBlock[] }) {
  const { block, output } = props
  const { name, command, path, summary } = block.tool
  const what = command ?? path ?? withoutName(summary, name)
  const failed = output.some(part => part.kind === 'tool_result' && part.ok === false)
  const body = output.length > 0 || (what.length > 90 && what)
  const head = (
    <>
      <span class="tool-name">{name}</span>
      <code class="cut">
        <Revealed text={what} />
      </code>
      {failed && <span class="badge tone-danger tiny">failed</span>}
      {block.provisional && <span class="tiny dim">running</span>}
    </>
  )
  if (!body) return <div class="tool">{head}</div>
  return (
    <details class="tool" open={output.some(part => part.kind === 'diff')}>
      <summary>{head}</summary>
      {what.length > 90 && (
        <pre class="out">
          <Revealed text={what} />
        </pre>
      )}
      {output.map(part => (
        <BlockView key={part.id} block={part} />
      ))}
    </details>
  )
}

/** Agents often repeat the name of the tool: “Search discountPercent”. */
function withoutName(summary: string, name: string): string {
  return summary.startsWith(`${name} `) ? summary.slice(name.length).trimStart() : summary
}

function TodoMark({ status }: { status: string }) {
  const shape = status === 'done' ? 'tick' : status === 'in_progress' ? 'disc' : 'ring'
  const tone = status === 'done' ? 'done' : status === 'in_progress' ? 'active' : 'muted'
  return (
    <span class={`badge tone-${tone}`}>
      <StatusIcon shape={shape} />
      <span class="sr">{status.replace('_', ' ')}: </span>
    </span>
  )
}

/** The text of blocks, for the clipboard. */
export function blocksText(blocks: readonly ShownBlock[]): string {
  const runsText = (runs: readonly InlineRun[]) => runs.map(run => run.text).join('')
  return blocks
    .map(block => {
      if (block.kind === 'prose') return runsText(block.runs)
      if (block.kind === 'code') return `\`\`\`${block.language}\n${block.lines.join('\n')}\n\`\`\``
      if (block.kind === 'list')
        return block.items
          .map(i => `${'  '.repeat(i.depth)}${i.number ? `${i.number}.` : '-'} ${runsText(i.runs)}`)
          .join('\n')
      if (block.kind === 'table')
        return [block.header, ...block.body].map(row => row.map(runsText).join(' | ')).join('\n')
      if (block.kind === 'diff') return block.lines.map(line => `${line.sign}${line.text}`).join('\n')
      if (block.kind === 'tool_call') return `${block.tool.name} ${block.tool.command ?? block.tool.summary}`
      if (block.kind === 'tool_result') return block.lines.join('\n')
      if (block.kind === 'todo') return block.items.map(item => `[${item.status}] ${item.text}`).join('\n')
      return block.text
    })
    .join('\n\n')
}
