import type { Block, InlineRun } from '../../screen/index.js'

const MOST = 20
/** What can be the name of a file: no blanks, no address, an ending. Whether there is such a file is asked of the disk. */
const LIKE_A_PATH = /^(?!\w+:\/\/)[^\s`'"<>|*?]{1,300}\.[A-Za-z0-9]{1,8}$/

/** Paths that an answer names: whole words of inline code and of tool calls, each once, in their order. Pure. */
export function namedPaths(blocks: readonly Block[]): string[] {
  const words = blocks.flatMap(block => {
    if (block.kind === 'prose') return codeWords(block.runs)
    if (block.kind === 'list') return block.items.flatMap(({ runs }) => codeWords(runs))
    if (block.kind === 'tool_call') return block.tool.path === undefined ? [] : [block.tool.path]
    return []
  })
  return [...new Set(words.map(word => word.replace(/[.,;:)]+$/, '')).filter(word => LIKE_A_PATH.test(word)))].slice(
    0,
    MOST,
  )
}

function codeWords(runs: readonly InlineRun[]): string[] {
  return runs.filter(({ code }) => code).flatMap(({ text }) => text.split(/\s+/))
}
