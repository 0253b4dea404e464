import { namedPromptWidth } from './find-composer.js'
import type { RowBlock } from './grammar.js'
import type { Layout } from './layout.js'
import type { ScreenMemory } from './memory.js'
import type { Pack } from './pack/pack.js'

/**
 * How long an echo without any sign of work counts as an open turn, for agents without end marks.
 */
export const ECHO_GRACE_S = 3
/** How long a turn without any activity stays open when an expected end mark does not appear. */
export const STALE_TURN_S = 2.5

export interface TurnState {
  isOpen: boolean
  echo: RowBlock | null
  echoText: string | null
}

/**
 * Is a turn open? Visible rows decide first: an echo below the newest terminator opens the turn, a
 * terminator below the newest echo closes it. The memory decides only when neither is on the screen
 * because the answer is long. An error that ended the turn closes it; so does the pack's own sign
 * of rest.
 */
export function readTurn(
  layout: Layout,
  memory: ScreenMemory,
  pack: Pack,
  now: { t: number; isWorking: boolean; isIdleByRule: boolean; isScrolled: boolean; isSameTranscript: boolean },
): TurnState {
  const echo = newestEcho(layout, pack)
  const shown = echo ? blockText(layout, echo) : null
  const echoText = echo && isPinned(layout, echo, memory) ? memory.echo!.text : shown
  const { terminator } = layout
  const isEnded = terminator !== null && (echo === null || terminator.row > echo.last)
  const state = (isOpen: boolean): TurnState => ({ isOpen, echo, echoText })
  if (now.isWorking) return state(true)
  if (isEnded || now.isIdleByRule) return state(false)
  if (now.isScrolled) return state(memory.turnOpen)
  // Without a pack: some programs remove their input box while they work. Its text was sent.
  if (pack.byStructure && layout.composer === null && memory.hasSeenComposer)
    return state(memory.turnOpen || (memory.isDrafting && isSent(echoText, memory.draft)))
  const newest = newestContent(layout.blocks, pack) ?? layout.blocks.at(-1)
  if (newest?.kind === 'error') return state(false)
  // Nothing was said and the prompt is gone: an interrupt removed it.
  if (newest === undefined && layout.composer !== null) return state(false)
  if (pack.terminator === 'required') {
    // No work, no motion and no new text for a while: the turn ended with a mark that we do not
    // know.
    const isStill =
      layout.composer !== null &&
      memory.transcript !== null &&
      now.t - memory.transcript.changedAt >= STALE_TURN_S &&
      now.isSameTranscript
    return state(!isStill && (echo !== null ? true : memory.turnOpen))
  }
  const isFreshEcho =
    echo !== null &&
    newest === echo &&
    (memory.echo?.text !== echoText || now.t - memory.echo.since < ECHO_GRACE_S) &&
    memory.echo !== null
  return state(isFreshEcho)
}

/** The echo repeats what was in the input box. */
function isSent(echo: string | null, draft: string | null): boolean {
  const squeeze = (text: string) => text.replace(/\s+/gu, '')
  return echo !== null && draft !== null && squeeze(echo) === squeeze(draft)
}

/**
 * An echo that stays at the top while its answer scrolls: rows of the answer seem to continue it.
 */
export function isPinned(layout: Layout, echo: RowBlock, memory: ScreenMemory): boolean {
  if (memory.echo === null || layout.blocks[0] !== echo) return false
  const shown = blockText(layout, echo)
  const [line, ...rest] = shown.split('\n')
  // It may be shortened to one row.
  const isCut = rest.length > 0 && line!.endsWith('…') && memory.echo.text.startsWith(line!.slice(0, -1))
  return isCut || (shown !== memory.echo.text && shown.startsWith(`${memory.echo.text}\n`))
}

/** The newest prompt that started a turn: not a slash command, not a queued one. */
function newestEcho(layout: Layout, pack: Pack): RowBlock | null {
  return layout.blocks.findLast(block => block.kind === 'user' && !isCommand(layout, block, pack)) ?? null
}

function isCommand(layout: Layout, block: RowBlock, pack: Pack): boolean {
  return pack.commands?.test(blockText(layout, block)) ?? false
}

export function newestContent(blocks: readonly RowBlock[], pack: Pack): RowBlock | undefined {
  return blocks.findLast(
    block =>
      block.kind !== 'notice' &&
      (pack.byStructure ||
        !(block.kind === 'prose' && block.spec === null && blocks.some(other => other.spec !== null))),
  )
}

/** Some agents draw the time at the right end of the first row of a prompt. */
const CLOCK = /\s{2,}\d{1,2}:\d{2}(?: ?[ap]m)?\s*$/iu

/** The first row of a prompt without the time that the agent adds. */
export function withoutClock(text: string): string {
  return text.replace(CLOCK, '')
}

export function blockText(layout: Layout, block: RowBlock): string {
  const strip = block.spec?.strip ?? 0
  return layout.rows
    .slice(block.first, block.last + 1)
    .map((row, index) => {
      const isFirstOfPrompt = block.kind === 'user' && index === 0
      const text = isFirstOfPrompt ? withoutClock(row.text) : row.text
      const isGuessed = block.spec === null && index === 0
      if (!isGuessed) return text.slice(strip).trim()
      const name = isFirstOfPrompt ? namedPromptWidth(text) : 0
      return text
        .slice(name)
        .replace(/^\s*[^\p{L}\p{N}\s]\s+/u, '')
        .trim()
    })
    .join('\n')
    .trim()
}
