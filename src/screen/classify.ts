import type { Frame } from '../terminal/index.js'
import { readCompletion, readComposer } from './composer.js'
import type { RowBlock } from './grammar.js'
import { type Layout, layOut } from './layout.js'
import type { ScreenMemory } from './memory.js'
import type { Menu } from './menu/menu.js'
import type { MenuCandidate } from './menu/parse-menu.js'
import { LAPSE_S } from './motion.js'
import type { Awaiting, Facet, Observation } from './observation.js'
import type { Pack } from './pack/pack.js'
import { agentsPayload, awaitingOf, backgroundPayload, errorPayload, promptKind, thinkingPayload } from './payloads.js'
import { fingerprint } from './print.js'
import { evaluateRules, type RuleMatch } from './rules.js'
import { readShell, type ShellState } from './shell.js'
import { readTodos } from './todo.js'
import { toolOf } from './tool.js'
import { blockText, isPinned, lastSaid, readTurn, STILL_S, type TurnState } from './turn.js'
import type { Payload, TerminalView } from './view.js'
import { findWorking, nextTracks, type Working } from './working.js'

export interface Classified {
  observation: Observation
  memory: ScreenMemory
  layout: Layout
  /** The view this frame would have if something is known to work, though it does not show. */
  atWork: { view: TerminalView; payload: Payload[TerminalView] }
}

/** What a frame shows. The tests of `observe` are tried in their order; the first that holds names the view. */
export function classify(frame: Frame, memory: ScreenMemory, pack: Pack): Classified {
  return new Scene(frame, memory, pack).classified()
}

/** A `skip` rule of this priority or more goes before menus; others only name what nothing else explains. */
const OVER_MENUS = 500

/** How long a question in words must stand at the cursor. */
const SPOKEN_STANDS_S = 0.3

interface Seen {
  match?: RuleMatch | null
  rule?: string
  confidence?: number
  anchored?: boolean
  busy?: boolean | null
  awaiting?: Awaiting | null
  ambiguous?: TerminalView[]
  evidence?: Observation['evidence']
}

class Scene {
  readonly #frame: Frame
  readonly #memory: ScreenMemory
  readonly #pack: Pack
  readonly #layout: Layout
  readonly #matches: RuleMatch[]
  readonly #tracks: ScreenMemory['tracks']
  readonly #working: Working | null
  readonly #turn: TurnState
  readonly #todos: Payload['todo_list'] | null
  readonly #shell: ShellState | null

