import type { Frame } from '../terminal/index.js'
import type { Layout } from './layout.js'
import { nextMemory, type ScreenMemory } from './memory.js'
import { fragments } from './menu/menu-head.js'
import type { Observation } from './observation.js'
import {
  isConfirmed,
  makeObservation,
  observeDialog,
  observeIdle,
  observeMenu,
  observeNothing,
  observePrompt,
  observeWork,
} from './observe.js'
import type { Pack } from './pack/pack.js'
import { agentsPayload, errorPayload } from './payloads.js'
import type { RuleMatch } from './rules.js'
import { bestMatch, hasConversation, readScene, type Scene } from './scene.js'
import { findSignIn } from './sign-in.js'
import type { Payload, TerminalView } from './view.js'

export interface Classification {
  observation: Observation
  memory: ScreenMemory
  layout: Layout
  /** The view of this frame if it is known from elsewhere that the agent works. */
  atWork: { view: TerminalView; payload: Payload[TerminalView] }
}

/** Determines what a frame shows. */
export function classify(frame: Frame, memory: ScreenMemory, pack: Pack): Classification {
  const scene = readScene(frame, memory, pack)
  const observation = observe(scene)
  const { view, payload } = observeWork(scene)
  return { observation, memory: nextMemory(scene, observation), layout: scene.layout, atWork: { view, payload } }
}

/**
 * `skip` rules with at least this priority are tried before menus; the others label screens that
 * nothing else explains.
 */
const BEFORE_MENUS_PRIORITY = 500

/** How long a program may take until its input box appears. */
const STARTING_S = 20

/** The tests are tried in this order; the first that holds decides the view. */
function observe(scene: Scene): Observation {
  const { frame, layout, working, shell, turn } = scene
  const { menu, composer } = layout
  if (layout.rows.every(row => row.indent < 0) || (frame.torn && !menu)) return observeNothing(scene)
  const skipped = bestMatch(scene, match => match.rule.skip !== null)
  if (skipped && skipped.rule.priority >= BEFORE_MENUS_PRIORITY) return observeSkipped(scene, skipped)
  const signIn = composer || isShell(scene) ? null : findSignIn(layout.rows, frame.cols)
  // A key that opens the browser is a part of the sign-in.
  const isAnyKeyPrompt = menu?.candidate.menu.kind === 'input' && menu.candidate.menu.options.length === 0
  if (menu && isConfirmed(scene, menu.candidate) && !(signIn && isAnyKeyPrompt)) return observeMenu(scene, menu)
  const dialog = bestMatch(
    scene,
    match => match.rule.awaiting !== null && (match.rule.view === 'tool_menu' || match.rule.view === 'auth_required'),
  )
  if (dialog) return observeDialog(scene, dialog)
  if (signIn) return observeSignIn(scene, signIn)
  if (isFirstDialog(scene)) return observeFirstDialog(scene)
  if (layout.overlay && !working) return observeOverlay(scene)
  if (working?.match?.rule.view === 'parallel_agents')
    return makeObservation(scene, 'parallel_agents', agentsPayload(layout.rows, scene.pack, working.match), {
      match: working.match,
      busy: true,
    })
  if (shell?.kind === 'prompt') return observePrompt(scene, shell)
  if (shell?.kind === 'running' && !isBox(layout)) return observeCommand(scene, shell.command)
  // An input box that appears before the program is ready: only its pack can recognise it. Motion
  // there is not work.
  const early =
    composer && !hasConversation(layout, scene.memory)
      ? bestMatch(scene, ({ rule }) => rule.view === 'startup' && rule.composer === 'live')
      : null
  // The same applies before the first input box: what the pack calls loading is not a turn, even if
  // it moves. A banner alone proves nothing, because it stays.
  const loading =
    composer || scene.memory.hasSeenComposer || turn.echo
      ? null
      : bestMatch(scene, ({ rule }) => rule.view === 'startup' && !rule.structural)
  const starting = early ?? loading
  if (starting && !working?.match)
    return makeObservation(scene, 'startup', { step: 'loading' }, { match: starting, busy: null })
  // No prompt can have been sent yet: the spinner belongs to the program's own start.
  if (working && !working.match && !composer && isStarting(scene))
    return makeObservation(
      scene,
      'startup',
      { step: 'loading' },
      { rule: 'generic/loading', confidence: 0.5, busy: null },
    )
  if (working || (turn.isOpen && !(skipped && !composer))) return observeWork(scene)
  if (skipped) return observeSkipped(scene, skipped)
  if (composer) return observeIdle(scene)
  if (isCommandList(scene))
    return makeObservation(
      scene,
      'idle_prompt',
      { fresh: false, prompt: 'agent' },
      { rule: 'generic/commands', confidence: 0.5, busy: false },
    )
  const failed = bestMatch(scene, match => match.rule.view === 'error')
  if (failed)
    return makeObservation(scene, 'error', errorPayload(failed, failed.text, true), { match: failed, busy: false })
  return observeStartup(scene) ?? observeNothing(scene)
}

