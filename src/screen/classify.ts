import type { Frame } from '../terminal/index.js'
import { readComposer } from './composer.js'
import type { RowBlock } from './grammar.js'
import { type Layout, layOut } from './layout.js'
import type { ScreenMemory } from './memory.js'
import type { Menu } from './menu/menu.js'
import type { Awaiting, Facet, Observation } from './observation.js'
import type { Pack } from './pack/pack.js'
import { evaluateRules, type RuleMatch } from './rules.js'
import { readTodos } from './todo.js'
import { toolOf } from './tool.js'
import type { Payload, TerminalView } from './view.js'

export interface Classified {
  observation: Observation
  memory: ScreenMemory
  layout: Layout
}

/** What a frame shows, in the order of docs/screen.md §decision: the first test that holds names the view. */
export function classify(frame: Frame, memory: ScreenMemory, pack: Pack): Classified {
  const layout = layOut(frame, pack)
  const matches = evaluateRules(frame, pack, layout.regions).flatMap(verdict => (verdict.match ? [verdict.match] : []))
  const scene = new Scene(frame, memory, pack, layout, matches)
  const observation = scene.observe()
  return { observation, memory: scene.remember(observation), layout }
}

class Scene {
  readonly #frame: Frame
  readonly #memory: ScreenMemory
  readonly #pack: Pack
  readonly #layout: Layout
  readonly #matches: RuleMatch[]

  constructor(frame: Frame, memory: ScreenMemory, pack: Pack, layout: Layout, matches: RuleMatch[]) {
    this.#frame = frame
    this.#memory = memory
    this.#pack = pack
    this.#layout = layout
    this.#matches = matches
  }

  observe(): Observation {
    const { menu, composer } = this.#layout
    if (this.#frame.lines.every(row => row.text.trim() === '')) return this.#see('unknown', { recognised: false }, { confidence: 0, rule: 'none' })
    const skipped = this.#best(match => match.rule.skip !== null)
    if (skipped) return this.#see('unknown', { recognised: true }, { match: skipped })
    if (menu) return this.#menu(menu.candidate.menu, menu.proofs)
    const working = this.#best(match => match.rule.busy === true && match.rule.view !== null)
    const isOpen = this.#isTurnOpen(working !== null)
    if (working?.rule.view === 'parallel_agents') return this.#see('parallel_agents', agentsPayload(working), { match: working, busy: true })
    if (working || isOpen) return this.#atWork(working)
    if (composer) return this.#atRest()
    const banner = this.#best(match => match.rule.view === 'startup')
    if (banner) return this.#see('startup', {}, { match: banner })
    return this.#see('unknown', { recognised: false }, { confidence: 0, rule: 'none' })
  }

  remember(observation: Observation): ScreenMemory {
    const { menu, terminator } = this.#layout
    const echo = this.#newest(block => block.kind === 'user')
    const echoId = echo ? this.#frame.lines[echo.first]!.id : this.#memory.echoId
    const isNewEcho = echoId !== null && echoId !== this.#memory.echoId && !(terminator && terminator.rowId > echoId)
    const working = observation.busy === true
    const isClosed = terminator !== null && (echoId === null || terminator.rowId > echoId)
    const seenMenu = menu?.candidate.menu.print
    return {
      turnOpen: isClosed ? false : isNewEcho || working || this.#memory.turnOpen,
      echoId,
      terminatorId: terminator?.rowId ?? this.#memory.terminatorId,
      hasSeenComposer: this.#memory.hasSeenComposer || this.#layout.composer !== null,
      menu: seenMenu === undefined ? null : this.#memory.menu?.print === seenMenu ? this.#memory.menu : this.#newMenu(seenMenu),
      lastInputAt: this.#memory.lastInputAt,
      lastWorkingAt: working ? this.#frame.t : this.#memory.lastWorkingAt,
    }
  }

  #newMenu(print: string) {
    return { print, since: this.#frame.t, afterInput: this.#memory.lastInputAt !== null }
  }

  #isTurnOpen(isWorking: boolean): boolean {
    const { terminator } = this.#layout
    const echo = this.#newest(block => block.kind === 'user')
    const echoId = echo ? this.#frame.lines[echo.first]!.id : null
    if (terminator && (echoId === null || terminator.rowId > echoId)) return false
    if (isWorking) return true
    if (this.#pack.terminator === 'none') return false
    return this.#memory.turnOpen || (echoId !== null && echoId !== this.#memory.echoId)
  }

  #menu(menu: Omit<Menu, 'live'>, proofs: string[]): Observation {
    const seen = this.#memory.menu?.print === menu.print ? this.#memory.menu : this.#newMenu(menu.print)
    const live: Menu = { ...menu, live: { proofs, since: seen.since, afterInput: seen.afterInput } }
    const isAnchored = this.#layout.menu!.candidate.spec !== null
    const options = {
      rule: isAnchored ? `${this.#pack.agent}/menu.${menu.kind}` : 'generic/menu',
      confidence: isAnchored ? (proofs.length > 4 ? 0.95 : 0.85) : proofs.length > 4 ? 0.7 : 0.5,
      anchored: isAnchored,
      busy: false,
      awaiting: awaitingOf(menu),
      evidence: [{ region: 'menu', rows: menu.rows, text: menu.question }],
    }
    if (menu.kind === 'auth') return this.#see('auth_required', { method: 'login', menu: live }, options)
    return this.#see('tool_menu', { menu: live }, options)
  }

