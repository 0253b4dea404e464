import { afterEach, describe, expect, test } from 'vitest'
import type { EventType } from '../../events/index.js'
import { transition } from '../../machine/index.js'
import { PhaseFixture } from '../testing/phase-fixture.js'
import { SessionFixture } from '../testing/session-fixture.js'
import { type Phase, type PhaseAction, type PhaseEvent, phaseTable } from './phase-table.js'

/*
 * The behaviour of each row of the phase table. A session is brought into a phase by what its
 * terminal shows; then the terminal shows the next thing, and what people see and the log holds
 * afterwards is exactly what the row's actions promise. For rows that no screen leads to (a menu
 * that was asked, seen again after its phase has ended; an interruption of an idle agent), the
 * event is dispatched by hand. The last test fails if a row of the table has no test here.
 */
const THINKING = '◜ Thinking… 3s · 10 tokens · esc to stop'
const DONE = '◈ Finished in 5s · 1.2k tokens'
const menu = (asked: string) => [
  '━'.repeat(60),
  ' Run a command',
  ` May I run ${asked}?`,
  '',
  ' ▸ 1. Yes, this once',
  '   2. No',
  '',
  ' enter to choose · ↑/↓ to move · esc to decline',
]
const tasks = (done: number) => [THINKING, `  Tasks ${done} of 2 done`, '  ✔ one', '  ◻ two', '']
/** Rules for views that the demo agent's pack does not have. */
const withRules = (toml: string) => `${toml}
[[rule]]
id = "auth"
view = "auth_required"
priority = 900
region = "screen"
line = 'Not signed in · run (?<url>\\S+)'
awaiting = "auth"
busy = false

[[rule]]
id = "agents"
view = "parallel_agents"
priority = 900
region = "screen"
line = '^  Agents \\d+ of \\d+ running'
busy = true
`

const BEFORE = ['▷ one', '', '◆ The first answer.', '', DONE, '']
const PROMPT = [...BEFORE, '▷ two', '']
const TEXT = ['◆ First words.', '', '◆ Second words.', '']
const MORE = ['◆ More words.', '', '◆ And more.', '']

interface Screen {
  rows: readonly string[]
  isGone?: boolean
  footer?: string
}

/** What brings a session with one closed turn into a phase. */
const BRING: Record<Phase, readonly Screen[]> = {
  dormant: [],
  thinking: [{ rows: [...PROMPT, THINKING, ''] }],
  streaming: [{ rows: [...PROMPT, THINKING, ''] }, { rows: [...PROMPT, ...TEXT, THINKING, ''] }],
  'tool-pending': [
    { rows: [...PROMPT, THINKING, ''] },
    { rows: [...PROMPT, ...TEXT, THINKING, ''] },
    { rows: [...PROMPT, ...TEXT, ...menu('this')], isGone: true },
  ],
}

/** The frame that shows an event; `text` is what the phase has shown before. */
const SHOW: Partial<Record<PhaseEvent, (text: readonly string[], phase: Phase) => Screen>> = {
  thinking: text => ({ rows: [...PROMPT, ...text, ...(text.length > 0 ? ['◌ a thought', ''] : []), THINKING, ''] }),
  response_content: text => ({ rows: [...PROMPT, ...text, ...MORE, THINKING, ''] }),
  tool_menu: text => ({ rows: [...PROMPT, ...text, ...menu('this')], isGone: true }),
  'tool_menu:new': text => ({ rows: [...PROMPT, ...text, ...menu('that')], isGone: true }),
  idle_prompt: (text, phase) => rest(text, phase),
  background_task: (text, phase) => ({ ...rest(text, phase), footer: '1 shell running · asks first' }),
  tool_running: text => ({ rows: [...PROMPT, ...text, '◇ Shell  npm test', '', THINKING, ''] }),
  tool_result: text => ({ rows: [...PROMPT, ...text, '◇ Shell  npm test', '  ┆ ok', '', THINKING, ''] }),
  todo_list: () => ({ rows: [...PROMPT, ...tasks(1)] }),
  parallel_agents: text => ({
    rows: [...PROMPT, ...text, ...MORE, THINKING, '  Agents 1 of 2 running', '  ◜ one', ''],
  }),
  auth_required: text => ({ rows: [...PROMPT, ...text, '✗ 401 · Not signed in · run /login'], isGone: true }),
  'error:final': (text, phase) => ({
    rows: [...(phase === 'dormant' ? BEFORE : PROMPT), ...text, '✗ it broke', '', '◈ Failed after 3s', ''],
  }),
  user_message: () => ({ rows: PROMPT }),
  unknown: () => ({ rows: ['top - 13:00', '  PID USER'], isGone: true }),
}

