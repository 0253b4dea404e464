export type { Block, BlockContent, InlineRun, ListItem } from './blocks/block.js'
export { type ExtractOptions, extractBlocks, transcriptBlocks } from './blocks/extract.js'
export { BLOCK_MARK, type KeptRow, mergeWindow } from './blocks/merge-window.js'
export { parseMarkdown } from './blocks/parse-markdown.js'
export { realignWindow } from './blocks/realign.js'
export { reconcile } from './blocks/reconcile.js'
export { type AnsiStyle, renderAnsi } from './blocks/render-ansi.js'
export { renderMarkdown } from './blocks/render-markdown.js'
export { renderTelegram } from './blocks/render-telegram.js'
export { dropRepeatedRows } from './blocks/repeated-rows.js'
export { cutRow, type TextRow } from './blocks/text-row.js'
export { visibleBlocks } from './blocks/visible-blocks.js'
export { blockWords } from './blocks/words.js'
export { type Classification, classify } from './classify.js'
export {
  type ExplainedMenu,
  type ExplainedRegion,
  type ExplainedRule,
  explainFrame,
  type FrameExplanation,
} from './explain.js'
export { hashTexts } from './hash-texts.js'
export type { Layout } from './layout.js'
export { initialMemory, recordInput, type ScreenMemory } from './memory.js'
export type { Menu, MenuKind, MenuOption, OptionMeaning } from './menu/menu.js'
export type { Awaiting, Composer, Facet, Observation, Terminator } from './observation.js'
export type { InputSettings, Pack } from './pack/pack.js'
export { parsePack } from './pack/parse-pack.js'
export { type Payload, TERMINAL_VIEWS, type TerminalView, type ToolRef } from './view.js'
