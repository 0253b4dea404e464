import type { Block, InlineRun } from '../../screen/index.js'

const PATHS_MAX = 20
/** May be a file name: no blanks, not a URL, with an extension. */
const PATH_PATTERN = /^(?!\w+:\/\/)[^\s`'"<>|*?]{1,300}\.[A-Za-z0-9]{1,8}$/

/**
 * The paths that an answer names in inline code and tool calls, each once, in their order. Pure.
 */
export function namedPaths(blocks: readonly Block[]): string[] {
  const words = blocks.flatMap(block => {
    if (block.kind === 'prose') return codeWords(block.runs)
    if (block.kind === 'list') return block.items.flatMap(({ runs }) => codeWords(runs))
    if (block.kind === 'tool_call') return block.tool.path === undefined ? [] : [block.tool.path]
    return []
  })
  return [...new Set(words.map(word => word.replace(/[.,;:)]+$/, '')).filter(word => PATH_PATTERN.test(word)))].slice(
    0,
    PATHS_MAX,
  )
}

function codeWords(runs: readonly InlineRun[]): string[] {
  return runs.filter(({ code }) => code).flatMap(({ text }) => text.split(/\s+/))
}