/** Idle; an open request is answered without further text. */
function rest(text: readonly string[], phase: Phase): Screen {
  if (phase === 'dormant') return { rows: [...BEFORE, '◆ Something that passes.', '', DONE, ''] }
  return { rows: [...PROMPT, ...text, ...(phase === 'tool-pending' ? [] : MORE), DONE, ''] }
}

/** What ends the phase of a menu that is still on screen. */
const AWAY: Partial<Record<Phase, PhaseEvent>> = {
  dormant: 'idle_prompt',
  thinking: 'thinking',
  streaming: 'tool_running',
}

let fixture: SessionFixture
afterEach(() => fixture.close())

async function show({ rows, ...box }: Screen, passMs: number): Promise<void> {
  await fixture.paint(rows, { ...box, passMs })
}

async function bring(phase: Phase): Promise<void> {
  fixture = await SessionFixture.open({ pack: withRules, times: { silenceMs: 60_000 } })
  fixture.session.goLive()
  await fixture.paint([' Signalbox demo agent 1.0.0'], { passMs: 100 })
  await show({ rows: ['▷ one', '', THINKING, ''] }, 100)
  await show({ rows: BEFORE }, 800)
  for (const screen of BRING[phase]) await show(screen, 100)
  expect(fixture.session.phase).toBe(phase)
  expect(await fixture.messages()).toHaveLength(phase === 'tool-pending' ? 2 : 1)
}

type Effect = 'turn' | 'update' | 'close' | 'ask' | 'menuGone' | 'typing true' | 'typing false' | 'notice' | 'end'

/** What people have seen and the log holds, counted. */
async function tally(): Promise<Record<Effect, number>> {
  await fixture.session.effectsDone()
  const emitted = (what: string) => fixture.updates.filter(line => line.startsWith(what)).length
  const written = async (...types: EventType[]) => (await fixture.written(...types)).length
  const notices = await fixture.notices()
  return {
    turn: await written('turn.opened'),
    update: emitted('update'),
    close: await written('message.final'),
    ask: await written('approval.requested'),
    menuGone: await written('approval.applied', 'approval.stale', 'approval.cancelled'),
    'typing true': emitted('typing true'),
    'typing false': emitted('typing false'),
    notice: notices.filter(({ kind }) => kind === 'auth' || kind === 'silence').length,
    end: await written('session.ended'),
  }
}

/** The effects of a phase whose ports are counted. */
function tallyOf({ calls, recorded }: PhaseFixture): Record<Effect, number> {
  const called = (call: Effect) => calls.filter(each => each === call).length
  return {
    turn: recorded.filter(type => type === 'turn.opened').length,
    update: called('update'),
    close: called('close'),
    ask: called('ask'),
    menuGone: called('menuGone'),
    'typing true': called('typing true'),
    'typing false': called('typing false'),
    notice: called('notice'),
    end: called('end'),
  }
}

/** The visible effect of an action; `finalize` and the like have none without text. */
const EFFECT: Partial<Record<PhaseAction, Effect>> = {
  'begin-turn': 'turn',
  'start-typing': 'typing true',
  'stop-typing': 'typing false',
  'show-message': 'update',
  finalize: 'close',
  'extract-idle-output': 'close',
  ask: 'ask',
  'close-approval': 'menuGone',
  'warn-auth': 'notice',
  'notice-silence': 'notice',
  'end-session': 'end',
}