/** Commands in one column at the end of the screen: they complete what is typed above it. */
function isCommandList({ layout: { rows }, memory, pack }: Scene): boolean {
  if (!pack.byStructure || !memory.hasSeenComposer) return false
  const shown = rows.filter(row => row.indent >= 0)
  const last = shown.findLastIndex(row => COMMAND.test(row.text))
  const run = shown.slice(0, last + 1).findLastIndex(row => !COMMAND.test(row.text))
  return last - run >= COMMAND_ROWS_MIN && shown.length - 1 - last <= 2
}

const COMMAND = /^\s{0,4}(?:[❯›>▸→]\s*)?\/[a-z][\w:-]*(?:\s|$)/u
/** Fewer rows may be paths in an answer. */
const COMMAND_ROWS_MIN = 5

/** A shell prints what its commands say about signing in; it does not ask for it. */
function isShell({ shell, memory, frame }: Scene): boolean {
  return shell?.kind === 'prompt' || memory.prompt !== null || frame.isPlainText === true
}

/**
 * Before the first input box, rows that end in the keys that choose, toggle or save: the program
 * asks something at its start (what to import, a key to enter) in a form that cannot be read as a
 * menu. The user cannot have opened it: there was no input box yet, and keys were pressed only in
 * other dialogs of the start.
 */
function isFirstDialog(scene: Scene): boolean {
  const { layout, memory, working } = scene
  if (layout.composer || memory.hasSeenComposer || working || isShell(scene)) return false
  if (memory.lastInputAt !== null && !memory.isSettingUp) return false
  return layout.rows
    .filter(row => row.indent >= 0)
    .slice(-2)
    .some(
      row =>
        ANY_KEY.test(row.text) || fragments(row).some(({ keys, verb }) => CONFIRMS.test(keys) && CHOOSES.test(verb)),
    )
}

const ANY_KEY = /^\W*(?:press|hit) any key\b.{0,40}$/iu
const CONFIRMS = /\b(?:enter|return|space)\b/iu
const CHOOSES = /^(?:toggle|select|choose|confirm|continue|save|submit|accept|import)\b/iu

function observeFirstDialog(scene: Scene): Observation {
  const asksForApiKey = scene.layout.rows.some(row => /\bapi key\b/iu.test(row.text))
  return makeObservation(
    scene,
    'tool_menu',
    { menu: null },
    { rule: 'generic/first-dialog', confidence: 0.5, busy: false, awaiting: asksForApiKey ? 'api_key' : 'question' },
  )
}

function observeSignIn(scene: Scene, payload: Payload['auth_required']): Observation {
  return makeObservation(scene, 'auth_required', payload, {
    rule: 'generic/sign-in',
    confidence: 0.7,
    busy: false,
    awaiting: 'auth',
  })
}

/** An input box that is drawn as one: programs that print lines have none. */
function isBox({ composer, isComposerAnchored }: Layout): boolean {
  return composer !== null && (isComposerAnchored || composer.last > composer.first)
}

