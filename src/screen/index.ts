/*
 * Understands screens: what one frame of a terminal shows. Pure: a frame, a small memory and the
 * agent's pack come in; an observation comes out. No file here knows an agent by name.
 *
 *   Frame ─► readScene   rows, regions, input box, menus, work indicators               scene.ts
 *     └─► classify       which of the 14 views it is, and its payload                classify.ts
 *           ├ menu/        menus: find the options (option-group), the question (question), prove
 *           │              that the menu takes keys now (liveness); parse-menu.ts is the entry
 *           ├ find-composer, composer   the agent's input box, and what is typed in it
 *           ├ observe.ts   one function for each kind of view: menu, work, idle
 *           └ memory.ts    what the next frame needs to know about this one
 *   rows ─► blocks/      rows of a turn become prose, code, lists, tables, diffs, tool calls
 *                        (extract.ts), and blocks become Markdown, ANSI or Telegram text (render-*)
 *
 * - pack/: the format of packs (pack-schema.ts is its reference), versions, patterns.
 * - rules.ts runs a pack's rules; explain.ts says which rule matched and why.
 * - generic-grammar.ts and shell.ts read programs that have no pack.
 * - blocks/reconcile.ts compares what was read from the screen with the agent's transcript.
 *
 * Where to add what
 *
 * - How one agent's screen looks: in packs/<agent>/, as data.
 * - A view: view.ts, observe.ts, and its place in classify.ts.
 * - A kind of block: blocks/block.ts, extract.ts, and the three renderers.
 */

export type { Block, BlockContent, InlineRun, ListItem } from './blocks/block.js'
export { extractBlocks, extractPieces, transcriptBlocks } from './blocks/extract.js'
export { BLOCK_MARK, type KeptRow, mergeWindow } from './blocks/merge-window.js'
export { parseMarkdown } from './blocks/parse-markdown.js'
export { realignWindow } from './blocks/realign.js'
export { reconcile } from './blocks/reconcile.js'
export { renderAnsi } from './blocks/render-ansi.js'
export { renderMarkdown } from './blocks/render-markdown.js'
export { renderTelegram } from './blocks/render-telegram.js'
export { dropRepeatedRows } from './blocks/repeated-rows.js'
export { cutRow, type TextRow } from './blocks/text-row.js'

export { blockWords } from './blocks/words.js'
export { type Classification, classify } from './classify.js'
export { countPasteMarks } from './composer.js'
export {
  explainFrame,
  type FrameExplanation,
} from './explain.js'
export { hashTexts } from './hash-texts.js'
export { initialMemory, recordInput, type ScreenMemory } from './memory.js'
export type { Menu } from './menu/menu.js'
export type { Awaiting, Facet, Observation } from './observation.js'
export { type Outline, outlineOf } from './outline.js'
export type { Pack, ScreenBlockKind } from './pack/pack.js'
export { parsePack } from './pack/parse-pack.js'
export { withoutClock } from './turn.js'
export { TERMINAL_VIEWS, type TerminalView, type TodoItem, type ToolRef } from './view.js'
