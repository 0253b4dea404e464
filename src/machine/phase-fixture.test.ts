import { expect, test } from 'vitest'
import { defineMachine, toDot, toMarkdown, transition, walk } from './index.js'

// The phase table of the sessions room, which is the largest table there is: it shows that the form carries it.
const phases = defineMachine({
  name: 'phase',
  states: ['dormant', 'thinking', 'streaming', 'tool-pending'],
  events: [
    'thinking',
    'response_content',
    'tool_menu',
    'tool_menu:new',
    'idle_prompt',
    'tool_running',
    'tool_result',
    'todo_list',
    'parallel_agents',
    'background_task',
    'auth_required',
    'error',
    'error:final',
    'user_message',
    'startup',
    'unknown',
    'prompt-sent',
    'interrupted',
    'process-exit',
  ],
  initial: 'dormant',
  actions: [
    'mark-turn',
    'open-message',
    'start-typing',
    'stop-typing',
    'extract',
    'extract-turn',
    'extract-history',
    'edit',
    'finalize',
    'ask',
    'settle-approval',
    'warn-auth',
    'end-for-auth',
    'end-session',
  ],
  rows: [
    ['dormant', 'thinking', 'thinking', ['mark-turn', 'open-message', 'start-typing']],
    ['thinking', 'thinking', '='],
    ['streaming', 'thinking', 'thinking', ['finalize', 'open-message', 'start-typing']],
    ['tool-pending', 'thinking', 'thinking', ['open-message', 'start-typing']],

    [
      'dormant',
      ['response_content', 'todo_list', 'parallel_agents', 'error'],
      'streaming',
      ['mark-turn', 'extract', 'edit'],
    ],
    [
      'thinking',
      ['response_content', 'tool_running', 'tool_result', 'todo_list', 'parallel_agents', 'error'],
      'streaming',
      ['stop-typing', 'extract', 'edit'],
    ],
    [
      'streaming',
      ['response_content', 'tool_running', 'tool_result', 'todo_list', 'parallel_agents', 'error'],
      '=',
      ['extract', 'edit'],
    ],
    [
      'tool-pending',
      ['response_content', 'tool_result', 'todo_list', 'parallel_agents', 'error'],
      'streaming',
      ['extract', 'edit'],
    ],
    ['dormant', ['tool_running', 'tool_result'], '='],
    ['tool-pending', 'tool_running', 'streaming'],

    ['dormant', ['tool_menu', 'tool_menu:new'], 'tool-pending', ['ask']],
    ['thinking', ['tool_menu', 'tool_menu:new'], 'tool-pending', ['stop-typing', 'finalize', 'ask']],
    ['streaming', ['tool_menu', 'tool_menu:new'], 'tool-pending', ['finalize', 'ask']],
    ['tool-pending', 'tool_menu', '='],
    ['tool-pending', 'tool_menu:new', '=', ['settle-approval', 'ask']],

    ['dormant', ['idle_prompt', 'background_task', 'error:final'], '=', ['extract-history']],
    [
      'thinking',
      ['idle_prompt', 'background_task', 'error:final'],
      'dormant',
      ['stop-typing', 'extract-turn', 'finalize'],
    ],
    ['streaming', ['idle_prompt', 'background_task'], 'dormant', ['finalize']],
    ['tool-pending', ['idle_prompt', 'background_task'], 'dormant'],
    ['streaming', 'error:final', 'dormant', ['extract', 'finalize']],
    ['tool-pending', 'error:final', 'dormant', ['extract-turn', 'finalize']],

    ['dormant', 'auth_required', '=', ['warn-auth', 'end-for-auth']],
    ['thinking', 'auth_required', 'dormant', ['stop-typing', 'finalize', 'warn-auth', 'end-for-auth']],
    ['streaming', 'auth_required', 'dormant', ['finalize', 'warn-auth', 'end-for-auth']],
    ['tool-pending', 'auth_required', 'dormant', ['warn-auth', 'end-for-auth']],

    ['dormant', 'user_message', '=', ['mark-turn']],
    ['*', 'prompt-sent', '=', ['mark-turn']],
    [['thinking', 'streaming'], 'interrupted', 'dormant', ['stop-typing', 'finalize']],
    ['tool-pending', 'interrupted', 'dormant'],
    ['*', 'process-exit', 'dormant', ['stop-typing', 'finalize', 'end-session']],
  ],
  exit: { 'tool-pending': ['settle-approval'] },
  expectedUnlisted: ['startup', 'user_message', 'unknown'],
})

test('from every phase an idle prompt and the end of the process lead to dormant', () => {
  for (const phase of phases.states) {
    expect(transition(phases, phase, 'idle_prompt')[0]).toBe('dormant')
    expect(transition(phases, phase, 'process-exit')[0]).toBe('dormant')
  }
})

test('leaving tool-pending settles the approval first, whatever the event', () => {
  for (const { state, rows } of walk(phases)) {
    if (state !== 'tool-pending') continue
    for (const row of rows) if (!row.isStay) expect(row.actions[0]).toBe('settle-approval')
  }
})

test('no action list edits after it has finalized', () => {
  for (const { rows } of walk(phases)) {
    for (const { actions } of rows) {
      const finalized = actions.indexOf('finalize')
      if (finalized >= 0) expect(actions.slice(finalized)).not.toContain('edit')
    }
  }
})

test('the table prints one line per event and one column per phase', () => {
  const lines = toMarkdown(phases).trimEnd().split('\n')
  expect(lines[0]).toBe('| event ↓ / state → | `dormant` | `thinking` | `streaming` | `tool-pending` |')
  expect(lines[1]).toBe('|---|---|---|---|---|')
  expect(lines[2]).toBe(
    '| `thinking` | thinking: mark-turn, open-message, start-typing | = – | thinking: finalize, open-message, start-typing | thinking: open-message, start-typing |',
  )
  expect(lines).toContain(
    '| `tool_menu` | tool-pending: ask | tool-pending: stop-typing, finalize, ask | tool-pending: finalize, ask | = – |',
  )
  expect(lines).toContain('| `startup` |  |  |  |  |')
  expect(lines.at(-1)).toBe('Exit actions, before the others, of `tool-pending`: settle-approval.')
  for (const line of lines.slice(0, 2 + phases.events.length)) expect(line.match(/\|/g)).toHaveLength(6)
})

test('the drawing names every phase, joins parallel edges and leaves out what does nothing', () => {
  const dot = toDot(phases)
  expect(dot.startsWith('digraph "phase" {\n')).toBe(true)
  for (const phase of phases.states) expect(dot).toContain(`  "${phase}";`)
  expect(dot.match(/"thinking" -> "streaming"/g)).toHaveLength(1)
  expect(dot).toContain('response_content / stop-typing, extract, edit\\ntool_running')
  expect(dot).not.toContain('"thinking" -> "thinking" [label="thinking"]')
})

test('names with quotes and back-slashes stay inside their DOT strings', () => {
  const odd = defineMachine({
    name: 'a "quoted\\" name',
    states: ['x"y', 'z\\'],
    events: ['e|1'],
    initial: 'x"y',
    actions: [],
    rows: [['x"y', 'e|1', 'z\\']],
  })
  const strings = toDot(odd).replaceAll(/"(?:[^"\\]|\\.)*"/g, '')
  expect(strings).not.toContain('"')
  expect(toMarkdown(odd)).toContain('`e\\|1`')
})
