import { readCompletion, readComposer } from './composer.js'
import type { RowBlock } from './grammar.js'
import { firstSeen, QUESTION_STABLE_S } from './memory.js'
import type { Menu } from './menu/menu.js'
import type { MenuCandidate } from './menu/parse-menu.js'
import type { Awaiting, Facet, Observation } from './observation.js'
import { agentsPayload, awaitingOf, backgroundPayload, errorPayload, promptKind, thinkingPayload } from './payloads.js'
import type { RuleMatch } from './rules.js'
import { bestMatch, changedAt, type NewestBlock, newestBlock, panelHash, type Scene, transcriptHash } from './scene.js'
import type { ShellScreen } from './shell.js'
import { saysSignedOut, shownSignIn, signInDetails } from './sign-in.js'
import { isQuiet } from './style-match.js'
import { toolOf } from './tool.js'
import { blockText, newestContent } from './turn.js'
import type { Payload, TerminalView } from './view.js'

/** The agent works, or a turn is open: the newest block shows what is happening. */
export function observeWork(scene: Scene): Observation {
  const match = scene.working?.match ?? null
  const seen: ObservationBasis = match
    ? { match, busy: true }
    : { rule: scene.working ? 'generic/motion' : 'generic/turn-open', confidence: 0.5, busy: true }
  const values = match?.values ?? {}
  const elapsed = typeof values.elapsed === 'number' ? { elapsedS: values.elapsed } : {}
  if (values.retry !== undefined || values.compacting !== undefined || match?.rule.id.includes('retry'))
    return makeObservation(scene, 'thinking', thinkingPayload(values, match), seen)
  if (isPanelNewest(scene)) return makeObservation(scene, 'todo_list', scene.todos!, seen)
  const newest = newestSaid(scene)
  switch (newest?.kind) {
    case 'prose':
    case 'todo':
      return makeObservation(scene, 'response_content', proseOf(scene, newest.block), seen)
    case 'tool_call':
      return makeObservation(scene, 'tool_running', { tool: toolIn(scene, newest.block), ...elapsed }, seen)
    case 'tool_result': {
      const tool = toolIn(scene, callAbove(scene, newest.block))
      // Without a pack, the end of a tool call looks like its output.
      return newest.isRunning || (scene.pack.byStructure && newest.block?.spec == null)
        ? makeObservation(scene, 'tool_running', { tool, ...elapsed }, { ...seen, ambiguous: ['tool_result'] })
        : makeObservation(scene, 'tool_result', { tool, ok: isResultOk(scene, newest.block) }, seen)
    }
    case 'user':
      if (!scene.working)
        return makeObservation(
          scene,
          'user_message',
          { text: scene.turn.echoText ?? '', queued: false },
          { rule: 'generic/echo', confidence: 0.5, busy: null },
        )
  }
  return makeObservation(scene, 'thinking', thinkingPayload(values, match), seen)
}

/**
 * Without a pack: the newest block that is neither a remark in a quiet style nor the few words that
 * move. An answer is drawn to be read.
 */
function newestSaid(scene: Scene): NewestBlock | null {
  const { blocks } = scene.layout
  const at = scene.pack.byStructure ? blocks.findLastIndex(block => !isRemark(scene, block)) : blocks.length - 1
  if (at === blocks.length - 1) return newestBlock(scene)
  const block = blocks[at]
  return block ? { kind: block.kind, isRunning: block.isRunning, block } : null
}

function isRemark({ layout: { rows, blocks }, working }: Scene, { kind, spec, first, last }: RowBlock): boolean {
  if (spec !== null || (kind !== 'prose' && kind !== 'user')) return false
  const isFaintBlock = (block: Pick<RowBlock, 'first' | 'last'>) =>
    rows.slice(block.first, block.last + 1).every(isQuiet)
  // A prompt in a quieter style than the one above waits for its turn.
  if (kind === 'user')
    return isFaintBlock({ first, last }) && blocks.some(block => block.kind === 'user' && !isFaintBlock(block))
  if (isFaintBlock({ first, last })) return true
  const { text } = rows[first]!
  // After a bullet that blinks, an answer begins.
  const isSign = /^\s*(?:\p{L}|[\u2801-\u28ff])/u.test(text) && text.trim().split(/\s+/u).length <= SIGN_WORDS_MAX
  return first === last && working?.row?.index === first && isSign
}