function observeSkipped(scene: Scene, match: RuleMatch): Observation {
  const screen = match.rule.skip as NonNullable<Payload['unknown']['screen']>
  return makeObservation(
    scene,
    'unknown',
    { recognised: true, screen, ...(match.rule.close !== null && { close: match.rule.close }) },
    { match, busy: match.rule.busy },
  )
}

/** A list with key hints below it, of which too little is known to call it a menu. */
function observeOverlay(scene: Scene): Observation {
  return makeObservation(
    scene,
    'unknown',
    { recognised: true, screen: 'overlay' },
    { rule: 'generic/overlay', confidence: 0.5, busy: null },
  )
}

function observeCommand(scene: Scene, command: string | null): Observation {
  const tool = { name: 'Shell', kind: 'shell' as const, summary: command ?? '', ...(command && { command }) }
  return makeObservation(
    scene,
    'tool_running',
    { tool },
    { rule: 'generic/shell-running', confidence: 0.5, busy: true },
  )
}

/** A program starts only once: after its input box has appeared, a banner is only content. */
function observeStartup(scene: Scene): Observation | null {
  if (scene.memory.hasSeenComposer) return null
  const banner = bestMatch(scene, match => match.rule.view === 'startup')
  if (banner) {
    const { version } = banner.values
    return makeObservation(
      scene,
      'startup',
      { banner: banner.text.trim(), ...(typeof version === 'string' && { version }) },
      { match: banner, busy: null },
    )
  }
  if (hasBlockArt(scene.layout))
    return makeObservation(scene, 'startup', {}, { rule: 'generic/banner', confidence: 0.5, busy: null })
  return isStarting(scene)
    ? makeObservation(scene, 'startup', {}, { rule: 'generic/no-box-yet', confidence: 0.3, busy: null })
    : null
}

/** A program prints at most this many rows while it loads, besides its banner. */
const LOADING_ROWS = 6
/**
 * The same for a program that may have no input box at all: fewer rows, and one of them must
 * announce the start.
 */
const FIRST_ROWS = 4
const ANNOUNCES_START = /\b(?:starting|loading|initiali[sz]ing|launching|booting|connecting)\b/iu

/**
 * The input box has not appeared, nothing marked was printed, nothing waits. A program without a
 * pack may have none: one that draws the whole screen, or whose first few rows announce its start,
 * is starting, as long as no key was pressed and no shell prompt was shown.
 */
function isStarting(scene: Scene): boolean {
  const { frame, pack, layout, memory } = scene
  const isFirstOutput =
    frame.buffer === 'alternate' || (announcesStart(layout) && memory.prompt === null && !memory.turnOpen)
  const isBoxKnown =
    pack.regions.some(region => region.name === 'composer') ||
    (pack.byStructure && memory.lastInputAt === null && isFirstOutput)
  const shown = layout.rows.filter(row => row.indent >= 0)
  const words = shown.filter(row => layout.roles[row.index] == null)
  const isLoading = (words.length <= LOADING_ROWS || pack.byStructure) && !shown.some(row => fragments(row).length >= 2)
  return isBoxKnown && !hasConversation(layout, memory) && isLoading && !frame.isPlainText && frame.t < STARTING_S
}

function announcesStart({ rows }: Layout): boolean {
  const shown = rows.filter(row => row.indent >= 0)
  return shown.length <= FIRST_ROWS && shown.some(({ text }) => ANNOUNCES_START.test(text))
}

/** Two rows of block characters near the top: a logo. A run of one is a box edge. */
function hasBlockArt({ rows }: Layout): boolean {
  const art = rows
    .slice(0, 12)
    .filter(row => /[█▀▄▌▐▛▜▙▟▝▘▗▖░▒▓]{3}|[╭╮╰╯]─?[╭╮╰╯]/u.test(row.text) && !/^\s*(\S)\1{15,}\s*$/u.test(row.text))
  return art.length >= 2
}