/** Expects the row's effects and no other; each once, except those that may repeat. */
async function expectRow(
  phase: Phase,
  event: PhaseEvent,
  before: Record<Effect, number>,
  without: readonly Effect[] = [],
): Promise<void> {
  const [next, actions] = transition(phaseTable, phase, event)
  expect(fixture.session.phase).toBe(next)
  if (actions.includes('open-message')) expect(fixture.session.openMessage).not.toBeNull()
  expectEffects(actions, before, await tally(), without)
  expect(fixture.errors).toEqual([])
}

function expectEffects(
  actions: readonly PhaseAction[],
  before: Record<Effect, number>,
  after: Record<Effect, number>,
  without: readonly Effect[],
): void {
  const promised = new Set(actions.map(action => EFFECT[action]).filter(effect => effect !== undefined))
  for (const effect of Object.keys(after) as Effect[]) {
    const count = after[effect] - before[effect]
    const isPromised = promised.has(effect) && !without.includes(effect)
    if (!isPromised) expect([effect, count]).toEqual([effect, 0])
    else if (effect === 'update' || effect.startsWith('typing')) expect([effect, count > 0]).toEqual([effect, true])
    else expect([effect, count]).toEqual([effect, 1])
  }
}

/**
 * Effects that a row promises and its frame gives no reason for: a panel is not a message, and an
 * agent that thinks has no text yet.
 */
function without(phase: Phase, event: PhaseEvent): Effect[] {
  if (event === 'todo_list') return ['update']
  const hasSaid = phase === 'streaming' || event === 'idle_prompt' || event === 'background_task'
  if (phase === 'thinking' && !hasSaid && event !== 'error:final' && event !== 'auth_required') return ['close']
  return []
}

const VIEWS = (Object.keys(SHOW) as PhaseEvent[]).flatMap(event => phaseTable.states.map(phase => ({ phase, event })))
/**
 * Without `tool_menu` where no menu was asked, and without `unknown` while a turn is open: unknown
 * rows are then text.
 */
const shown = VIEWS.filter(
  ({ phase, event }) =>
    (event !== 'tool_menu' || phase === 'tool-pending') && (event !== 'unknown' || phase === 'dormant'),
)

const PHASES: readonly Phase[] = phaseTable.states
/** Rows that have a test. */
const tested = new Set<string>()

function rows(
  pairs: readonly { phase: Phase; event: PhaseEvent }[],
  check: (row: { phase: Phase; event: PhaseEvent }) => Promise<void>,
): void {
  for (const { phase, event } of pairs) tested.add(`${phase} × ${event}`)
  test.each(pairs)('has its actions: $phase × $event', check)
}

const of = (event: PhaseEvent, phases = PHASES) => phases.map(phase => ({ phase, event }))