const SIGN_WORDS_MAX = 5

/** The task panel changed after the newest content. */
function isPanelNewest(scene: Scene): boolean {
  const { panel, transcript } = scene.memory
  const { t } = scene.frame
  if (!scene.todos || scene.todos.total === 0) return false
  const kind = scene.layout.blocks.at(-1)?.kind
  if (panel === null) return kind === undefined || kind === 'user'
  const shown = changedAt(panel, panelHash(scene), t)!
  const newest = changedAt(transcript, transcriptHash(scene.layout), t)
  return newest === null || shown.changedAt > newest.changedAt
}

/** The call above a result, or the result itself if its row shows that it has ended. */
function callAbove({ layout: { blocks, rows } }: Scene, result: RowBlock | null): RowBlock | null {
  const isHanging = (block: RowBlock) => block.spec === null || /^\s*[⎿└├↳]/u.test(rows[block.first]!.text)
  const before = result ? blocks.slice(0, blocks.indexOf(result)) : blocks
  if (result && !isHanging(result) && before.at(-1)?.kind !== 'tool_call') return result
  return (
    before.findLast(
      block => block.kind === 'tool_call' || (block.kind === 'tool_result' && result !== null && !isHanging(block)),
    ) ?? null
  )
}

function toolIn({ layout }: Scene, block: RowBlock | null): Payload['tool_running']['tool'] {
  if (!block) return { name: 'unknown', kind: 'other', summary: '' }
  const tool = toolOf(blockText(layout, block))
  // If the call is described in words, its command is attached below.
  const command = /^\s*[⎿└↳]\s+\$ (?<command>\S.*)$/u.exec(layout.rows[block.last + 1]?.text ?? '')?.groups?.command
  return command === undefined ? tool : { ...tool, kind: 'shell', command }
}

function isResultOk({ layout }: Scene, block: RowBlock | null): boolean | null {
  const failed = block?.spec?.failed
  if (!block || !failed) return null
  return layout.rows.slice(block.first, block.last + 1).some(row => failed.test(row.text)) ? false : null
}

function proseOf({ layout }: Scene, block: RowBlock | null): Payload['response_content'] {
  if (!block) return { block: 'prose', rows: [0, 0], tail: '' }
  return { block: block.kind, rows: [block.first, block.last], tail: layout.rows[block.last]!.text.trim() }
}

/** A question that only words suggest must be stable: running text looks the same. */
export function isConfirmed({ memory, frame }: Scene, candidate: MenuCandidate): boolean {
  if (!candidate.isTentative) return true
  const { asking } = memory
  return asking?.text === candidate.menu.question && frame.t - asking.since >= QUESTION_STABLE_S - 1e-9
}

export function observeMenu(scene: Scene, found: NonNullable<Scene['layout']['menu']>): Observation {
  const { proofs } = found.liveness
  const first = firstSeen(scene, found.candidate.menu.hash)
  const menu = { ...found.candidate.menu, ...(isOpenedByUser(scene, found) && { origin: 'user' as const }) }
  const live: Menu = { ...menu, live: { proofs, since: first.since, afterInput: first.afterInput } }
  const isAnchored = found.candidate.spec !== null
  const isSure = proofs.length > 4
  const seen: ObservationBasis = {
    rule: isAnchored ? `${scene.pack.agent}/menu.${menu.kind}` : 'generic/menu',
    confidence: isAnchored ? (isSure ? 0.95 : 0.85) : isSure ? 0.7 : 0.5,
    anchored: isAnchored,
    busy: false,
    awaiting: awaitingOf(menu),
    evidence: [{ region: 'menu', rows: menu.rows, text: menu.question }],
  }
  if (menu.kind === 'auth') {
    const details = signInDetails(scene.layout.rows.slice(menu.rows[0], menu.rows[1] + 1), scene.frame.cols)
    return makeObservation(scene, 'auth_required', { ...details, menu: live }, seen)
  }
  return makeObservation(scene, 'tool_menu', { menu: live }, seen)
}