  /** Something works, or a turn is open: the newest block tells what is going on. */
  #atWork(working: RuleMatch | null): Observation {
    const block = this.#newest(() => true)
    const options = working ? { match: working, busy: true } : { rule: 'generic/turn-open', confidence: 0.5, busy: true }
    const values = working?.values ?? {}
    switch (block?.kind) {
      case 'prose':
      case 'todo':
        return this.#see('response_content', this.#prose(block), options)
      case 'tool_call':
        return this.#see('tool_running', { tool: toolOf(this.#text(block)), ...numberField('elapsedS', values.elapsed) }, options)
      case 'tool_result':
        return this.#see('tool_result', { tool: this.#calledTool(), ok: this.#isFailed(block) ? false : null }, options)
      default:
        if (!working && block?.kind === 'user') {
          return this.#see('user_message', { text: this.#text(block), queued: false }, { rule: 'generic/echo', confidence: 0.5, busy: null })
        }
        return this.#see('thinking', thinkingPayload(values), options)
    }
  }

  /** A live input box and nothing going on. */
  #atRest(): Observation {
    const { terminator } = this.#layout
    const error = this.#best(match => match.rule.view === 'error' || match.rule.view === 'auth_required')
    if (error?.rule.view === 'auth_required') return this.#see('auth_required', { method: 'login' }, { match: error, busy: false })
    const newest = this.#newest(() => true)
    if (error || newest?.kind === 'error') {
      const message = error ? error.text.trim() : this.#text(newest!)
      return this.#see('error', { kind: 'internal', message, final: true }, error ? { match: error, busy: false } : { rule: 'generic/error', busy: false })
    }
    const agents = this.#best(match => match.rule.view === 'parallel_agents')
    if (agents) return this.#see('parallel_agents', agentsPayload(agents), { match: agents, busy: true })
    const background = this.#best(match => match.rule.view === 'background_task')
    if (background) {
      const count = Number(background.values.count ?? 1)
      return this.#see('background_task', { count, tasks: [] }, { match: background, busy: false })
    }
    const idle = this.#best(match => match.rule.view === 'idle_prompt')
    const payload: Payload['idle_prompt'] = {
      fresh: !this.#layout.blocks.some(block => block.kind === 'user'),
      prompt: 'agent',
      ...(terminator && { lastTurn: terminator.outcome }),
    }
    return this.#see('idle_prompt', payload, idle ? { match: idle, busy: false } : { rule: `${this.#pack.agent}/composer`, confidence: 0.85, anchored: true, busy: false })
  }

  #see<V extends TerminalView>(
    view: V,
    payload: Payload[V],
    options: {
      match?: RuleMatch
      rule?: string
      confidence?: number
      anchored?: boolean
      busy?: boolean | null
      awaiting?: Awaiting | null
      evidence?: Observation['evidence']
    },
  ): Observation<V> {
    const { match } = options
    const composer = this.#layout.composer && !this.#layout.menu ? readComposer(this.#frame, this.#layout.composer) : null
    const user = this.#newest(block => block.kind === 'user')
    const { terminator } = this.#layout
    return {
      view,
      payload,
      confidence: Math.min(options.confidence ?? match?.rule.confidence ?? 0.7, this.#frame.torn ? 0.5 : 1),
      anchored: options.anchored ?? match !== undefined,
      rule: options.rule ?? (match ? `${this.#pack.agent}/${match.rule.id}` : 'none'),
      busy: options.busy === undefined ? (match?.rule.busy ?? null) : options.busy,
      awaiting: options.awaiting ?? match?.rule.awaiting ?? null,
      composer,
      facets: this.#facets(),
      user: user ? this.#text(user) : null,
      terminator: terminator && { row: terminator.row, outcome: terminator.outcome },
      ambiguous: [],
      evidence: options.evidence ?? (match ? [{ region: match.rule.region, rows: match.rows, text: match.text }] : []),
    }
  }

  #facets(): Facet[] {
    const facets = this.#matches.flatMap((match): Facet[] => (match.rule.facet ? [{ name: match.rule.facet, data: match.values }] : []))
    const todos = readTodos(this.#frame, this.#pack)
    if (todos) facets.push({ name: 'todo', data: todos })
    return facets
  }

  #best(wanted: (match: RuleMatch) => boolean): RuleMatch | null {
    const found = this.#matches.filter(wanted)
    return found.reduce<RuleMatch | null>((best, match) => (best && best.rule.priority > match.rule.priority ? best : match), null)
  }

  #newest(wanted: (block: RowBlock) => boolean): RowBlock | null {
    const working = this.#best(match => match.rule.busy === true)
    return this.#layout.blocks.findLast(block => wanted(block) && !(working && block.first >= working.rows[0] && block.spec === null)) ?? null
  }

  #text(block: RowBlock): string {
    const strip = block.spec?.strip ?? 0
    const lines = this.#frame.lines.slice(block.first, block.last + 1).map(row => row.text.slice(strip).trimEnd())
    return lines.join('\n').trim()
  }

  #prose(block: RowBlock): Payload['response_content'] {
    return { block: block.kind, rows: [block.first, block.last], tail: this.#frame.lines[block.last]!.text.trim() }
  }

  #isFailed(block: RowBlock): boolean {
    return block.spec?.failed?.test(this.#frame.lines[block.first]!.text) ?? false
  }

  #calledTool() {
    const call = this.#newest(block => block.kind === 'tool_call')
    return call ? toolOf(this.#text(call)) : null
  }
}

function awaitingOf(menu: Omit<Menu, 'live'>): Awaiting {
  if (menu.origin === 'user') return 'picker'
  switch (menu.kind) {
    case 'permission':
    case 'question':
    case 'plan':
    case 'trust':
    case 'auth':
    case 'api_key':
    case 'picker':
    case 'input':
      return menu.kind
    default:
      return 'choice'
  }
}

function numberField<K extends string>(key: K, value: string | number | undefined): { [P in K]?: number } {
  return (typeof value === 'number' ? { [key]: value } : {}) as { [P in K]?: number }
}

function thinkingPayload(values: Record<string, string | number>): Payload['thinking'] {
  return {
    ...(typeof values.label === 'string' && { label: values.label }),
    ...numberField('elapsedS', values.elapsed),
    ...numberField('tokens', values.tokens),
    compacting: values.compacting !== undefined,
  }
}

function agentsPayload(match: RuleMatch): Payload['parallel_agents'] {
  const count = Number(match.values.count ?? 1)
  return { count, running: count, agents: [] }
}