describe('a row of the phase table', () => {
  rows(shown, async ({ phase, event }) => {
    await bring(phase)
    const before = await tally()
    const text = phase === 'streaming' || phase === 'tool-pending' ? TEXT : []
    await show(SHOW[event]!(text, phase), 1_200)
    const { view } = fixture.session.observation!
    expect(view).toBe(event.split(':')[0])
    await expectRow(phase, event, before, without(phase, event))
  })

  rows(of('process-exit'), async ({ phase }) => {
    await bring(phase)
    const before = await tally()
    await fixture.exit(0)
    const nothing: Effect[] = phase === 'streaming' ? ['menuGone'] : ['menuGone', 'close']
    await expectRow(phase, 'process-exit', before, phase === 'tool-pending' ? ['close'] : nothing)
    expect((await fixture.events('turn.closed')).at(-1)?.outcome).toBe(phase === 'dormant' ? 'done' : 'exited')
  })

  rows(of('interrupted', ['thinking', 'streaming']), async ({ phase }) => {
    await bring(phase)
    const before = await tally()
    await fixture.report({ kind: 'turn-ended', outcome: 'interrupted' })
    await fixture.pass(1_200)
    await expectRow(phase, 'interrupted', before, phase === 'thinking' ? ['close'] : [])
    expect((await fixture.events('turn.closed')).at(-1)?.outcome).toBe('interrupted')
  })

  rows(of('transcript-block'), async ({ phase }) => {
    await bring(phase)
    const before = await tally()
    const words =
      phase === 'dormant' ? 'The **first** answer.' : phase === 'thinking' ? 'Not shown yet.' : 'First **words**.'
    await fixture.report({ kind: 'said', id: 'm1', markdown: words })
    await fixture.pass(200)
    expect(fixture.session.phase).toBe(phase)
    const after = await tally()
    // Without an open message the last one is corrected.
    const patched = phase === 'dormant' || phase === 'tool-pending'
    expect([after.close - before.close, after.update - before.update > 0]).toEqual([
      patched ? 1 : 0,
      phase === 'streaming',
    ])
    if (patched) expect((await fixture.messages()).at(-1)).toContain(words)
  })

  rows(of('silence', ['thinking', 'streaming']), async ({ phase }) => {
    await bring(phase)
    const before = await tally()
    await fixture.pass(61_000)
    const after = await tally()
    expect([fixture.session.phase, after.notice - before.notice]).toEqual([phase, 1])
    // Reading the same rows again may emit an update, and typing is repeated; time alone causes
    // nothing else.
    const repeated = { notice: 0, update: 0, 'typing true': 0 }
    expect({ ...after, ...repeated }).toEqual({ ...before, ...repeated })
  })

  rows(of('prompt-sent', ['dormant']), async () => {
    await bring('dormant')
    const before = await tally()
    const sent = fixture.session.send('two')
    await fixture.pass(100)
    await fixture.paint(BEFORE, { draft: 'two', passMs: 300 })
    await fixture.paint(PROMPT, { passMs: 100 })
    expect(await sent).toEqual({ result: 'delivered' })
    await expectRow('dormant', 'prompt-sent', before)
  })

  /**
   * A menu that was asked is seen again although its phase has ended: it becomes another request.
   */
  const asked = of('tool_menu', ['dormant', 'thinking', 'streaming'])
  const idle = [...of('interrupted', ['dormant', 'tool-pending']), ...of('silence', ['dormant', 'tool-pending'])]
  const unseen = of('unknown', ['thinking', 'streaming', 'tool-pending'])
  const sent = of('prompt-sent', ['thinking', 'streaming', 'tool-pending'])
  /**
   * No pack has these views while a turn is open: a passing error is work, and a banner is text.
   */
  const unread = [...of('error'), ...of('startup')]
  rows([...asked, ...idle, ...unseen, ...sent, ...unread], async ({ phase, event }) => {
    const direct = new PhaseFixture(withRules)
    await direct.paint([' Signalbox demo agent 1.0.0'])
    await direct.paint(['▷ one', '', THINKING, ''])
    await direct.paint(BEFORE, {}, 800)
    const isAsked = event === 'tool_menu'
    for (const { rows: lines, ...box } of BRING[isAsked ? 'tool-pending' : phase]) await direct.paint(lines, box)
    if (isAsked) await direct.dispatch(AWAY[phase]!)
    expect(direct.phase.phase).toBe(phase)
    const before = tallyOf(direct)
    await direct.dispatch(event)
    // The prompt that is on screen has its turn already, and no text has appeared since.
    const nothing: Effect[] = ['update', ...(isAsked ? (['close'] as const) : [])]
    if (phase !== 'dormant') nothing.push('turn')
    const [next, actions] = transition(phaseTable, phase, event)
    expect(direct.phase.phase).toBe(next)
    expectEffects(actions, before, tallyOf(direct), nothing)
    expect(direct.errors).toEqual([])
  })

  test('every row of the phase table has a test in this file', () => {
    const all = PHASES.flatMap(phase => phaseTable.events.map(event => `${phase} × ${event}`))
    expect(all.filter(row => !tested.has(row))).toEqual([])
  })
})