/**
 * Without a pack: a list that a slash command opened. The agent asks only while it works, and what
 * it asks for permission is always its own question.
 */
function isOpenedByUser(
  { pack, memory, working }: Scene,
  { candidate: { menu, spec } }: NonNullable<Scene['layout']['menu']>,
): boolean {
  if (!pack.byStructure || spec !== null || menu.kind !== 'question') return false
  return memory.hasSeenComposer && !memory.turnOpen && !working && /^\/\p{L}/u.test(memory.draft ?? '')
}

/** A dialog without options, known by a rule of the pack. */
export function observeDialog(scene: Scene, match: RuleMatch): Observation {
  const seen = { match, busy: false, awaiting: match.rule.awaiting }
  if (match.rule.view === 'auth_required')
    return makeObservation(scene, 'auth_required', shownSignIn(scene.layout.rows, scene.frame.cols), seen)
  return makeObservation(scene, 'tool_menu', { menu: null }, seen)
}

/** A live input box without work. */
export function observeIdle(scene: Scene): Observation {
  const { layout, pack } = scene
  const auth = bestMatch(scene, match => match.rule.view === 'auth_required')
  if (auth)
    return makeObservation(scene, 'auth_required', shownSignIn(layout.rows, scene.frame.cols), {
      match: auth,
      busy: false,
    })
  if (pack.byStructure && isSignedOut(scene))
    return makeObservation(
      scene,
      'auth_required',
      { method: 'login' },
      { rule: 'generic/signed-out', confidence: 0.5, busy: false },
    )
  const error = bestMatch(scene, match => match.rule.view === 'error')
  if (error)
    return makeObservation(scene, 'error', errorPayload(error, error.text, true), { match: error, busy: false })
  const newest = newestContent(layout.blocks, pack)
  if (newest?.kind === 'error')
    return makeObservation(scene, 'error', errorPayload(null, blockText(layout, newest), true), {
      rule: `${pack.agent}/block.error`,
      anchored: true,
      confidence: 0.85,
      busy: false,
    })
  const agents = bestMatch(scene, match => match.rule.view === 'parallel_agents')
  if (agents)
    return makeObservation(scene, 'parallel_agents', agentsPayload(layout.rows, pack, agents), {
      match: agents,
      busy: true,
    })
  const background = bestMatch(scene, match => match.rule.view === 'background_task')
  if (background)
    return makeObservation(scene, 'background_task', backgroundPayload(background), { match: background, busy: false })
  return observeIdlePrompt(scene)
}

/**
 * The agent's report that it is signed out: below a prompt or before the first one, not a sentence
 * of an answer.
 */
function isSignedOut({ layout }: Scene): boolean {
  const newest = layout.blocks.at(-1)
  if (!newest) return false
  const isReport = newest.kind === 'tool_result' || newest.kind === 'error'
  const isFirst = newest.kind === 'prose' && !layout.blocks.some(block => block.kind === 'user')
  return (isReport || isFirst) && newest.last - newest.first < 4 && saysSignedOut(blockText(layout, newest))
}

function observeIdlePrompt(scene: Scene): Observation {
  const { layout, pack, memory, turn } = scene
  const idle = bestMatch(scene, match => match.rule.view === 'idle_prompt')
  const payload: Payload['idle_prompt'] = {
    fresh: turn.echo === null && !memory.turnOpen && memory.echo === null,
    prompt: promptKind(pack, idle),
    ...(layout.terminator && { lastTurn: layout.terminator.outcome }),
  }
  const isAnchored = layout.isComposerAnchored
  const isLeaving = bestMatch(scene, match => match.rule.awaiting === 'exit_confirm') !== null
  return makeObservation(scene, 'idle_prompt', payload, {
    ...(idle
      ? { match: idle }
      : {
          rule: `${isAnchored ? pack.agent : 'generic'}/composer`,
          confidence: isAnchored ? 0.85 : scene.frame.isPlainText ? 0.5 : 0.7,
          anchored: isAnchored,
        }),
    busy: false,
    awaiting: isLeaving ? 'exit_confirm' : (idle?.rule.awaiting ?? null),
  })
}