  constructor(frame: Frame, memory: ScreenMemory, pack: Pack) {
    this.#frame = frame
    this.#memory = memory
    this.#pack = pack
    this.#layout = layOut(frame, pack)
    this.#matches = evaluateRules(frame, this.#layout.rows, pack, this.#layout.regions).flatMap(({ match }) =>
      match ? [match] : [],
    )
    this.#tracks = nextTracks(frame, this.#layout, memory)
    this.#working = findWorking(frame, this.#layout, this.#matches, this.#tracks)
    const rest = this.#best(match => match.rule.view === 'idle_prompt')
    this.#turn = readTurn(this.#layout, memory, pack, {
      t: frame.t,
      isWorking: this.#working !== null,
      restsByRule: rest !== null,
      isScrolled: this.#matches.some(match => match.rule.facet === 'scrolled'),
      isSameTranscript: this.#transcriptPrint() === memory.transcript?.hash,
    })
    this.#todos = readTodos(this.#layout.rows, pack)
    this.#shell = pack.agent === 'generic' ? readShell(frame, this.#layout.rows, memory.prompt) : null
  }

  classified(): Classified {
    const observation = this.#observe()
    const { view, payload } = this.#atWork()
    return { observation, memory: this.#remember(observation), layout: this.#layout, atWork: { view, payload } }
  }

  #observe(): Observation {
    const { menu, composer } = this.#layout
    if (this.#layout.rows.every(row => row.indent < 0))
      return this.#see('unknown', { recognised: false }, { confidence: 0, rule: 'none', busy: null })
    if (this.#frame.torn && !menu)
      return this.#see('unknown', { recognised: false }, { confidence: 0, rule: 'none', busy: null })
    const skipped = this.#best(match => match.rule.skip !== null)
    if (skipped && skipped.rule.priority >= OVER_MENUS) return this.#skipped(skipped)
    if (menu && this.#isBelieved(menu.candidate))
      return this.#menu(menu.candidate.menu, menu.verdict.proofs, menu.candidate.spec !== null)
    const dialog = this.#best(
      match => match.rule.awaiting !== null && (match.rule.view === 'tool_menu' || match.rule.view === 'auth_required'),
    )
    if (dialog) return this.#dialog(dialog)
    if (this.#working?.match?.rule.view === 'parallel_agents')
      return this.#see('parallel_agents', agentsPayload(this.#layout.rows, this.#pack, this.#working.match), {
        match: this.#working.match,
        busy: true,
      })
    const shell = this.#shell
    if (shell?.is === 'prompt') return this.#atPrompt(shell)
    if (shell?.is === 'running' && !this.#layout.isComposerAnchored)
      return this.#see(
        'tool_running',
        {
          tool: {
            name: 'Shell',
            kind: 'shell',
            summary: shell.command ?? '',
            ...(shell.command && { command: shell.command }),
          },
        },
        { rule: 'generic/shell-running', confidence: 0.5, busy: true },
      )
    if (this.#working || (this.#turn.isOpen && !(skipped && !composer))) return this.#atWork()
    if (skipped) return this.#skipped(skipped)
    if (composer) return this.#atRest()
    const failed = this.#best(match => match.rule.view === 'error')
    if (failed) return this.#see('error', errorPayload(failed, failed.text, true), { match: failed, busy: false })
    // A program starts once: the banner of one that has shown its input box before is only a picture.
    const banner = this.#memory.hasSeenComposer ? null : this.#best(match => match.rule.view === 'startup')
    if (banner || (!this.#memory.hasSeenComposer && this.#hasBlockArt()))
      return this.#see(
        'startup',
        startupPayload(banner),
        banner ? { match: banner, busy: null } : { rule: 'generic/banner', confidence: 0.5, busy: null },
      )
    return this.#see('unknown', { recognised: false }, { confidence: 0, rule: 'none', busy: null })
  }

  /** A shell, REPL, debugger, pager or editor that waits for its user: that is rest, not a question to anybody. */
  #atPrompt(shell: Extract<ShellState, { is: 'prompt' }>): Observation {
    return this.#see(
      'idle_prompt',
      { fresh: this.#memory.prompt === null, prompt: shell.kind },
      {
        rule: `generic/prompt.${shell.kind}`,
        confidence: 0.7,
        anchored: false,
        busy: false,
        awaiting: shell.kind === 'shell' ? null : 'input',
      },
    )
  }

  /** Questions that only words suggest must have stood for a moment: running text looks the same for a moment. */
  #isBelieved(candidate: MenuCandidate): boolean {
    if (!candidate.isSoft) return true
    const { asking } = this.#memory
    return asking?.text === candidate.menu.question && this.#frame.t - asking.since >= SPOKEN_STANDS_S - 1e-9
  }

  #skipped(match: RuleMatch): Observation {
    const screen = match.rule.skip as NonNullable<Payload['unknown']['screen']>
    return this.#see(
      'unknown',
      { recognised: true, screen, ...(match.rule.close !== null && { close: match.rule.close }) },
      { match, busy: match.rule.busy },
    )
  }

  /** A dialog that has no options to choose from: a rule of the pack knows it. */
  #dialog(match: RuleMatch): Observation {
    const seen = { match, busy: false, awaiting: match.rule.awaiting }
    if (match.rule.view === 'auth_required') return this.#see('auth_required', { method: 'login' }, seen)
    return this.#see('tool_menu', { menu: null }, seen)
  }

  #menu(menu: Omit<Menu, 'live'>, proofs: string[], isAnchored: boolean): Observation {
    const first = this.#firstSight(menu.print)
    const live: Menu = { ...menu, live: { proofs, since: first.since, afterInput: first.afterInput } }
    const seen: Seen = {
      rule: isAnchored ? `${this.#pack.agent}/menu.${menu.kind}` : 'generic/menu',
      confidence: isAnchored ? (proofs.length > 4 ? 0.95 : 0.85) : proofs.length > 4 ? 0.7 : 0.5,
      anchored: isAnchored,
      busy: false,
      awaiting: awaitingOf(menu),
      evidence: [{ region: 'menu', rows: menu.rows, text: menu.question }],
    }
    if (menu.kind === 'auth') return this.#see('auth_required', { method: 'login', menu: live }, seen)
    return this.#see('tool_menu', { menu: live }, seen)
  }

  /** Something works, or a turn is open: the newest block tells what is going on. */
  #atWork(): Observation {
    const match = this.#working?.match ?? null
    const seen: Seen = match
      ? { match, busy: true }
      : this.#working
        ? { rule: 'generic/motion', confidence: 0.5, busy: true }
        : { rule: 'generic/turn-open', confidence: 0.5, busy: true }
    const values = match?.values ?? {}
    if (values.retry !== undefined || values.compacting !== undefined || match?.rule.id.includes('retry')) {
      return this.#see('thinking', thinkingPayload(values, match), seen)
    }
    if (this.#isPanelNewest()) return this.#see('todo_list', this.#todos!, seen)
    const newest = this.#newest()
    switch (newest?.kind) {
      case 'prose':
      case 'todo':
        return this.#see('response_content', this.#prose(newest.block), seen)
      case 'tool_call':
        return this.#see('tool_running', { tool: this.#tool(newest.block), ...elapsed(values.elapsed) }, seen)
      case 'tool_result':
        if (newest.isRunning)
          return this.#see(
            'tool_running',
            { tool: this.#tool(this.#callAbove(newest.block)), ...elapsed(values.elapsed) },
            { ...seen, ambiguous: ['tool_result'] },
          )
        return this.#see(
          'tool_result',
          { tool: this.#tool(this.#callAbove(newest.block)), ok: this.#resultOk(newest.block) },
          seen,
        )
      case 'user':
        if (!this.#working)
          return this.#see(
            'user_message',
            { text: this.#turn.echoText ?? '', queued: false },
            { rule: 'generic/echo', confidence: 0.5, busy: null },
          )
    }
    return this.#see('thinking', thinkingPayload(values, match), seen)
  }

  /** A live input box and nothing going on. */
  #atRest(): Observation {
    const auth = this.#best(match => match.rule.view === 'auth_required')
    if (auth) return this.#see('auth_required', { method: 'login' }, { match: auth, busy: false })
    const error = this.#best(match => match.rule.view === 'error')
    const newest = lastSaid(this.#layout.blocks)
    if (error) return this.#see('error', errorPayload(error, error.text, true), { match: error, busy: false })
    if (newest?.kind === 'error')
      return this.#see('error', errorPayload(null, blockText(this.#layout, newest), true), {
        rule: `${this.#pack.agent}/block.error`,
        anchored: true,
        confidence: 0.85,
        busy: false,
      })
    const agents = this.#best(match => match.rule.view === 'parallel_agents')
    if (agents)
      return this.#see('parallel_agents', agentsPayload(this.#layout.rows, this.#pack, agents), {
        match: agents,
        busy: true,
      })
    const background = this.#best(match => match.rule.view === 'background_task')
    if (background)
      return this.#see('background_task', backgroundPayload(background), { match: background, busy: false })
    const idle = this.#best(match => match.rule.view === 'idle_prompt')
    const { terminator } = this.#layout
    const payload: Payload['idle_prompt'] = {
      fresh: this.#turn.echo === null && !this.#memory.turnOpen && this.#memory.echo === null,
      prompt: promptKind(this.#pack, idle),
      ...(terminator && { lastTurn: terminator.outcome }),
    }
    const isAnchored = this.#layout.isComposerAnchored
    return this.#see('idle_prompt', payload, {
      ...(idle
        ? { match: idle }
        : {
            rule: `${isAnchored ? this.#pack.agent : 'generic'}/composer`,
            confidence: isAnchored ? 0.85 : 0.7,
            anchored: isAnchored,
          }),
      busy: false,
      awaiting: this.#best(match => match.rule.awaiting === 'exit_confirm')
        ? 'exit_confirm'
        : (idle?.rule.awaiting ?? null),
    })
  }

  #see<V extends TerminalView>(view: V, payload: Payload[V], seen: Seen): Observation<V> {
    const { match } = seen
    const { composer, terminator } = this.#layout
    const box = composer ? readComposer(this.#layout.rows, composer, this.#ignoredInBox()) : null
    return {
      view,
      payload,
      confidence: Math.min(
        (seen.confidence ?? match?.rule.confidence ?? 0.7) * this.#pack.trust,
        this.#frame.torn ? 0.5 : 1,
      ),
      anchored: seen.anchored ?? Boolean(match),
      rule: seen.rule ?? (match ? `${this.#pack.agent}/${match.rule.id}` : 'none'),
      busy: seen.busy === undefined ? (match?.rule.busy ?? null) : seen.busy,
      awaiting: seen.awaiting ?? null,
      composer: box && {
        ...box,
        queued: this.#queued(),
        completion: readCompletion(this.#layout.rows, composer!.last + 1),
      },
      facets: this.#facets(),
      user: this.#turn.echoText,
      terminator: terminator && { row: terminator.row, outcome: terminator.outcome },
      ambiguous: seen.ambiguous ?? [],
      evidence: seen.evidence ?? (match ? [{ region: match.rule.region, rows: match.rows, text: match.text }] : []),
    }
  }

  #remember(observation: Observation): ScreenMemory {
    const memory = this.#memory
    const { t } = this.#frame
    const { echoText } = this.#turn
    const isWorking = this.#working !== null
    const newest = this.#newest()
    const print = this.#layout.menu?.candidate.menu.print
    return {
      turnOpen: this.#layout.menu ? memory.turnOpen : this.#turn.isOpen,
      echo:
        echoText === null ? memory.echo : memory.echo?.text === echoText ? memory.echo : { text: echoText, since: t },
      newest: newest ? { kind: newest.kind, isRunning: newest.isRunning } : memory.newest,
      hasSeenComposer: memory.hasSeenComposer || this.#layout.composer !== null,
      menu: print === undefined ? null : { print, ...this.#firstSight(print) },
      lastInputAt: memory.lastInputAt,
      lastWorkingAt: isWorking || observation.busy === true ? t : memory.lastWorkingAt,
      panel: this.#changed(memory.panel, this.#todos ? JSON.stringify(this.#todos.items) : null),
      transcript: this.#changed(memory.transcript, this.#transcriptPrint()),
      tracks: this.#tracks,
      prompt:
        this.#shell?.is === 'prompt' && this.#shell.kind === 'shell' && this.#shell.draft === ''
          ? this.#shell.prompt
          : memory.prompt,
      asking: this.#asking(),
      recheckAt: this.#recheckAt(),
    }
  }

  #asking(): ScreenMemory['asking'] {
    const found = this.#layout.menu ?? this.#layout.quoted
    if (!found?.candidate.isSoft) return null
    const text = found.candidate.menu.question
    return this.#memory.asking?.text === text ? this.#memory.asking : { text, since: this.#frame.t }
  }

  #recheckAt(): number | null {
    const asking = this.#asking()
    const { t } = this.#frame
    const still =
      this.#pack.terminator === 'required' && this.#turn.isOpen
        ? (this.#changed(this.#memory.transcript, this.#transcriptPrint())?.changedAt ?? t) + STILL_S
        : null
    const moments = [
      asking && asking.since + SPOKEN_STANDS_S,
      still,
      ...this.#tracks.map(track => track.lastMotion !== null && track.lastMotion + LAPSE_S + 0.001),
    ]
    const later = moments.filter((at): at is number => typeof at === 'number' && at > t)
    return later.length === 0 ? null : Math.min(...later)
  }

  #firstSight(print: string): { since: number; afterInput: boolean } {
    const { menu, lastInputAt } = this.#memory
    return menu?.print === print
      ? { since: menu.since, afterInput: menu.afterInput }
      : { since: this.#frame.t, afterInput: lastInputAt !== null }
  }

  #changed(
    before: { hash: string; changedAt: number } | null,
    hash: string | null,
  ): { hash: string; changedAt: number } | null {
    if (hash === null) return null
    return before?.hash === hash ? before : { hash, changedAt: this.#frame.t }
  }

  #transcriptPrint(): string | null {
    const newest = this.#layout.blocks.at(-1)
    return newest
      ? fingerprint([
          newest.kind,
          ...this.#layout.rows.slice(newest.first, newest.last + 1).map(row => row.text.slice(2)),
        ])
      : null
  }

  /** The task panel changed after the newest thing that was said. */
  #isPanelNewest(): boolean {
    const { panel, transcript } = this.#memory
    if (!this.#todos || this.#todos.total === 0) return false
    const now = this.#changed(panel, JSON.stringify(this.#todos.items))!
    const said = this.#changed(transcript, this.#transcriptPrint())
    const kind = this.#layout.blocks.at(-1)?.kind
    if (panel === null) return kind === undefined || kind === 'user'
    return said === null || now.changedAt > said.changedAt
  }

  /** The newest block; what memory knows when none is on screen or the transcript is scrolled back. */
  #newest(): { kind: RowBlock['kind']; isRunning: boolean; block: RowBlock | null } | null {
    const isScrolled = this.#matches.some(match => match.rule.facet === 'scrolled')
    const block = this.#layout.blocks.findLast(
      candidate =>
        !(candidate.kind === 'notice' && candidate.spec !== null) || candidate === this.#layout.blocks.at(-1),
    )
    const isPinnedEcho = block?.kind === 'user' && isPinned(blockText(this.#layout, block), this.#memory)
    if (block && !isScrolled && !isPinnedEcho) return { kind: this.#kindOf(block), isRunning: block.isRunning, block }
    if (isPinnedEcho && this.#memory.newest?.kind === 'user') return { kind: 'prose', isRunning: false, block: null }
    const { newest } = this.#memory
    return newest ? { ...newest, block: null } : null
  }

  /** Rows without a mark at the top of the screen go on with a block that began above it. */
  #kindOf(block: RowBlock): RowBlock['kind'] {
    const isCutOff = block.spec === null && this.#layout.blocks[0] === block && this.#pack.blocks.length > 0
    return isCutOff && this.#memory.newest ? this.#memory.newest.kind : block.kind
  }

  #callAbove(result: RowBlock | null): RowBlock | null {
    const { blocks } = this.#layout
    const before = result ? blocks.slice(0, blocks.indexOf(result)) : blocks
    return before.findLast(block => block.kind === 'tool_call') ?? null
  }

  #tool(block: RowBlock | null): Payload['tool_running']['tool'] {
    return block ? toolOf(blockText(this.#layout, block)) : { name: 'unknown', kind: 'other', summary: '' }
  }

  #resultOk(block: RowBlock | null): boolean | null {
    if (!block?.spec?.failed) return null
    return this.#layout.rows.slice(block.first, block.last + 1).some(row => block.spec!.failed!.test(row.text))
      ? false
      : null
  }

  #prose(block: RowBlock | null): Payload['response_content'] {
    if (!block) return { block: 'prose', rows: [0, 0], tail: '' }
    return { block: block.kind, rows: [block.first, block.last], tail: this.#layout.rows[block.last]!.text.trim() }
  }

  #ignoredInBox(): RegExp | null {
    const spec = this.#pack.regions.find(region => region.name === 'composer' && region.kind === 'gutter')
    return spec?.kind === 'gutter' ? spec.ignore : null
  }

  #queued(): string[] {
    return this.#layout.rows
      .filter((_, index) => this.#layout.roles[index] === 'queued')
      .map(row => row.text.replace(/^\s*\S\s+/u, '').trim())
  }

  #facets(): Facet[] {
    const facets = this.#matches.flatMap((match): Facet[] =>
      match.rule.facet ? [{ name: match.rule.facet, data: match.values }] : [],
    )
    if (this.#todos && this.#todos.total > 0) facets.push({ name: 'todo', data: { ...this.#todos } })
    const queued = this.#queued()
    if (queued.length > 0) facets.push({ name: 'queued', data: { count: queued.length } })
    return facets
  }

  #hasBlockArt(): boolean {
    return (
      this.#layout.rows.slice(0, 12).filter(row => /[█▀▄▌▐▛▜▙▟▝▘▗▖░▒▓]{3}|[╭╮╰╯]─?[╭╮╰╯]/u.test(row.text)).length >= 2
    )
  }

  #best(wanted: (match: RuleMatch) => boolean): RuleMatch | null {
    return this.#matches
      .filter(wanted)
      .reduce<RuleMatch | null>(
        (best, match) => (best && best.rule.priority > match.rule.priority ? best : match),
        null,
      )
  }
}

function elapsed(value: string | number | undefined): { elapsedS?: number } {
  return typeof value === 'number' ? { elapsedS: value } : {}
}

function startupPayload(match: RuleMatch | null): Payload['startup'] {
  return {
    ...(match && { banner: match.text.trim() }),
    ...(typeof match?.values.version === 'string' && { version: match.values.version }),
  }
}
