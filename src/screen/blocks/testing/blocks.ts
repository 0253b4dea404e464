import type { Block, BlockContent } from '../block.js'

/** Finished blocks with these contents, as read from a screen. */
export function blocks(...contents: BlockContent[]): Block[] {
  return contents.map((content, index) => ({
    id: `t.${index}`,
    rows: [0, 0],
    provisional: false,
    missing: false,
    source: 'screen',
    ...content,
  }))
}