/**
 * A shell, REPL, debugger, pager or editor that waits for its user: that is idle, not a question.
 */
export function observePrompt(scene: Scene, shell: Extract<ShellScreen, { kind: 'prompt' }>): Observation {
  return makeObservation(
    scene,
    'idle_prompt',
    { fresh: scene.memory.prompt === null, prompt: shell.program },
    {
      rule: `generic/prompt.${shell.program}`,
      confidence: 0.7,
      anchored: false,
      busy: false,
      awaiting: shell.program === 'shell' ? null : 'input',
    },
  )
}

/** The basis of a view. Omitted fields follow from the rule that matched. */
export interface ObservationBasis {
  match?: RuleMatch | null
  rule?: string
  confidence?: number
  anchored?: boolean
  busy?: boolean | null
  awaiting?: Awaiting | null
  ambiguous?: TerminalView[]
  evidence?: Observation['evidence']
}

/** The observation for a view, with everything else that the frame shows. */
export function makeObservation<V extends TerminalView>(
  scene: Scene,
  view: V,
  payload: Payload[V],
  seen: ObservationBasis,
): Observation<V> {
  const { match } = seen
  const { terminator } = scene.layout
  return {
    view,
    payload,
    confidence: Math.min(
      (seen.confidence ?? match?.rule.confidence ?? 0.7) * scene.pack.trust,
      scene.frame.torn ? 0.5 : 1,
    ),
    anchored: seen.anchored ?? Boolean(match),
    rule: seen.rule ?? (match ? `${scene.pack.agent}/${match.rule.id}` : 'none'),
    busy: seen.busy === undefined ? (match?.rule.busy ?? null) : seen.busy,
    awaiting: seen.awaiting ?? null,
    composer: boxOf(scene),
    facets: facetsOf(scene),
    user: scene.turn.echoText,
    terminator: terminator && { row: terminator.row, outcome: terminator.outcome },
    ambiguous: seen.ambiguous ?? [],
    evidence: seen.evidence ?? (match ? [{ region: match.rule.region, rows: match.rows, text: match.text }] : []),
  }
}

export function observeNothing(scene: Scene): Observation<'unknown'> {
  return makeObservation(scene, 'unknown', { recognised: false }, { confidence: 0, rule: 'none', busy: null })
}

/** Results that depend only on rows, cursor and pack are computed once for a layout. */
function onceForLayout<T>(read: (scene: Scene) => T): (scene: Scene) => T {
  const known = new WeakMap<Scene['layout'], { value: T }>()
  return scene => {
    let entry = known.get(scene.layout)
    if (!entry) known.set(scene.layout, (entry = { value: read(scene) }))
    return entry.value
  }
}

/** The live input box. */
const boxOf = onceForLayout((scene): Observation['composer'] => {
  const { composer, rows } = scene.layout
  if (!composer) return null
  const { cursor } = scene.frame
  const box = readComposer(rows, composer, {
    ignore: ignoredInBox(scene),
    cursor: cursor.visible ? cursor : null,
    isGuessed: !scene.layout.isComposerAnchored,
  })
  return { ...box, queued: queuedTexts(scene), completion: readCompletion(rows, composer.last + 1) }
})

function ignoredInBox({ pack }: Scene): RegExp | null {
  const spec = pack.regions.find(region => region.name === 'composer' && region.kind === 'gutter')
  return spec?.kind === 'gutter' ? spec.ignore : null
}

function queuedTexts({ layout }: Scene): string[] {
  return layout.rows
    .filter((_, index) => layout.roles[index] === 'queued')
    .map(row => row.text.replace(/^\s*\S\s+/u, '').trim())
}

const facetsOf = onceForLayout((scene): Facet[] => {
  const facets = scene.matches.flatMap((match): Facet[] =>
    match.rule.facet ? [{ name: match.rule.facet, data: match.values }] : [],
  )
  if (scene.todos && scene.todos.total > 0) facets.push({ name: 'todo', data: { ...scene.todos } })
  const queued = queuedTexts(scene)
  if (queued.length > 0) facets.push({ name: 'queued', data: { count: queued.length } })
  return facets
})
